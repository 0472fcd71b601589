package io.rpcrdma4j.cli.decode;

import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Joins the segments of Sends (RFC 5041 section 5.2, queue 0 of one direction) and checks that sequence numbers and
 * offsets have no gap.
 *
 * <p>A message of more than {@link #MESSAGE_BYTES_MAX} bytes is given up.
 *
 * <p><b>Threading:</b> confined.
 */
final class SendAssembler {
    /** Longest message joined: four times the largest inline threshold there is. */
    static final int MESSAGE_BYTES_MAX = 1 << 20;

    private byte[] message = new byte[4096];
    private int length;
    private int nextSequence = 1;
    private @Nullable String fault;

    /**
     * Takes a segment.
     *
     * @return the whole message if this was its last segment, valid until the next call; null if there is more to come
     *     or {@link #fault()} says what is wrong
     */
    @Nullable
    ByteBuffer accept(DdpHeader.Untagged header, ByteBuffer payload) {
        fault = null;
        if (header.queueNumber() != DdpHeader.QUEUE_SEND) {
            return fail("Send on queue " + Integer.toUnsignedString(header.queueNumber()));
        }
        if (header.messageSequenceNumber() != nextSequence) {
            String text = "Send with message sequence number "
                    + Integer.toUnsignedString(header.messageSequenceNumber()) + ", expected "
                    + Integer.toUnsignedString(nextSequence);
            nextSequence = header.messageSequenceNumber() + (header.last() ? 1 : 0);
            length = 0;
            return fail(text);
        }
        if (header.messageOffset() != length) {
            String text = "Send segment at message offset " + Integer.toUnsignedString(header.messageOffset())
                    + ", expected " + length;
            nextSequence += header.last() ? 1 : 0;
            length = 0;
            return fail(text);
        }
        int total = length + payload.remaining();
        if (total > MESSAGE_BYTES_MAX) {
            return fail("Send of more than " + MESSAGE_BYTES_MAX + " bytes");
        }
        if (total > message.length) {
            message = Arrays.copyOf(message, Math.max(total, 2 * message.length));
        }
        payload.get(payload.position(), message, length, payload.remaining());
        length = total;
        if (!header.last()) {
            return null;
        }
        ByteBuffer whole = ByteBuffer.wrap(message, 0, length);
        length = 0;
        nextSequence++;
        return whole;
    }

    /** What is wrong with the segment accepted last; null if nothing is. */
    @Nullable
    String fault() {
        return fault;
    }

    private @Nullable ByteBuffer fail(String text) {
        fault = text;
        return null;
    }
}
