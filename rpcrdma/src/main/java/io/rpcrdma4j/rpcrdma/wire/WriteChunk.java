package io.rpcrdma4j.rpcrdma.wire;

import java.util.Objects;

/**
 * A counted array of segments into which the Responder writes: an entry of the Write list for one data item of the
 * reply, or the Reply chunk for the reply itself (RFC 8166 sections 3.4.6 and 4.3.3).
 *
 * <p>In a call the lengths say how much room there is; in a reply, how much was written.
 */
public final class WriteChunk extends Chunk {
    private final ChunkLists lists;
    private int first;
    private long resultLength;

    WriteChunk(ChunkLists lists) {
        this.lists = lists;
    }

    /**
     * The bytes of a result that will be, or have been, written into this chunk of a call; 0 while it is unused.
     * {@link HeaderEncoder#encodeWriteList} returns the chunk with these bytes spread over its segments.
     */
    public long resultLength() {
        return resultLength;
    }

    /**
     * Notes the length of the result that goes into this chunk, without XDR pad: a Responder never writes the pad (RFC
     * 8166 section 3.4.6.2). The chunk half of the counterpart of svc_rdma_result_payload(9).
     *
     * @param bytes length of the result
     * @return whether the chunk has room for it; if not, nothing is noted
     * @throws IllegalArgumentException if {@code bytes} is negative
     */
    public boolean recordResult(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("result length " + bytes + " is negative");
        }
        if (bytes > length()) {
            return false;
        }
        resultLength = bytes;
        return true;
    }

    /**
     * Whether this chunk of a reply is the given chunk of the call, handed back as RFC 8166 sections 4.3.2 and 4.3.3
     * demand: the same number of segments with the same handles and offsets, filled in order, none longer than offered.
     *
     * @param offered the chunk as it was sent in the call
     */
    public boolean returns(WriteChunk offered) {
        int count = segmentCount();
        if (count != offered.segmentCount()) {
            return false;
        }
        boolean full = true;
        for (int i = 0; i < count; i++) {
            long used = segmentLength(i);
            long room = offered.segmentLength(i);
            if (handle(i) != offered.handle(i) || offset(i) != offered.offset(i) || used > room) {
                return false;
            }
            if (used > 0 && !full) {
                return false;
            }
            full &= used == room;
        }
        return true;
    }

    void start(int firstSlot) {
        start();
        first = firstSlot;
        resultLength = 0;
    }

    @Override
    SegmentTable table() {
        return lists.writeSegments;
    }

    @Override
    int slot(int segment) {
        return first + Objects.checkIndex(segment, segmentCount());
    }

    @Override
    public String toString() {
        return "Write chunk of " + length() + " bytes in " + segmentCount() + " segments";
    }
}
