package io.rpcrdma4j.cli.decode;

import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.FpduCrc;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.MpaFrame;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import io.rpcrdma4j.verbs.iwarp.wire.Terminate;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection that may carry iWARP: MPA start-up (RFC 5044 section 7.1, RFC 6581), then FPDUs in each direction
 * (RFC 5044 section 4) with DDP segments (RFC 5041) of RDMAP messages (RFC 5040).
 *
 * <p>It is iWARP if its initiator's first bytes are an MPA Request; else all is ignored.
 *
 * <p><b>Threading:</b> confined.
 */
final class IwarpConnection {
    /** Bytes of one direction that may wait for the other side's MPA frame, or for the rest of an FPDU. */
    private static final int WAITING_BYTES_MAX = 4 << 20;

    private final Report report;
    private final Options options;
    private final MessageDecoder messages;
    private final Side initiator;
    private final Side responder;
    private boolean crc;

    /** Packet being decoded, for texts. */
    private long packetNumber;

    /**
     * What to do beside printing messages.
     *
     * @param check encode everything again and compare
     * @param verbose print MPA frames too
     */
    record Options(boolean check, boolean verbose) {}

    /** How far one direction has come. */
    private enum State {
        /** Nothing yet, or part of an MPA frame. */
        STARTING,
        /** Own MPA frame seen, the other's not. */
        STARTED,
        /** FPDUs. */
        FULL_OPERATION,
        /** Not iWARP, or not to be understood any more. */
        ENDED
    }

    /** @param flow the direction of whoever opened the connection */
    IwarpConnection(Flow flow, Report report, Options options) {
        this.report = report;
        this.options = options;
        this.messages = new MessageDecoder(report, options.check());
        initiator = new Side(flow, MpaFrame.Kind.REQUEST);
        responder = new Side(flow.reversed(), MpaFrame.Kind.REPLY);
    }

    /** Takes a segment of either direction. */
    void accept(long number, TcpSegment segment) {
        packetNumber = number;
        Side side = segment.flow().equals(initiator.flow) ? initiator : responder;
        side.accept(segment);
    }

    /** The capture ends, or another connection takes the same ports. */
    void finish() {
        initiator.finish();
        responder.finish();
    }

    /** The direction of whoever opened the connection. */
    Flow flow() {
        return initiator.flow;
    }

    /** Whether a SYN is the one that opened this connection, once more. */
    boolean isRetransmission(TcpSegment syn) {
        TcpDirection direction = initiator.tcp;
        return direction != null
                && syn.flow().equals(initiator.flow)
                && direction.firstSequence() == syn.sequence() + 1;
    }

    /** Whether a segment begins with an MPA Request: enough to follow a connection whose SYN is not in the capture. */
    static boolean startsMpa(TcpSegment segment) {
        if (segment.payload().remaining() < MpaFrame.HEADER_BYTES) {
            return false;
        }
        try {
            MpaFrame.parse(MpaFrame.Kind.REQUEST, segment.payload().duplicate());
            return true;
        } catch (IwarpException e) {
            return false;
        }
    }

    private Side other(Side side) {
        return side == initiator ? responder : initiator;
    }

    /** One direction: what one side sends. */
    private final class Side {
        final Flow flow;
        final MpaFrame.Kind kind;
        final RpcCalls calls = new RpcCalls(report);
        final SendAssembler sends = new SendAssembler();
        private State state = State.STARTING;
        private @Nullable TcpDirection tcp;
        private @Nullable MpaFrame frame;

        /** Received, not decoded: from its position to its limit. */
        private ByteBuffer pending = ByteBuffer.allocate(0);

        Side(Flow flow, MpaFrame.Kind kind) {
            this.flow = flow;
            this.kind = kind;
        }

        void accept(TcpSegment segment) {
            boolean isFirst = segment.has(TcpSegment.SYN);
            int sequence = segment.sequence() + (isFirst ? 1 : 0);
            TcpDirection direction = tcp;
            if (direction == null) {
                if (!isFirst && segment.payload().remaining() == 0) {
                    return;
                }
                direction = new TcpDirection(sequence, this::onBytes);
                tcp = direction;
            }
            if (state != State.ENDED) {
                direction.accept(sequence, segment.payload(), segment.missing());
            }
        }

        void finish() {
            TcpDirection direction = tcp;
            if (initiator.frame == null || direction == null || state == State.ENDED) {
                return;
            }
            if (direction.hasGap()) {
                report.trouble(flow + ": bytes are missing in the capture after stream offset " + direction.position());
            } else if (state == State.STARTED) {
                report.note(flow + ": the capture ends before the answer to this " + kind);
            } else if (pending.hasRemaining()) {
                report.note(flow + ": the capture ends inside an FPDU, after " + pending.remaining() + " bytes of it");
            }
        }

        private void onBytes(ByteBuffer bytes) {
            append(bytes);
            if (state == State.STARTING) {
                start();
            }
            if (state == State.FULL_OPERATION) {
                takeFpdus();
            }
        }

        private void append(ByteBuffer bytes) {
            int need = pending.remaining() + bytes.remaining();
            if (need > WAITING_BYTES_MAX) {
                end("more than " + WAITING_BYTES_MAX + " bytes before the MPA frames of both sides");
                return;
            }
            if (need > pending.capacity()) {
                pending = ByteBuffer.allocate(2 * need).put(pending).flip();
            } else if (pending.capacity() - pending.limit() < bytes.remaining()) {
                pending.compact().flip();
            }
            int position = pending.position();
            int end = pending.limit();
            pending.limit(end + bytes.remaining()).position(end);
            pending.put(bytes).position(position);
        }

        private void start() {
            ByteBuffer raw = pending.duplicate();
            MpaFrame parsed;
            try {
                parsed = MpaFrame.parse(kind, pending);
            } catch (IwarpException e) {
                // A connection that does not begin with an MPA Request is somebody else's.
                end(initiator.frame == null ? null : e.getMessage());
                other(this).end(null);
                return;
            }
            if (parsed == null) {
                return;
            }
            frame = parsed;
            state = State.STARTED;
            if (kind == MpaFrame.Kind.REQUEST) {
                report.countConnection();
            }
            if (options.verbose()) {
                report.line(where() + " " + parsed);
            }
            if (options.check()) {
                report.countCheckedFrame();
                ByteBuffer again = ByteBuffer.allocate(parsed.encodedLength());
                parsed.writeTo(again);
                compare("MPA frame", again.flip(), raw);
            }
            other(this).startIfBothDid(this);
        }

        /** Both frames are there: the other side's may have come later in the capture than its first FPDUs. */
        private void startIfBothDid(Side other) {
            MpaFrame mine = frame;
            MpaFrame theirs = other.frame;
            if (mine == null || theirs == null) {
                return;
            }
            MpaFrame reply = kind == MpaFrame.Kind.REPLY ? mine : theirs;
            if (reply.rejected()) {
                report.note(where() + ": the MPA Reply rejects the connection");
                end(null);
                other.end(null);
                return;
            }
            if (mine.markers() || theirs.markers()) {
                end("MPA markers are not supported");
                other.end(null);
                return;
            }
            crc = mine.crc() || theirs.crc();
            state = State.FULL_OPERATION;
            other.state = State.FULL_OPERATION;
            takeFpdus();
        }

        private void takeFpdus() {
            while (state == State.FULL_OPERATION && pending.remaining() >= Fpdu.LENGTH_BYTES) {
                int total = Fpdu.totalBytes(Fpdu.ulpduLength(pending, pending.position()));
                if (pending.remaining() < total) {
                    return;
                }
                ByteBuffer raw = pending.slice(pending.position(), total);
                pending.position(pending.position() + total);
                takeFpdu(raw);
            }
        }

        private void takeFpdu(ByteBuffer raw) {
            Fpdu fpdu;
            try {
                fpdu = Fpdu.parse(raw.duplicate());
            } catch (IwarpException e) {
                end(e.getMessage());
                return;
            }
            if (fpdu == null) {
                throw new AssertionError("an FPDU of " + raw.remaining() + " bytes is complete");
            }
            report.countFpdu(fpdu.header().opcode(), fpdu.header().last());
            if (crc && fpdu.crc() != FpduCrc.of(raw.duplicate().limit(raw.limit() - Fpdu.CRC_BYTES))) {
                report.trouble(where() + ": FPDU with a wrong CRC");
            }
            if (options.check()) {
                checkFpdu(fpdu, raw);
            }
            switch (fpdu.header()) {
                case DdpHeader.Tagged tagged -> takeTagged(tagged, fpdu.payload());
                case DdpHeader.Untagged untagged -> takeUntagged(untagged, fpdu.payload());
            }
        }

        private void takeTagged(DdpHeader.Tagged header, ByteBuffer payload) {
            if (header.opcode() == RdmapOpcode.READ_RESPONSE && !calls.onReadResponse(payload, header.last())) {
                report.trouble(where() + ": RDMA Read Response that nobody asked for");
            }
        }

        private void takeUntagged(DdpHeader.Untagged header, ByteBuffer payload) {
            switch (header.opcode()) {
                case RdmapOpcode.READ_REQUEST -> takeReadRequest(payload);
                case RdmapOpcode.TERMINATE -> report.note(where() + ": Terminate, " + terminateText(payload));
                default -> takeSend(header, payload);
            }
        }

        private void takeReadRequest(ByteBuffer payload) {
            try {
                ReadRequest request = ReadRequest.parse(payload.duplicate());
                other(this).calls.onReadRequest(request.sourceStag(), request.sourceOffset());
            } catch (IwarpException e) {
                report.trouble(where() + ": " + e.getMessage());
            }
        }

        private void takeSend(DdpHeader.Untagged header, ByteBuffer payload) {
            ByteBuffer message = sends.accept(header, payload);
            String fault = sends.fault();
            if (fault != null) {
                report.trouble(where() + ": " + fault);
            } else if (message != null && message.hasRemaining()) {
                String invalidated = RdmapOpcode.isInvalidating(header.opcode())
                        ? String.format(" invalidates=0x%08x", header.invalidateStag())
                        : "";
                messages.decode(where(), message, invalidated, calls, other(this).calls);
            }
        }

        /** Encodes an FPDU from its fields, the body of a Read Request included, and compares. */
        private void checkFpdu(Fpdu fpdu, ByteBuffer raw) {
            report.countCheckedFpdu();
            ByteBuffer body = fpdu.payload();
            if (fpdu.header().opcode() == RdmapOpcode.READ_REQUEST && body.remaining() == ReadRequest.BYTES) {
                body = ByteBuffer.allocate(ReadRequest.BYTES);
                try {
                    ReadRequest.parse(fpdu.payload().duplicate()).writeTo(body);
                } catch (IwarpException e) {
                    throw new AssertionError("a body of 28 bytes has no other fault", e);
                }
                body.flip();
            }
            Fpdu rebuilt = new Fpdu(fpdu.header(), body, fpdu.crc());
            ByteBuffer again = ByteBuffer.allocate(rebuilt.encodedLength());
            (crc ? rebuilt.withCrc() : rebuilt).writeTo(again);
            compare("FPDU", again.flip(), raw);
        }

        private void compare(String what, ByteBuffer again, ByteBuffer raw) {
            int at = again.mismatch(raw.duplicate().limit(raw.position() + again.remaining()));
            if (at >= 0) {
                report.difference(String.format(
                        "%s: %s differs at byte %d when encoded again: %02x in the capture, %02x encoded",
                        where(), what, at, raw.get(raw.position() + at), again.get(at)));
            }
        }

        private void end(@Nullable String trouble) {
            state = State.ENDED;
            pending = ByteBuffer.allocate(0);
            if (trouble != null) {
                report.trouble(where() + ": " + trouble);
            }
        }

        private String where() {
            return packetNumber + " " + flow;
        }
    }

    private static String terminateText(ByteBuffer payload) {
        return Terminate.parse(payload.duplicate()).text();
    }
}
