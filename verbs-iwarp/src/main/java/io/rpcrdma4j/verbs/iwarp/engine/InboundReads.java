package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import java.nio.ByteBuffer;

/**
 * RDMA Reads of the peer that are still to be answered, oldest first (the IRQ). <b>Threading:</b> the stream's owner.
 */
final class InboundReads {

    private final int limit;
    private final int[] sinkStags;
    private final long[] sinkOffsets;
    private final long[] lengths;
    private final int[] sourceStags;
    private final long[] sourceOffsets;
    private final int[] sequences;
    private int head;
    private int count;
    private long sent;

    /** @param limit Reads at a time (IRD) */
    InboundReads(int limit) {
        this.limit = limit;
        int slots = Math.max(1, limit);
        sinkStags = new int[slots];
        sinkOffsets = new long[slots];
        lengths = new long[slots];
        sourceStags = new int[slots];
        sourceOffsets = new long[slots];
        sequences = new int[slots];
    }

    int limit() {
        return limit;
    }

    boolean isFull() {
        return count >= limit;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Adds the Read Request whose body is at {@code at}. */
    void add(ByteBuffer buffer, int at, int messageSequenceNumber) {
        int slot = (head + count) % sinkStags.length;
        sinkStags[slot] = ReadRequest.sinkStag(buffer, at);
        sinkOffsets[slot] = ReadRequest.sinkOffset(buffer, at);
        lengths[slot] = ReadRequest.length(buffer, at);
        sourceStags[slot] = ReadRequest.sourceStag(buffer, at);
        sourceOffsets[slot] = ReadRequest.sourceOffset(buffer, at);
        sequences[slot] = messageSequenceNumber;
        count++;
    }

    /** Whether part of the oldest one's Response has been sent. */
    boolean isStarted() {
        return sent > 0;
    }

    /** Bytes of the oldest one's Response that are still to be sent. */
    long remaining() {
        return lengths[head] - sent;
    }

    /** Where the next byte goes: STag. */
    int sinkStag() {
        return sinkStags[head];
    }

    /** Where the next byte goes: tagged offset. */
    long sinkOffset() {
        return sinkOffsets[head] + sent;
    }

    /** Where the next byte is: STag. */
    int sourceStag() {
        return sourceStags[head];
    }

    /** Where the next byte is: tagged offset. */
    long sourceOffset() {
        return sourceOffsets[head] + sent;
    }

    /** The oldest request's sequence number. */
    int messageSequenceNumber() {
        return sequences[head];
    }

    /** What is left of the oldest request, as a body. */
    byte[] rest() {
        ByteBuffer body = ByteBuffer.allocate(ReadRequest.BYTES);
        ReadRequest.put(body, 0, sinkStag(), sinkOffset(), (int) remaining(), sourceStag(), sourceOffset());
        return body.array();
    }

    /** {@code bytes} of the oldest one's Response are framed; the last ones if {@code last}. */
    void advance(int bytes, boolean last) {
        sent += bytes;
        if (last) {
            head = (head + 1) % sinkStags.length;
            count--;
            sent = 0;
        }
    }

    void clear() {
        count = 0;
        sent = 0;
    }
}
