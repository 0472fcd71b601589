package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.SendRequest;

/**
 * RDMA Reads of ours whose Response is due, oldest first (the ORQ). Their sinks have STags of their own, with bit 31
 * set, which are in no {@link KeyTable}: a peer's Write to one is refused, and only the matching Response is let in.
 *
 * <p><b>Threading:</b> the stream's owner.
 */
final class OutboundReads {

    private static final int SINK_FLAG = 0x8000_0000;

    private final int limit;
    private final long[] numbers;
    private final int[] stags;
    private int head;
    private int count;
    private int serial;

    /** @param limit Reads in flight at a time (ORD) */
    OutboundReads(int limit) {
        this.limit = limit;
        numbers = new long[limit];
        stags = new int[limit];
    }

    int limit() {
        return limit;
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count == limit;
    }

    /**
     * Adds a Read.
     *
     * @param number of the request in the send queue
     * @return the STag of its sink
     */
    int add(long number) {
        int at = (head + count) % limit;
        numbers[at] = number;
        stags[at] = SINK_FLAG | (serial++ << 8 & 0x7FFF_FF00) | 0x5A;
        count++;
        return stags[at];
    }

    /** Number of the oldest Read's request; there must be one. */
    long oldestNumber() {
        return numbers[head];
    }

    /** STag of the oldest Read's sink; there must be one. */
    int oldestStag() {
        return stags[head];
    }

    /** The oldest Read is done. */
    void removeOldest() {
        head = (head + 1) % limit;
        count--;
    }

    /** The number of the request whose sink has this STag, or -1. */
    long numberOf(int stag) {
        for (int i = 0; i < count; i++) {
            int at = (head + i) % limit;
            if (stags[at] == stag) {
                return numbers[at];
            }
        }
        return -1;
    }

    /** The tagged offset of a Read's sink. */
    static long sinkOffset(SendRequest request) {
        return request.segmentCount() == 0 ? 0 : request.offset(0);
    }
}
