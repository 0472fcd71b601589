package io.rpcrdma4j.rpcrdma.wire;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The Read list, Write list and Reply chunk of one transport header (RFC 8166 section 4.3).
 *
 * <h2>Operation</h2>
 *
 * <p>{@link TransportHeader} fills one while parsing. A Requester fills its own before a call: {@link #clear}, then
 * {@link #addReadSegment} for each entry of the Read list, {@link #startWriteChunk} and {@link #addWriteSegment} for
 * the Write list, {@link #startReplyChunk} and {@link #addWriteSegment} for the Reply chunk; then {@link HeaderEncoder}
 * writes it, and it stays to be compared with the reply ({@link WriteChunk#returns}).
 *
 * <p>The Read list is flat on the wire and may interleave chunks in any order. It is kept both ways: as segments in
 * wire order ({@link #readSegmentCount} and its neighbours), and grouped into chunks that are sorted by position
 * ({@link #readChunk}, {@link #callChunk}), with the segments of a chunk in wire order.
 *
 * <h2>Buffer ownership</h2>
 *
 * <p>Holds no buffers. Arrays and chunk views are kept for the next use, so that a reused object stops allocating.
 *
 * <h2>Threading</h2>
 *
 * <p>Confined to one thread at a time, like the context that owns it.
 *
 * <h2>Errors</h2>
 *
 * <p>Building with values that do not fit the wire is {@link IllegalArgumentException}.
 */
public final class ChunkLists {
    final SegmentTable readSegments = new SegmentTable();
    final SegmentTable writeSegments = new SegmentTable();

    /** Slots of {@link #readSegments}, sorted by position, equal positions in wire order; valid when grouped. */
    int[] readOrder = new int[16];

    private int[] positions = new int[16];
    private boolean grouped = true;

    private ReadChunk[] readChunks = new ReadChunk[0];
    private int readChunkCount;
    private final ReadChunk callChunk = new ReadChunk(this);
    private boolean callChunkPresent;

    private WriteChunk[] writeChunks = new WriteChunk[0];
    private int writeChunkCount;
    private final WriteChunk replyChunk = new WriteChunk(this);
    private boolean replyChunkOnWire;

    private int firstHandle;
    private int distinctHandles;

    /** Three absent lists. */
    public ChunkLists() {}

    /** Makes all three lists absent; views handed out before are no longer valid. */
    public void clear() {
        readSegments.clear();
        writeSegments.clear();
        grouped = true;
        readChunkCount = 0;
        callChunkPresent = false;
        writeChunkCount = 0;
        replyChunkOnWire = false;
        distinctHandles = 0;
    }

    /** Whether all three lists are absent, as in every reverse-direction message that Linux sends. */
    public boolean isEmpty() {
        return readSegments.count() == 0 && writeChunkCount == 0 && !replyChunkOnWire;
    }

    /**
     * Appends an entry to the Read list.
     *
     * @param position byte offset in the unreduced RPC message, unsigned 32-bit, a multiple of 4; 0 for the call itself
     * @param handle STag or R_key, a 32-bit pattern
     * @param length bytes, unsigned 32-bit
     * @param offset unsigned 64-bit pattern
     * @throws IllegalArgumentException if position or length do not fit
     */
    public void addReadSegment(long position, int handle, long length, long offset) {
        WireWords.requireU32(position, "position");
        if ((position & 3) != 0) {
            throw new IllegalArgumentException("position " + position + " is not a multiple of 4");
        }
        WireWords.requireU32(length, "segment length");
        appendRead(position, handle, length, offset);
    }

    /** Appends an empty Write chunk to the Write list; {@link #addWriteSegment} then adds to it. */
    public void startWriteChunk() {
        if (replyChunkOnWire) {
            throw new IllegalStateException("the Write list precedes the Reply chunk");
        }
        appendWriteChunk();
    }

    /** Adds an empty Reply chunk; {@link #addWriteSegment} then adds to it. */
    public void startReplyChunk() {
        if (replyChunkOnWire) {
            throw new IllegalStateException("a header has one Reply chunk at most");
        }
        appendReplyChunk();
    }

    /**
     * Appends a segment to the Reply chunk if that was started, else to the Write chunk started last.
     *
     * @param handle STag or R_key, a 32-bit pattern
     * @param length bytes, unsigned 32-bit
     * @param offset unsigned 64-bit pattern
     * @throws IllegalArgumentException if the length does not fit
     * @throws IllegalStateException if no chunk was started
     */
    public void addWriteSegment(int handle, long length, long offset) {
        WireWords.requireU32(length, "segment length");
        if (!replyChunkOnWire && writeChunkCount == 0) {
            throw new IllegalStateException("no Write chunk or Reply chunk was started");
        }
        appendWriteSegment(handle, length, offset);
    }

    /** Entries of the Read list as they stand on the wire, the position-zero ones included. */
    public int readSegmentCount() {
        return readSegments.count();
    }

    /** Position of an entry of the Read list, by wire order. */
    public long readSegmentPosition(int index) {
        return positions[Objects.checkIndex(index, readSegments.count())] & WireWords.U32_MAX;
    }

    /** Handle of an entry of the Read list, by wire order. */
    public int readSegmentHandle(int index) {
        return readSegments.handle(Objects.checkIndex(index, readSegments.count()));
    }

    /** Length of an entry of the Read list, by wire order. */
    public long readSegmentLength(int index) {
        return readSegments.length(Objects.checkIndex(index, readSegments.count()));
    }

    /** Offset of an entry of the Read list, by wire order. */
    public long readSegmentOffset(int index) {
        return readSegments.offset(Objects.checkIndex(index, readSegments.count()));
    }

    /** Number of Read chunks at positions other than 0. */
    public int readChunkCount() {
        group();
        return readChunkCount;
    }

    /** The Read chunks at positions other than 0, by ascending position. */
    public ReadChunk readChunk(int index) {
        group();
        return readChunks[Objects.checkIndex(index, readChunkCount)];
    }

    /** The position-zero Read chunk, which holds the RPC call itself; null if there is none, or one without bytes. */
    public @Nullable ReadChunk callChunk() {
        group();
        return callChunkPresent && callChunk.length() > 0 ? callChunk : null;
    }

    /** Number of chunks in the Write list, empty ones included. */
    public int writeChunkCount() {
        return writeChunkCount;
    }

    /** A chunk of the Write list, in list order; it may have no segment. */
    public WriteChunk writeChunk(int index) {
        return writeChunks[Objects.checkIndex(index, writeChunkCount)];
    }

    /** The Reply chunk; null if there is none, or one without segments, which counts as none. */
    public @Nullable WriteChunk replyChunk() {
        return replyChunkOnWire && replyChunk.segmentCount() > 0 ? replyChunk : null;
    }

    /** Whether a Reply chunk without segments stood on the wire: no different from an absent one but for its bytes. */
    public boolean hasEmptyReplyChunk() {
        return replyChunkOnWire && replyChunk.segmentCount() == 0;
    }

    /**
     * Whether exactly one distinct handle occurs in all three lists: the condition for remote invalidation with
     * {@link #soleHandle()}, so that the Requester need not guess which of several was invalidated (RFC 8797 section
     * 4.1 allows one per Send).
     */
    public boolean hasSoleHandle() {
        return distinctHandles == 1;
    }

    /**
     * The only handle in all three lists.
     *
     * @throws IllegalStateException if there is none, or more than one
     */
    public int soleHandle() {
        if (distinctHandles != 1) {
            throw new IllegalStateException("the lists do not have exactly one handle");
        }
        return firstHandle;
    }

    void appendRead(long position, int handle, long length, long offset) {
        int slot = readSegments.count();
        if (slot == positions.length) {
            positions = Arrays.copyOf(positions, slot * 2);
            readOrder = Arrays.copyOf(readOrder, slot * 2);
        }
        positions[slot] = (int) position;
        readSegments.add(handle, length, offset);
        grouped = false;
        noteHandle(handle);
    }

    void appendWriteChunk() {
        if (writeChunkCount == writeChunks.length) {
            writeChunks = Arrays.copyOf(writeChunks, Math.max(4, writeChunkCount * 2));
            for (int i = writeChunkCount; i < writeChunks.length; i++) {
                writeChunks[i] = new WriteChunk(this);
            }
        }
        writeChunks[writeChunkCount++].start(writeSegments.count());
    }

    void appendReplyChunk() {
        replyChunk.start(writeSegments.count());
        replyChunkOnWire = true;
    }

    void appendWriteSegment(int handle, long length, long offset) {
        writeSegments.add(handle, length, offset);
        WriteChunk chunk = replyChunkOnWire ? replyChunk : writeChunks[writeChunkCount - 1];
        chunk.count(length);
        noteHandle(handle);
    }

    private void noteHandle(int handle) {
        if (distinctHandles == 0) {
            firstHandle = handle;
            distinctHandles = 1;
        } else if (handle != firstHandle) {
            distinctHandles = 2;
        }
    }

    /** Sorts the Read list by position and cuts it into chunks; the counterpart of the kernel's parsed chunk lists. */
    private void group() {
        if (grouped) {
            return;
        }
        sortByPosition();
        int count = readSegments.count();
        readChunkCount = 0;
        callChunkPresent = false;
        ReadChunk chunk = null;
        for (int i = 0; i < count; i++) {
            long position = positions[readOrder[i]] & WireWords.U32_MAX;
            if (chunk == null || chunk.position() != position) {
                chunk = position == 0 ? callChunk : nextReadChunk();
                callChunkPresent |= position == 0;
                chunk.start(position, i);
            }
            chunk.count(readSegments.length(readOrder[i]));
        }
        grouped = true;
    }

    private ReadChunk nextReadChunk() {
        if (readChunkCount == readChunks.length) {
            readChunks = Arrays.copyOf(readChunks, Math.max(4, readChunkCount * 2));
            for (int i = readChunkCount; i < readChunks.length; i++) {
                readChunks[i] = new ReadChunk(this);
            }
        }
        return readChunks[readChunkCount++];
    }

    /**
     * Stable insertion sort: linear for the ordered lists that peers send, and bounded for all others by
     * {@link HeaderLimits#maxSegmentsPerList()} squared.
     */
    private void sortByPosition() {
        int count = readSegments.count();
        for (int i = 0; i < count; i++) {
            int hole = i;
            while (hole > 0 && Integer.compareUnsigned(positions[readOrder[hole - 1]], positions[i]) > 0) {
                readOrder[hole] = readOrder[hole - 1];
                hole--;
            }
            readOrder[hole] = i;
        }
    }
}
