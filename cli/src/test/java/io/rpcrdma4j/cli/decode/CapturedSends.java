package io.rpcrdma4j.cli.decode;

import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.MpaFrame;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The messages of all Sends in a capture of one connection, in order. */
final class CapturedSends {
    private final List<Message> messages = new ArrayList<>();
    private final Map<Flow, Side> sides = new HashMap<>();

    /**
     * One Send.
     *
     * @param fromClient who sent it
     * @param bytes its payload
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Message(boolean fromClient, byte[] bytes) {}

    private final class Side {
        final boolean isClient;
        final SendAssembler sends = new SendAssembler();
        final TcpDirection tcp;
        ByteBuffer pending = ByteBuffer.allocate(0);
        boolean started;

        Side(boolean isClient, int firstSequence) {
            this.isClient = isClient;
            tcp = new TcpDirection(firstSequence, this::onBytes);
        }

        private void onBytes(ByteBuffer bytes) {
            ByteBuffer more = ByteBuffer.allocate(pending.remaining() + bytes.remaining());
            pending = more.put(pending).put(bytes).flip();
            try {
                if (!started) {
                    MpaFrame.Kind kind = isClient ? MpaFrame.Kind.REQUEST : MpaFrame.Kind.REPLY;
                    started = MpaFrame.parse(kind, pending) != null;
                }
                for (Fpdu fpdu = next(); fpdu != null; fpdu = next()) {
                    if (fpdu.header() instanceof DdpHeader.Untagged header && RdmapOpcode.isSend(header.opcode())) {
                        ByteBuffer message = sends.accept(header, fpdu.payload());
                        if (message != null) {
                            byte[] copy = new byte[message.remaining()];
                            message.get(copy);
                            messages.add(new Message(isClient, copy));
                        }
                    }
                }
            } catch (IwarpException e) {
                throw new IllegalStateException(e);
            }
        }

        private @Nullable Fpdu next() throws IwarpException {
            return started ? Fpdu.parse(pending) : null;
        }
    }

    private CapturedSends() {}

    static List<Message> of(byte[] capture) throws IOException, CaptureException {
        CapturedSends sends = new CapturedSends();
        try (CaptureReader reader = CaptureReader.open(new ByteArrayInputStream(capture))) {
            for (Packet packet = reader.next(); packet != null; packet = reader.next()) {
                TcpSegment segment = TcpSegment.of(packet);
                if (segment != null) {
                    sends.accept(segment);
                }
            }
        }
        return sends.messages;
    }

    private void accept(TcpSegment segment) {
        boolean isSyn = segment.has(TcpSegment.SYN);
        int sequence = segment.sequence() + (isSyn ? 1 : 0);
        if (isSyn) {
            sides.put(segment.flow(), new Side(!segment.has(TcpSegment.ACK), sequence));
        }
        Side side = sides.get(segment.flow());
        if (side != null) {
            side.tcp.accept(sequence, segment.payload(), segment.missing());
        }
    }
}
