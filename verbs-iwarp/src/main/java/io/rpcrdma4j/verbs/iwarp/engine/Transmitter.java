package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import org.jspecify.annotations.Nullable;

/**
 * Cuts messages into FPDUs: those of the send queue, and the Responses to the peer's Reads.
 *
 * <h2>Operation</h2>
 *
 * Two lanes, served in turn, FPDU by FPDU where the protocol allows. Since siw takes no tagged message inside another,
 * a Write and a Read Response never mix; a Send or Read Request may pass between the segments of a Response. A lane
 * that can't go on says nothing; {@link #failure()} and {@link #violation()} say why one has stopped for good.
 *
 * <h2>Threading</h2>
 *
 * The stream's owner.
 */
final class Transmitter {

    /** A send-queue request that cannot be done. */
    record Failure(long number, CompletionStatus status, String detail) {}

    private final SendRing ring;
    private final ProtectionDomain domain;
    private final Stream stream;
    private final KeyTable keys;
    private final Admission admission;
    private final CompletionSink sink;
    private final OutboundReads outbound;
    private final InboundReads inbound;
    private final int taggedMax;
    private final int untaggedMax;
    private final SegmentCursor cursor = new SegmentCursor();

    private @Nullable SendRequest current;
    private long currentNumber;
    private long currentSent;
    private int nextSendSequence = 1;
    private int nextReadSequence = 1;
    private boolean isHeldBack;
    private boolean isResponsesTurn;
    private int nudges;
    private @Nullable Failure failure;
    private @Nullable IwarpException violation;

    Transmitter(
            SendRing ring,
            ProtectionDomain domain,
            Stream stream,
            KeyTable keys,
            Admission admission,
            CompletionSink sink,
            OutboundReads outbound,
            InboundReads inbound,
            StreamSettings settings) {
        this.ring = ring;
        this.domain = domain;
        this.stream = stream;
        this.keys = keys;
        this.admission = admission;
        this.sink = sink;
        this.outbound = outbound;
        this.inbound = inbound;
        // Multiples of 4, so that no FPDU but the last of a message needs a pad.
        this.taggedMax = settings.ulpduBytesMax() - (DdpHeader.TAGGED_BYTES - 2) & ~3;
        this.untaggedMax = settings.ulpduBytesMax() - (DdpHeader.UNTAGGED_BYTES - 2) & ~3;
        // RFC 5044 §7.1.2: the responder sends no FPDU before it has received and validated one.
        this.isHeldBack = !settings.isInitiator();
    }

    /** The peer's first FPDU is there: the responder may send. */
    void letGo() {
        isHeldBack = false;
    }

    /** Sends a zero-length Write at the next message boundary. */
    void nudge() {
        nudges++;
    }

    /** The request that stopped the send queue for good. */
    @Nullable
    Failure failure() {
        return failure;
    }

    /** The peer's Read that stopped the Responses for good. */
    @Nullable
    IwarpException violation() {
        return violation;
    }

    /** Whether {@link #fill} would find something; it may be wrong by saying yes. */
    boolean hasWork() {
        return !isHeldBack && (current != null || ring.hasUnstarted() || !inbound.isEmpty() || nudges > 0);
    }

    /** Frames as much as the batch takes. */
    void fill(TransmitBatch batch) {
        while (!isHeldBack && batch.hasRoom()) {
            boolean queueReady = failure == null && queueIsReady();
            boolean responseReady = violation == null && responseIsReady();
            if (queueReady && (!responseReady || !isResponsesTurn)) {
                sendFromQueue(batch);
                isResponsesTurn = true;
            } else if (responseReady) {
                sendResponse(batch);
                isResponsesTurn = false;
            } else if (nudges > 0 && current == null && !inbound.isStarted()) {
                nudges--;
                batch.beginTagged(RdmapOpcode.WRITE, true, 0, 0, 0);
                batch.end(-1);
            } else {
                return;
            }
        }
    }

    private boolean responseIsReady() {
        if (inbound.isEmpty()) {
            return false;
        }
        return inbound.isStarted() || !isWriteBegun();
    }

    /** Makes the next request current, if it may start now. */
    private boolean queueIsReady() {
        while (current == null && ring.hasUnstarted()) {
            SendRequest next = ring.next();
            if (next.isFenced() && outbound.count() > 0) {
                return false;
            }
            if (next.opcode() == Opcode.RDMA_READ && outbound.limit() > 0 && outbound.isFull()) {
                return false;
            }
            if (!start(next)) {
                return false;
            }
        }
        SendRequest request = current;
        return request != null && !(inbound.isStarted() && request.opcode() == Opcode.RDMA_WRITE && !isWriteBegun());
    }

    private boolean isWriteBegun() {
        SendRequest request = current;
        return request != null && request.opcode() == Opcode.RDMA_WRITE && currentSent > 0;
    }

    private boolean start(SendRequest request) {
        long number = ring.nextNumber();
        boolean isRead = request.opcode() == Opcode.RDMA_READ;
        int rights = isRead ? Access.LOCAL_WRITE | Access.REMOTE_WRITE : 0;
        String problem = request.isInlined() ? null : LocalAccess.problem(request, domain, rights);
        CompletionStatus status = CompletionStatus.LOCAL_PROTECTION_ERROR;
        if (problem == null && request.byteLength() > (isRead ? Integer.MAX_VALUE : 0xFFFF_FFFFL)) {
            problem = "a message of " + request.byteLength() + " bytes";
            status = CompletionStatus.LOCAL_LENGTH_ERROR;
        }
        if (problem == null && isRead && outbound.limit() == 0) {
            problem = "the peer serves no RDMA Reads on this connection";
            status = CompletionStatus.LOCAL_QP_OPERATION_ERROR;
        }
        if (problem == null && request.opcode() == Opcode.LOCAL_INVALIDATE) {
            problem = invalidateLocally(request.invalidateKey());
            if (problem == null) {
                ring.start();
                ring.finish(number, sink);
                return true;
            }
        }
        if (problem != null) {
            failure = new Failure(number, status, problem);
            return false;
        }
        ring.start();
        current = request;
        currentNumber = number;
        currentSent = 0;
        if (!request.isInlined()) {
            cursor.start(request);
        }
        return true;
    }

    private @Nullable String invalidateLocally(int stag) {
        RemoteKey key = keys.enter(stag);
        if (key != null) {
            boolean isOurs = key.isWindow() && key.stream() == stream;
            if (isOurs && key.revoke()) {
                keys.remove(key);
                stream.revokedKeys().add(stag);
            }
            key.exit();
            if (isOurs) {
                return null;
            }
        } else if (stream.revokedKeys().contains(stag)) {
            return null;
        }
        return "no window of this connection is bound under key " + Admission.hex(stag);
    }

    private void sendFromQueue(TransmitBatch batch) {
        SendRequest request = current;
        if (request == null) {
            return;
        }
        if (request.opcode() == Opcode.RDMA_READ) {
            sendReadRequest(request, batch);
            return;
        }
        boolean isTagged = request.opcode() == Opcode.RDMA_WRITE;
        long remaining = request.byteLength() - currentSent;
        int payload = (int) Math.min(remaining, isTagged ? taggedMax : untaggedMax);
        boolean last = payload == remaining;
        if (isTagged) {
            batch.beginTagged(
                    RdmapOpcode.WRITE, last, request.remoteKey(), request.remoteAddress() + currentSent, payload);
        } else {
            batch.beginUntagged(
                    sendOpcode(request),
                    last,
                    request.opcode() == Opcode.SEND_WITH_INVALIDATE ? request.invalidateKey() : 0,
                    DdpHeader.QUEUE_SEND,
                    nextSendSequence,
                    (int) currentSent,
                    payload);
        }
        addPayload(request, payload, batch);
        currentSent += payload;
        batch.end(last ? currentNumber : -1);
        if (last) {
            if (!isTagged) {
                nextSendSequence++;
            }
            endCurrent();
        }
    }

    private static int sendOpcode(SendRequest request) {
        return request.opcode() == Opcode.SEND
                ? request.isSolicited() ? RdmapOpcode.SEND_WITH_SOLICITED_EVENT : RdmapOpcode.SEND
                : request.isSolicited()
                        ? RdmapOpcode.SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE
                        : RdmapOpcode.SEND_WITH_INVALIDATE;
    }

    private void addPayload(SendRequest request, int bytes, TransmitBatch batch) {
        if (request.isInlined()) {
            batch.addCopy(ring.inlineBytes(), ring.inlineOffset(currentNumber) + (int) currentSent, bytes);
            return;
        }
        int left = bytes;
        while (left > 0) {
            int piece = Math.min(left, cursor.available());
            batch.add(cursor.memory(), cursor.offset(), piece);
            cursor.advance(piece);
            left -= piece;
        }
    }

    private void sendReadRequest(SendRequest request, TransmitBatch batch) {
        int sink = outbound.add(currentNumber);
        batch.beginUntagged(
                RdmapOpcode.READ_REQUEST,
                true,
                0,
                DdpHeader.QUEUE_READ_REQUEST,
                nextReadSequence++,
                0,
                ReadRequest.BYTES);
        ReadRequest.put(
                batch.arena(),
                batch.reserve(),
                sink,
                OutboundReads.sinkOffset(request),
                (int) request.byteLength(),
                request.remoteKey(),
                request.remoteAddress());
        batch.added(ReadRequest.BYTES);
        batch.end(-1);
        endCurrent();
    }

    private void endCurrent() {
        current = null;
        cursor.stop();
    }

    private void sendResponse(TransmitBatch batch) {
        long remaining = inbound.remaining();
        int payload = (int) Math.min(remaining, taggedMax);
        boolean last = payload == remaining;
        if (payload == 0) {
            // RFC 5040 §5.2.1: a zero-length Read is answered, and its source not looked at.
            batch.beginTagged(RdmapOpcode.READ_RESPONSE, true, inbound.sinkStag(), inbound.sinkOffset(), 0);
            batch.end(-1);
            inbound.advance(0, true);
            return;
        }
        RemoteKey key;
        try {
            key = admission.admitRead(inbound.sourceStag(), inbound.sourceOffset(), payload);
        } catch (IwarpException e) {
            violation = e;
            return;
        }
        batch.guard(key);
        batch.beginTagged(RdmapOpcode.READ_RESPONSE, last, inbound.sinkStag(), inbound.sinkOffset(), payload);
        batch.add(key.memory(), key.offset() + (inbound.sourceOffset() - key.address()), payload);
        batch.end(-1);
        inbound.advance(payload, last);
    }
}
