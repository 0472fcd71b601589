package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import io.rpcrdma4j.verbs.iwarp.wire.Terminate;
import io.rpcrdma4j.verbs.iwarp.wire.Violation;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The state of the peer's messages: which Receive a Send goes into, which Read a Response answers, what sequence number
 * comes next; and what happens when one is complete.
 *
 * <h2>Operation</h2>
 *
 * For each FPDU {@link #admit}, which checks it and sets the {@link Placement}, then, when the payload is in place,
 * {@link #placed}.
 *
 * <h2>Buffer ownership</h2>
 *
 * A Receive is taken off its queue by the first segment of a Send and completed by the last; {@link #flush} gives back
 * one that is under way.
 *
 * <h2>Threading</h2>
 *
 * The stream's owner.
 */
final class Inbound {

    private final SendRing ring;
    private final ReceiveRing receives;
    private final ProtectionDomain domain;
    private final Admission admission;
    private final RevokedKeys revokedKeys;
    private final CompletionSink sink;
    private final OutboundReads outboundReads;
    private final InboundReads inboundReads;
    private final SegmentCursor sendCursor = new SegmentCursor();
    private final SegmentCursor readCursor = new SegmentCursor();
    private final Placement placement;

    private int nextSendSequence = 1;
    private int nextReadSequence = 1;
    private boolean isWriteOpen;
    private int writeStag;
    private @Nullable ReceiveRequest receive;
    private @Nullable CompletionStatus receiveStatus;
    private int received;
    private @Nullable SendRequest read;
    private long readReceived;
    private boolean awaitsRtrSend;
    private int payloadBytes;
    private boolean isPlaced;
    private @Nullable Terminate terminate;

    Inbound(
            SendRing ring,
            ReceiveRing receives,
            ProtectionDomain domain,
            Admission admission,
            RevokedKeys revokedKeys,
            CompletionSink sink,
            OutboundReads outboundReads,
            InboundReads inboundReads,
            Placement placement,
            boolean rtrSend) {
        this.ring = ring;
        this.receives = receives;
        this.domain = domain;
        this.admission = admission;
        this.revokedKeys = revokedKeys;
        this.sink = sink;
        this.outboundReads = outboundReads;
        this.inboundReads = inboundReads;
        this.awaitsRtrSend = rtrSend;
        this.placement = placement;
    }

    /** For tests: the next Send has this number. */
    void skipTo(int sequence) {
        nextSendSequence = sequence;
    }

    /** Whether the peer has sent a Terminate. */
    boolean isTerminated() {
        return terminate != null;
    }

    /** The peer's Terminate. */
    @Nullable
    Terminate terminate() {
        return terminate;
    }

    /** Whether the payload of the FPDU just admitted is to be put into its {@link Placement}. */
    boolean isPlaced() {
        return isPlaced;
    }

    /** Checks what can be known of a message that is never long, before all of it is there. */
    void checkBounded(ByteBuffer header, int payload) throws IwarpException {
        int opcode = DdpHeader.opcode(header, 0);
        if (opcode == RdmapOpcode.READ_REQUEST && payload != ReadRequest.BYTES) {
            throw new IwarpException(
                    Violation.READ_REQUEST_LENGTH, "RDMA Read Request with " + payload + " bytes, not 28");
        }
    }

    /**
     * Checks an FPDU whose header is in {@code header}, and sets where its payload belongs.
     *
     * @param staged holds the payload from {@code at} on, all of it unless the payload is long
     * @return the key behind which the payload belongs, entered, or null
     */
    @Nullable
    RemoteKey admit(ByteBuffer header, ByteBuffer staged, int at, int payload) throws IwarpException {
        payloadBytes = payload;
        isPlaced = false;
        int opcode = DdpHeader.opcode(header, 0);
        boolean isRtr = awaitsRtrSend && payload == 0 && RdmapOpcode.isSend(opcode);
        awaitsRtrSend = false;
        switch (opcode) {
            case RdmapOpcode.WRITE -> {
                return admitWrite(header, payload);
            }
            case RdmapOpcode.READ_RESPONSE -> admitResponse(header, payload);
            case RdmapOpcode.READ_REQUEST -> admitReadRequest(header, staged, at, payload);
            case RdmapOpcode.TERMINATE -> terminate = Terminate.parse(staged.slice(at, payload));
            default -> {
                if (isRtr) {
                    // RFC 6581 §9.2: the ready-to-receive Send takes a number, but no Receive.
                    checkSequence(header, DdpHeader.QUEUE_SEND, nextSendSequence);
                } else {
                    admitSend(header, payload);
                }
            }
        }
        return null;
    }

    private @Nullable RemoteKey admitWrite(ByteBuffer header, int payload) throws IwarpException {
        int stag = DdpHeader.stag(header, 0);
        if (isWriteOpen && stag != writeStag) {
            throw new IwarpException(
                    Violation.WRITE_STAG,
                    "peer changed from key " + Admission.hex(writeStag) + " to " + Admission.hex(stag)
                            + " within a message");
        }
        if (payload == 0) {
            // RFC 5041 §5.2: STag and TO of a zero-length message are not looked at.
            return null;
        }
        long taggedOffset = DdpHeader.taggedOffset(header, 0);
        RemoteKey key = admission.admitWrite(stag, taggedOffset, payload);
        placement.at(key.memory(), key.offset() + (taggedOffset - key.address()));
        isPlaced = true;
        return key;
    }

    private void admitResponse(ByteBuffer header, int payload) throws IwarpException {
        int stag = DdpHeader.stag(header, 0);
        if (outboundReads.count() == 0) {
            throw new IwarpException(
                    Violation.READ_RESPONSE_STAG, "RDMA Read Response to " + Admission.hex(stag) + ", none is due");
        }
        SendRequest request = ring.request(outboundReads.oldestNumber());
        if (request.byteLength() > 0
                && (stag != outboundReads.oldestStag()
                        || DdpHeader.taggedOffset(header, 0) != OutboundReads.sinkOffset(request) + readReceived)) {
            throw new IwarpException(
                    Violation.READ_RESPONSE_STAG,
                    "RDMA Read Response to " + Admission.hex(stag) + " offset 0x"
                            + Long.toHexString(DdpHeader.taggedOffset(header, 0)) + ", due is "
                            + Admission.hex(outboundReads.oldestStag()) + " offset 0x"
                            + Long.toHexString(OutboundReads.sinkOffset(request) + readReceived));
        }
        long after = readReceived + payload;
        boolean last = DdpHeader.isLast(header, 0);
        if (after > request.byteLength() || last != (after == request.byteLength())) {
            throw new IwarpException(
                    Violation.READ_RESPONSE_LENGTH,
                    "RDMA Read Response of " + after + (last ? " bytes" : " bytes or more") + ", asked for "
                            + request.byteLength());
        }
        if (read == null) {
            read = request;
            readCursor.start(request);
        }
        placement.at(readCursor);
        isPlaced = payload > 0;
    }

    private void admitReadRequest(ByteBuffer header, ByteBuffer staged, int at, int payload) throws IwarpException {
        if (payload != ReadRequest.BYTES || !DdpHeader.isLast(header, 0)) {
            throw new IwarpException(
                    Violation.READ_REQUEST_LENGTH,
                    "RDMA Read Request of " + payload + " bytes"
                            + (DdpHeader.isLast(header, 0) ? ", not 28" : " in more than one segment"));
        }
        checkSequence(header, DdpHeader.QUEUE_READ_REQUEST, nextReadSequence);
        if (DdpHeader.messageOffset(header, 0) != 0) {
            throw new IwarpException(
                    Violation.MESSAGE_OFFSET,
                    "message offset " + Integer.toUnsignedString(DdpHeader.messageOffset(header, 0))
                            + " in an RDMA Read Request");
        }
        if (inboundReads.isFull()) {
            throw new IwarpException(
                    Violation.READ_REQUEST_LIMIT,
                    "more than " + inboundReads.limit() + " RDMA Read Requests at a time");
        }
        long length = ReadRequest.length(staged, at);
        if (length > 0) {
            // All of it is checked before the first byte is sent, and each segment again when it is.
            admission
                    .admitRead(ReadRequest.sourceStag(staged, at), ReadRequest.sourceOffset(staged, at), length)
                    .exit();
        }
        inboundReads.add(staged, at, nextReadSequence);
    }

    private void checkSequence(ByteBuffer header, int queue, int expected) throws IwarpException {
        if (DdpHeader.queueNumber(header, 0) != queue) {
            throw new IwarpException(
                    Violation.QUEUE_NUMBER,
                    RdmapOpcode.name(DdpHeader.opcode(header, 0)) + " on queue "
                            + Integer.toUnsignedString(DdpHeader.queueNumber(header, 0)));
        }
        if (DdpHeader.messageSequenceNumber(header, 0) != expected) {
            throw new IwarpException(
                    Violation.MESSAGE_SEQUENCE,
                    "message sequence number "
                            + Integer.toUnsignedString(DdpHeader.messageSequenceNumber(header, 0)) + " on queue "
                            + queue + ", expected " + Integer.toUnsignedString(expected));
        }
    }

    private void admitSend(ByteBuffer header, int payload) throws IwarpException {
        checkSequence(header, DdpHeader.QUEUE_SEND, nextSendSequence);
        ReceiveRequest r = receive;
        if (r == null) {
            r = receives.take();
            if (r == null) {
                throw new IwarpException(
                        Violation.NO_RECEIVE,
                        "peer sent message " + Integer.toUnsignedString(nextSendSequence)
                                + " but no Receive is posted");
            }
            receive = r;
            received = 0;
            String problem = LocalAccess.problem(r, domain, Access.LOCAL_WRITE);
            if (problem != null) {
                receiveStatus = CompletionStatus.LOCAL_PROTECTION_ERROR;
                throw new IwarpException(Violation.RECEIVE_MEMORY, "a Receive can't be used: " + problem);
            }
            sendCursor.start(r);
        }
        if (DdpHeader.messageOffset(header, 0) != received) {
            throw new IwarpException(
                    Violation.MESSAGE_OFFSET,
                    "message offset " + Integer.toUnsignedString(DdpHeader.messageOffset(header, 0)) + " after "
                            + received + " bytes");
        }
        if (payload > Math.min(r.byteLength(), Integer.MAX_VALUE) - received) {
            receiveStatus = CompletionStatus.LOCAL_LENGTH_ERROR;
            throw new IwarpException(
                    Violation.RECEIVE_TOO_SHORT,
                    "peer sent a message of " + (received + (long) payload) + " bytes or more into a Receive of "
                            + r.byteLength());
        }
        placement.at(sendCursor);
        isPlaced = payload > 0;
    }

    /** The payload of the FPDU just admitted is in place: does what its message's end demands. */
    void placed(ByteBuffer header) throws IwarpException {
        boolean last = DdpHeader.isLast(header, 0);
        int opcode = DdpHeader.opcode(header, 0);
        switch (opcode) {
            case RdmapOpcode.WRITE -> {
                isWriteOpen = !last;
                writeStag = DdpHeader.stag(header, 0);
            }
            case RdmapOpcode.READ_RESPONSE -> {
                readReceived += payloadBytes;
                if (last) {
                    long number = outboundReads.oldestNumber();
                    outboundReads.removeOldest();
                    readReceived = 0;
                    read = null;
                    readCursor.stop();
                    ring.finish(number, sink);
                }
            }
            case RdmapOpcode.READ_REQUEST -> nextReadSequence++;
            case RdmapOpcode.TERMINATE -> {}
            default -> {
                received += payloadBytes;
                if (last) {
                    nextSendSequence++;
                    deliver(header, opcode);
                }
            }
        }
    }

    private void deliver(ByteBuffer header, int opcode) throws IwarpException {
        ReceiveRequest r = receive;
        if (r == null) {
            return;
        }
        boolean isInvalidating = RdmapOpcode.isInvalidating(opcode);
        int stag = isInvalidating ? DdpHeader.stag(header, 0) : 0;
        if (isInvalidating) {
            admission.invalidate(stag, revokedKeys);
        }
        receive = null;
        sendCursor.stop();
        ReceiveRing.finish(r);
        sink.receiveCompleted(r, CompletionStatus.SUCCESS, received, isInvalidating, stag, null);
    }

    /**
     * Gives a Receive that is under way back.
     *
     * @param detail why
     */
    void flush(@Nullable String detail) {
        ReceiveRequest r = receive;
        if (r == null) {
            return;
        }
        receive = null;
        CompletionStatus status = receiveStatus == null ? CompletionStatus.FLUSHED : receiveStatus;
        ReceiveRing.finish(r);
        sink.receiveCompleted(r, status, 0, false, 0, detail);
    }
}
