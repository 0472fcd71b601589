package io.rpcrdma4j.rpcrdma.wire;

import java.util.Objects;

/**
 * The segments of a call's Read list that share one position: one data item that the Responder pulls by RDMA Read, or,
 * at position 0, the whole RPC call (RFC 8166 sections 3.4.5 and 3.5.3).
 *
 * <p>{@link #length()} may be the item's length n or n plus its XDR pad; both are legal (RFC 8166 section 3.4.5.2).
 * Segments of length 0 are legal and need no RDMA Read.
 */
public final class ReadChunk extends Chunk {
    private final ChunkLists lists;
    private long position;
    private long reducedOffset;
    private int first;

    ReadChunk(ChunkLists lists) {
        this.lists = lists;
    }

    /**
     * Where the item's first byte belongs in the unreduced RPC message: unsigned 32-bit, a multiple of 4, counted as if
     * all earlier items and their pads were still in place.
     */
    public long position() {
        return position;
    }

    /**
     * Where the item's first byte belongs in the reduced message, that is in the inline bytes (or in the position-zero
     * chunk) as they arrived: the length word of the opaque item ends here. Known after
     * {@link TransportHeader#parseCall} accepted the header, and then not beyond the end of the reduced message; 0 for
     * the position-zero chunk.
     */
    public long reducedOffset() {
        return reducedOffset;
    }

    void start(long chunkPosition, int firstOrdered) {
        start();
        position = chunkPosition;
        first = firstOrdered;
        reducedOffset = 0;
    }

    void reducedOffset(long offset) {
        reducedOffset = offset;
    }

    @Override
    SegmentTable table() {
        return lists.readSegments;
    }

    @Override
    int slot(int segment) {
        return lists.readOrder[first + Objects.checkIndex(segment, segmentCount())];
    }

    @Override
    public String toString() {
        return "Read chunk at " + position + " of " + length() + " bytes in " + segmentCount() + " segments";
    }
}
