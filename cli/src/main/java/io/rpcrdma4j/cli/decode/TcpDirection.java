package io.rpcrdma4j.cli.decode;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Puts the segments of one direction of a TCP connection in order (RFC 9293 section 3.4): each byte of the stream is
 * handed on once, whatever was retransmitted, overlapped or captured out of order.
 *
 * <p>Where a byte is missing for good, the stream ends. At most {@link #WAITING_BYTES_MAX} bytes wait for one.
 *
 * <p><b>Threading:</b> confined.
 */
final class TcpDirection {
    /** Bytes that may wait for a missing one before it counts as lost. */
    static final int WAITING_BYTES_MAX = 16 << 20;

    private final Consumer<ByteBuffer> sink;

    /** Sequence number of the first byte of the stream. */
    private final int firstSequence;

    /** Offset in the stream of the next byte to hand on. */
    private long next;

    /** Segments behind a gap by their offset in the stream; each starts behind {@link #next}. */
    private final TreeMap<Long, byte[]> waiting = new TreeMap<>();

    private long waitingBytes;
    private boolean lost;

    /**
     * @param firstSequence sequence number of the first byte
     * @param sink takes the bytes in order; borrows the buffer until it returns
     */
    TcpDirection(int firstSequence, Consumer<ByteBuffer> sink) {
        this.firstSequence = firstSequence;
        this.sink = sink;
    }

    /** Takes the bytes of a segment; {@code sequence} is that of the first of them. */
    void accept(int sequence, ByteBuffer payload, int missing) {
        if (lost || (payload.remaining() == 0 && missing == 0)) {
            return;
        }
        // The distance of two sequence numbers is signed: that is how TCP tells old from new across the wrap.
        long at = next + (sequence - (firstSequence + (int) next));
        if (at > next) {
            hold(at, payload);
            return;
        }
        hand(at, payload);
        while (!waiting.isEmpty() && waiting.firstKey() <= next) {
            Map.Entry<Long, byte[]> first = waiting.pollFirstEntry();
            waitingBytes -= first.getValue().length;
            hand(first.getKey(), ByteBuffer.wrap(first.getValue()));
        }
        if (missing > 0 && at + payload.limit() + missing > next) {
            lost = true;
        }
    }

    /** Whether bytes of this direction are missing, as known so far. */
    boolean hasGap() {
        return lost || !waiting.isEmpty();
    }

    int firstSequence() {
        return firstSequence;
    }

    /** Bytes handed on. */
    long position() {
        return next;
    }

    private void hand(long at, ByteBuffer payload) {
        long old = next - at;
        if (old < payload.remaining()) {
            payload.position(payload.position() + (int) old);
            next += payload.remaining();
            sink.accept(payload);
        }
    }

    private void hold(long at, ByteBuffer payload) {
        byte[] known = waiting.get(at);
        if (known != null && known.length >= payload.remaining()) {
            return;
        }
        byte[] copy = new byte[payload.remaining()];
        payload.get(copy);
        waiting.put(at, copy);
        waitingBytes += copy.length - (known == null ? 0 : known.length);
        if (waitingBytes > WAITING_BYTES_MAX) {
            lost = true;
            waiting.clear();
        }
    }
}
