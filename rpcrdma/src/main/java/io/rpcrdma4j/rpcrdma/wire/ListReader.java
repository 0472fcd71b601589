package io.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Reads the three lists of a header into a {@link ChunkLists}, with all checks that need no knowledge of the payload
 * (RFC 8166 sections 4.3 and 4.5.2). Every count is compared with the bytes that are left before it is used.
 *
 * <p>Confined; borrows the message until {@link #read} returns.
 */
final class ListReader {
    private final ChunkLists chunks;
    private MemorySegment message = MemorySegment.NULL;
    private HeaderLimits limits = HeaderLimits.DEFAULT;

    /** {@code 0 <= position <= end <= message.byteSize()}. */
    private long position;

    private long end;

    private @Nullable HeaderFault fault;
    private long faultValue;
    private long faultLimit;

    ListReader(ChunkLists chunks) {
        this.chunks = chunks;
    }

    /**
     * Reads the lists.
     *
     * @param source the received bytes
     * @param start where the Read list starts
     * @param length bytes received
     * @param bounds what one header may hold
     * @return the broken rule, or null; {@link #position()} is then the first byte behind the lists
     */
    @Nullable
    HeaderFault read(MemorySegment source, long start, long length, HeaderLimits bounds) {
        message = source;
        limits = bounds;
        position = start;
        end = length;
        fault = null;
        boolean sound = readReadList() && checkReadChunks() && readWriteList() && readReplyChunk();
        message = MemorySegment.NULL;
        assert sound == (fault == null);
        return fault;
    }

    long position() {
        return position;
    }

    long faultValue() {
        return faultValue;
    }

    long faultLimit() {
        return faultLimit;
    }

    private boolean readReadList() {
        int count = 0;
        while (readDiscriminator(HeaderFault.READ_LIST_TRUNCATED, HeaderFault.READ_LIST_DISCRIMINATOR)) {
            if (!has(WireWords.READ_ENTRY_BYTES, HeaderFault.READ_LIST_TRUNCATED)) {
                return false;
            }
            count++;
            if (count > limits.maxSegmentsPerList()) {
                return fail(HeaderFault.TOO_MANY_READ_SEGMENTS, count, limits.maxSegmentsPerList());
            }
            long chunkPosition = WireWords.unsignedWord(message, position);
            if ((chunkPosition & 3) != 0) {
                return fail(HeaderFault.POSITION_UNALIGNED, chunkPosition, WireWords.WORD_BYTES);
            }
            long segment = position + WireWords.WORD_BYTES;
            if (!checkSegment(segment)) {
                return false;
            }
            chunks.appendRead(chunkPosition, handleAt(segment), lengthAt(segment), offsetAt(segment));
            position += WireWords.READ_ENTRY_BYTES;
        }
        return fault == null;
    }

    private boolean checkReadChunks() {
        int count = chunks.readChunkCount();
        if (count > limits.maxChunksPerList()) {
            return fail(HeaderFault.TOO_MANY_READ_CHUNKS, count, limits.maxChunksPerList());
        }
        ReadChunk call = chunks.callChunk();
        if (call != null && !checkReadChunk(call, limits.maxMessageBytes())) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (!checkReadChunk(chunks.readChunk(i), limits.maxPayloadBytes())) {
                return false;
            }
        }
        return true;
    }

    private boolean checkReadChunk(ReadChunk chunk, long maxBytes) {
        int count = chunk.segmentCount();
        if (count > limits.maxSegmentsPerChunk()) {
            return fail(HeaderFault.TOO_MANY_SEGMENTS_IN_READ_CHUNK, count, limits.maxSegmentsPerChunk());
        }
        return chunk.length() <= maxBytes || fail(HeaderFault.READ_CHUNK_TOO_LONG, chunk.length(), maxBytes);
    }

    private boolean readWriteList() {
        int total = 0;
        while (readDiscriminator(HeaderFault.WRITE_LIST_TRUNCATED, HeaderFault.WRITE_LIST_DISCRIMINATOR)) {
            int count = chunks.writeChunkCount() + 1;
            if (count > limits.maxChunksPerList()) {
                return fail(HeaderFault.TOO_MANY_WRITE_CHUNKS, count, limits.maxChunksPerList());
            }
            chunks.appendWriteChunk();
            if (!readCountedSegments(HeaderFault.WRITE_LIST_TRUNCATED)) {
                return false;
            }
            WriteChunk chunk = chunks.writeChunk(count - 1);
            total += chunk.segmentCount();
            if (total > limits.maxSegmentsPerList()) {
                return fail(HeaderFault.TOO_MANY_WRITE_SEGMENTS, total, limits.maxSegmentsPerList());
            }
            if (chunk.length() > limits.maxMessageBytes()) {
                return fail(HeaderFault.WRITE_CHUNK_TOO_LONG, chunk.length(), limits.maxMessageBytes());
            }
        }
        return fault == null;
    }

    private boolean readReplyChunk() {
        if (!readDiscriminator(HeaderFault.REPLY_CHUNK_TRUNCATED, HeaderFault.REPLY_CHUNK_DISCRIMINATOR)) {
            return fault == null;
        }
        chunks.appendReplyChunk();
        if (!readCountedSegments(HeaderFault.REPLY_CHUNK_TRUNCATED)) {
            return false;
        }
        WriteChunk chunk = chunks.replyChunk();
        return chunk == null
                || chunk.length() <= limits.maxMessageBytes()
                || fail(HeaderFault.REPLY_CHUNK_TOO_LONG, chunk.length(), limits.maxMessageBytes());
    }

    /** Reads {@code count segment{count}} into the chunk that was started last. */
    private boolean readCountedSegments(HeaderFault truncated) {
        if (!has(WireWords.WORD_BYTES, truncated)) {
            return false;
        }
        long count = WireWords.unsignedWord(message, position);
        position += WireWords.WORD_BYTES;
        long room = (end - position) / WireWords.SEGMENT_BYTES;
        if (count > room) {
            return fail(HeaderFault.SEGMENT_COUNT_BEYOND_MESSAGE, count, room);
        }
        if (count > limits.maxSegmentsPerChunk()) {
            return fail(HeaderFault.SEGMENT_COUNT_BEYOND_LIMIT, count, limits.maxSegmentsPerChunk());
        }
        for (long i = 0; i < count; i++) {
            if (!checkSegment(position)) {
                return false;
            }
            chunks.appendWriteSegment(handleAt(position), lengthAt(position), offsetAt(position));
            position += WireWords.SEGMENT_BYTES;
        }
        return true;
    }

    /** The optional-data word: true if an item follows; false at the end of the list, and on a fault. */
    private boolean readDiscriminator(HeaderFault truncated, HeaderFault illegal) {
        if (!has(WireWords.WORD_BYTES, truncated)) {
            return false;
        }
        long value = WireWords.unsignedWord(message, position);
        if (value > 1) {
            return fail(illegal, value, 1);
        }
        position += WireWords.WORD_BYTES;
        return value == 1;
    }

    private boolean checkSegment(long at) {
        long length = lengthAt(at);
        if (length > limits.maxMessageBytes()) {
            return fail(HeaderFault.SEGMENT_TOO_LONG, length, limits.maxMessageBytes());
        }
        long offset = offsetAt(at);
        // The last byte, not the first behind it: a segment may end at 2^64 exactly.
        if (length > 0 && Long.compareUnsigned(offset + length - 1, offset) < 0) {
            return fail(HeaderFault.SEGMENT_WRAPS, offset, length);
        }
        return true;
    }

    private int handleAt(long segment) {
        return WireWords.word(message, segment + WireWords.SEGMENT_HANDLE);
    }

    private long lengthAt(long segment) {
        return WireWords.unsignedWord(message, segment + WireWords.SEGMENT_LENGTH);
    }

    private long offsetAt(long segment) {
        return WireWords.hyper(message, segment + WireWords.SEGMENT_OFFSET);
    }

    private boolean has(int bytes, HeaderFault truncated) {
        return end - position >= bytes || fail(truncated, end, position + bytes);
    }

    private boolean fail(HeaderFault found, long value, long limit) {
        fault = found;
        faultValue = value;
        faultLimit = limit;
        return false;
    }
}
