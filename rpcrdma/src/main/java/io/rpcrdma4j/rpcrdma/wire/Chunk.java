package io.rpcrdma4j.rpcrdma.wire;

/**
 * A run of segments of the peer's (or, in a call about to be sent, our own) exposed memory that together hold one piece
 * of an RPC message (RFC 8166 section 3.4).
 *
 * <p>A view into its {@link ChunkLists}: valid until that is cleared or parsed into again, and confined to the same
 * thread. Segment indices run from 0 in list order.
 */
public abstract sealed class Chunk permits ReadChunk, WriteChunk {
    private long length;
    private int segmentCount;

    Chunk() {}

    /** Number of segments; 0 is possible for a Write chunk (RFC 8166 section 3.4.6, empty chunk). */
    public final int segmentCount() {
        return segmentCount;
    }

    /** Sum of all segment lengths in bytes. */
    public final long length() {
        return length;
    }

    /** The handle (STag, R_key) of a segment: an opaque 32-bit pattern. */
    public final int handle(int segment) {
        return table().handle(slot(segment));
    }

    /** Bytes in a segment, unsigned 32-bit; 0 is legal. */
    public final long segmentLength(int segment) {
        return table().length(slot(segment));
    }

    /** Where a segment starts in the memory of its handle: an unsigned 64-bit pattern. */
    public final long offset(int segment) {
        return table().offset(slot(segment));
    }

    abstract SegmentTable table();

    /** Index in the table of the given segment. */
    abstract int slot(int segment);

    final void start() {
        length = 0;
        segmentCount = 0;
    }

    final void count(long segmentLength) {
        length += segmentLength;
        segmentCount++;
    }
}
