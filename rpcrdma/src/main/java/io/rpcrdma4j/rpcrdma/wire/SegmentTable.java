package io.rpcrdma4j.rpcrdma.wire;

import java.util.Arrays;

/** Segments in parallel arrays that grow and are kept, so that a reused table stops allocating. Confined. */
final class SegmentTable {
    private int[] handles = new int[16];
    private int[] lengths = new int[16];
    private long[] offsets = new long[16];
    private int count;

    int count() {
        return count;
    }

    int handle(int slot) {
        return handles[slot];
    }

    long length(int slot) {
        return lengths[slot] & WireWords.U32_MAX;
    }

    long offset(int slot) {
        return offsets[slot];
    }

    void clear() {
        count = 0;
    }

    void add(int handle, long length, long offset) {
        if (count == handles.length) {
            int capacity = count * 2;
            handles = Arrays.copyOf(handles, capacity);
            lengths = Arrays.copyOf(lengths, capacity);
            offsets = Arrays.copyOf(offsets, capacity);
        }
        handles[count] = handle;
        lengths[count] = (int) length;
        offsets[count] = offset;
        count++;
    }
}
