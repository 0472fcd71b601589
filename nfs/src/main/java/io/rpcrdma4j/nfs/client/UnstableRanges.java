package io.rpcrdma4j.nfs.client;

import java.util.ArrayList;
import java.util.List;

/**
 * What was written UNSTABLE and not committed, and under which write verifier. Neighbours with the same verifier are
 * joined, so that the list is as long as the server restarted often.
 */
final class UnstableRanges {
    private final List<Range> list = new ArrayList<>();
    private long bytes;

    /**
     * A part of a file.
     *
     * @param offset its first byte
     * @param end behind its last byte
     * @param verifier the write verifier under which it was written
     */
    record Range(long offset, long end, long verifier) {}

    /** Notes a range. */
    void add(long offset, long length, long verifier) {
        bytes += length;
        if (!list.isEmpty()) {
            Range last = list.getLast();
            if (last.end == offset && last.verifier == verifier) {
                list.set(list.size() - 1, new Range(last.offset, offset + length, verifier));
                return;
            }
        }
        list.add(new Range(offset, offset + length, verifier));
    }

    boolean isEmpty() {
        return list.isEmpty();
    }

    /** Sum of the lengths. */
    long bytes() {
        return bytes;
    }

    /** Forgets all, and returns those that a COMMIT with this verifier did not make stable. */
    List<Range> takeLost(long verifier) {
        List<Range> lost =
                list.stream().filter(range -> range.verifier != verifier).toList();
        list.clear();
        bytes = 0;
        return lost;
    }
}
