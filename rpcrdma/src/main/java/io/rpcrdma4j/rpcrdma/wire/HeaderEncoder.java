package io.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes RPC-over-RDMA version 1 transport headers (RFC 8166 sections 4.2 to 4.5) into a buffer, piece by piece or
 * whole.
 *
 * <h2>Operation</h2>
 *
 * <p>{@link #reset} sets buffer and limit; each {@code encode} method appends and returns the number of bytes it added.
 * Where something does not fit it returns {@link #DOES_NOT_FIT} or {@link #CHUNK_TOO_SHORT}, both negative, and the
 * {@link #position()} is where it was before the call; bytes between it and the limit are then undefined. Nothing is
 * ever written at or beyond the limit. The composite methods {@link #encodeCall}, {@link #encodeReply},
 * {@link #encodeErrVers} and {@link #encodeErrChunk} write whole headers.
 *
 * <h2>Buffer ownership</h2>
 *
 * <p>Borrows the buffer from {@link #reset} until the next one; whoever calls still owns it.
 *
 * <h2>Threading</h2>
 *
 * <p>Confined to one thread at a time, like the send context that owns it.
 *
 * <h2>Errors</h2>
 *
 * <p>Lack of room is a value. Values that do not fit their words are {@link IllegalArgumentException}.
 */
public final class HeaderEncoder {
    /** The buffer has no room for the bytes to be added; the kernel's -EMSGSIZE. */
    public static final int DOES_NOT_FIT = -1;

    /** A chunk of the call has no room for the bytes that are said to be in it; the kernel's -E2BIG. */
    public static final int CHUNK_TOO_SHORT = -2;

    private MemorySegment buffer = MemorySegment.NULL;
    private long start;
    private long position;
    private long limit;

    /** An encoder that has no room until {@link #reset}. */
    public HeaderEncoder() {}

    /**
     * Starts a header.
     *
     * @param target where to write; borrowed until the next reset
     * @param from offset of the first byte of the header
     * @param to offset behind the last byte that may be written
     * @return this
     * @throws IndexOutOfBoundsException if the range is not inside the target
     */
    public HeaderEncoder reset(MemorySegment target, long from, long to) {
        Objects.checkFromToIndex(from, to, target.byteSize());
        buffer = target;
        start = from;
        position = from;
        limit = to;
        return this;
    }

    /** Offset in the buffer of the next byte to be written. */
    public long position() {
        return position;
    }

    /** Bytes of the header so far. */
    public long length() {
        return position - start;
    }

    /** Bytes of the header of a call with these lists. */
    public static long callLength(ChunkLists lists) {
        long entry = WireWords.WORD_BYTES + WireWords.READ_ENTRY_BYTES;
        return replyLength(lists) + entry * lists.readSegmentCount() + (lists.hasEmptyReplyChunk() ? 4 : 0);
    }

    /** Bytes of the header of a reply to a call with these lists. */
    public static long replyLength(ChunkLists call) {
        long bytes = WireWords.MIN_HEADER_BYTES;
        for (int i = 0; i < call.writeChunkCount(); i++) {
            bytes += chunkLength(call.writeChunk(i)) + WireWords.WORD_BYTES;
        }
        WriteChunk reply = call.replyChunk();
        return reply == null ? bytes : bytes + chunkLength(reply);
    }

    private static long chunkLength(WriteChunk chunk) {
        return WireWords.WORD_BYTES + (long) WireWords.SEGMENT_BYTES * chunk.segmentCount();
    }

    /**
     * Writes the header of a call (RFC 8166 section 4.3).
     *
     * @param xid the RPC call's XID
     * @param credits credits asked for, unsigned 32-bit
     * @param type {@code RDMA_MSG} or {@code RDMA_NOMSG}
     * @param lists the memory offered
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeCall(int xid, long credits, MessageType type, ChunkLists lists) {
        long mark = position;
        boolean fits = encodeFixedWords(xid, TransportHeader.VERSION, credits, type.code()) > 0
                && encodeReadList(lists) > 0
                && encodeOfferedWriteList(lists) > 0
                && encodeOfferedReplyChunk(lists) > 0;
        return finish(mark, fits ? 1 : DOES_NOT_FIT);
    }

    /**
     * Writes the header of a reply: no Read list, the call's Write list with what {@link WriteChunk#recordResult}
     * noted, the call's Reply chunk with the bytes written into it (RFC 8166 sections 4.3.1 to 4.3.3).
     *
     * @param xid the RPC call's XID
     * @param credits credits granted, 1 to 2^32 - 1
     * @param type {@code RDMA_MSG} or {@code RDMA_NOMSG}
     * @param call the lists of the call
     * @param replyChunkBytes bytes of the reply that went into the Reply chunk; 0 if it was not used
     * @return bytes written, {@link #DOES_NOT_FIT} or {@link #CHUNK_TOO_SHORT}
     */
    public int encodeReply(int xid, long credits, MessageType type, ChunkLists call, long replyChunkBytes) {
        long mark = position;
        int status = encodeFixedWords(xid, TransportHeader.VERSION, credits, type.code());
        status = status < 0 ? status : encodeAbsentReadList();
        status = status < 0 ? status : encodeWriteList(call);
        status = status < 0 ? status : encodeReplyChunk(call.replyChunk(), replyChunkBytes);
        return finish(mark, status);
    }

    /**
     * Writes an RDMA_ERROR / ERR_VERS: we speak version 1 only (RFC 8166 section 4.5.1). Counterpart of
     * svc_rdma_send_error_msg(9).
     *
     * @param xid the call's XID
     * @param version the version word of the call, unsigned 32-bit
     * @param credits credits granted, 1 to 2^32 - 1
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeErrVers(int xid, long version, long credits) {
        long mark = position;
        boolean fits = encodeError(xid, version, credits, TransportHeader.ERR_VERS) > 0
                && appendWord(TransportHeader.VERSION)
                && appendWord(TransportHeader.VERSION);
        return finish(mark, fits ? 1 : DOES_NOT_FIT);
    }

    /**
     * Writes an RDMA_ERROR / ERR_CHUNK (RFC 8166 section 4.5.2). Counterpart of svc_rdma_send_error_msg(9).
     *
     * @param xid the call's XID
     * @param version the version word of the call, unsigned 32-bit
     * @param credits credits granted, 1 to 2^32 - 1
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeErrChunk(int xid, long version, long credits) {
        return encodeError(xid, version, credits, TransportHeader.ERR_CHUNK);
    }

    /**
     * Writes an RDMA_ERROR up to and with its error code, which may be any.
     *
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeError(int xid, long version, long credits, long errorCode) {
        WireWords.requireU32(errorCode, "error code");
        long mark = position;
        boolean fits = encodeFixedWords(xid, version, credits, MessageType.RDMA_ERROR.code()) > 0
                && appendWord((int) errorCode);
        return finish(mark, fits ? 1 : DOES_NOT_FIT);
    }

    /**
     * Writes an accepted header as it was received, byte for byte.
     *
     * @param header a header that {@link TransportHeader#parseCall} or {@link TransportHeader#parseReply} accepted
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeReceived(TransportHeader header) {
        long mark = position;
        boolean fits = encodeFixedWords(header.xid(), header.version(), header.credits(), header.typeCode()) > 0;
        if (header.type() == MessageType.RDMA_ERROR) {
            fits = fits && appendWord((int) header.errorCode());
            if (header.errorCode() == TransportHeader.ERR_VERS) {
                fits = fits && appendWord((int) header.lowVersion()) && appendWord((int) header.highVersion());
            }
        } else {
            fits = fits
                    && encodeReadList(header.chunks()) > 0
                    && encodeOfferedWriteList(header.chunks()) > 0
                    && encodeOfferedReplyChunk(header.chunks()) > 0;
        }
        return finish(mark, fits ? 1 : DOES_NOT_FIT);
    }

    /**
     * Writes the four fixed words (RFC 8166 section 4.2).
     *
     * @param xid 32-bit pattern
     * @param version unsigned 32-bit
     * @param credits unsigned 32-bit
     * @param typeCode {@code rdma_proc}, unsigned 32-bit
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeFixedWords(int xid, long version, long credits, long typeCode) {
        WireWords.requireU32(version, "version");
        WireWords.requireU32(credits, "credits");
        WireWords.requireU32(typeCode, "message type");
        if (limit - position < WireWords.FIXED_BYTES) {
            return DOES_NOT_FIT;
        }
        WireWords.putWord(buffer, position + WireWords.XID, xid);
        WireWords.putWord(buffer, position + WireWords.VERSION, (int) version);
        WireWords.putWord(buffer, position + WireWords.CREDITS, (int) credits);
        WireWords.putWord(buffer, position + WireWords.TYPE, (int) typeCode);
        position += WireWords.FIXED_BYTES;
        return WireWords.FIXED_BYTES;
    }

    /**
     * Writes an absent Read list: a reply never has one (RFC 8166 section 4.3.1). Counterpart of
     * svc_rdma_encode_read_list(9).
     *
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeAbsentReadList() {
        return appendWord(0) ? WireWords.WORD_BYTES : DOES_NOT_FIT;
    }

    /**
     * Writes the Read list of a call, entries in the order in which they were added.
     *
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeReadList(ChunkLists lists) {
        long mark = position;
        int count = lists.readSegmentCount();
        for (int i = 0; i < count; i++) {
            boolean fits = appendWord(1)
                    && appendWord((int) lists.readSegmentPosition(i))
                    && encodeWriteSegment(
                                    lists.readSegmentHandle(i), lists.readSegmentLength(i), lists.readSegmentOffset(i))
                            > 0;
            if (!fits) {
                return finish(mark, DOES_NOT_FIT);
            }
        }
        return finish(mark, appendWord(0) ? 1 : DOES_NOT_FIT);
    }

    /**
     * Writes one segment: handle, length, offset (RFC 8166 section 3.4.4). Counterpart of
     * svc_rdma_encode_write_segment(9).
     *
     * @param handle 32-bit pattern
     * @param length unsigned 32-bit
     * @param offset unsigned 64-bit pattern
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeWriteSegment(int handle, long length, long offset) {
        WireWords.requireU32(length, "segment length");
        if (limit - position < WireWords.SEGMENT_BYTES) {
            return DOES_NOT_FIT;
        }
        WireWords.putWord(buffer, position + WireWords.SEGMENT_HANDLE, handle);
        WireWords.putWord(buffer, position + WireWords.SEGMENT_LENGTH, (int) length);
        WireWords.putHyper(buffer, position + WireWords.SEGMENT_OFFSET, offset);
        position += WireWords.SEGMENT_BYTES;
        return WireWords.SEGMENT_BYTES;
    }

    /**
     * Hands back a chunk of the call: the same segments, filled in order with {@code bytes}, the unused ones with
     * length 0 (RFC 8166 section 4.3.2). Counterpart of svc_rdma_encode_write_chunk(9).
     *
     * @param chunk chunk of the call
     * @param bytes bytes that were written into it
     * @return bytes added to the header, {@link #DOES_NOT_FIT} or {@link #CHUNK_TOO_SHORT}
     */
    public int encodeWriteChunk(WriteChunk chunk, long bytes) {
        if (bytes > chunk.length()) {
            return CHUNK_TOO_SHORT;
        }
        long mark = position;
        int count = chunk.segmentCount();
        boolean fits = appendWord(1) && appendWord(count);
        long remaining = bytes;
        for (int i = 0; fits && i < count; i++) {
            long used = Math.min(remaining, chunk.segmentLength(i));
            fits = encodeWriteSegment(chunk.handle(i), used, chunk.offset(i)) > 0;
            remaining -= used;
        }
        return finish(mark, fits ? 1 : DOES_NOT_FIT);
    }

    /**
     * Hands back the Write list of a call: all chunks in list order with their {@link WriteChunk#resultLength()},
     * unused and empty ones included (RFC 8166 section 4.3.2). Counterpart of svc_rdma_encode_write_list(9).
     *
     * @return bytes added to the header, or {@link #DOES_NOT_FIT}
     */
    public int encodeWriteList(ChunkLists call) {
        long mark = position;
        int count = call.writeChunkCount();
        for (int i = 0; i < count; i++) {
            WriteChunk chunk = call.writeChunk(i);
            int status = encodeWriteChunk(chunk, chunk.resultLength());
            if (status < 0) {
                return finish(mark, status);
            }
        }
        return finish(mark, appendWord(0) ? 1 : DOES_NOT_FIT);
    }

    /**
     * Hands back the Reply chunk of a call (RFC 8166 section 4.3.3), or writes an absent one. Counterpart of
     * svc_rdma_encode_reply_chunk(9).
     *
     * @param chunk the Reply chunk of the call; null if none was offered
     * @param bytes bytes that were written into it, 0 if the reply travels inline
     * @return bytes added to the header, {@link #DOES_NOT_FIT} or {@link #CHUNK_TOO_SHORT}
     */
    public int encodeReplyChunk(@Nullable WriteChunk chunk, long bytes) {
        if (chunk == null) {
            if (bytes > 0) {
                return CHUNK_TOO_SHORT;
            }
            return appendWord(0) ? WireWords.WORD_BYTES : DOES_NOT_FIT;
        }
        return encodeWriteChunk(chunk, bytes);
    }

    /**
     * Writes the Write list with all lengths as they are in {@code lists}: what a call offers.
     *
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeOfferedWriteList(ChunkLists lists) {
        long mark = position;
        int count = lists.writeChunkCount();
        for (int i = 0; i < count; i++) {
            WriteChunk chunk = lists.writeChunk(i);
            if (encodeWriteChunk(chunk, chunk.length()) < 0) {
                return finish(mark, DOES_NOT_FIT);
            }
        }
        return finish(mark, appendWord(0) ? 1 : DOES_NOT_FIT);
    }

    /**
     * Writes the Reply chunk with all lengths as they are in {@code lists}: what a call offers.
     *
     * @return bytes written, or {@link #DOES_NOT_FIT}
     */
    public int encodeOfferedReplyChunk(ChunkLists lists) {
        WriteChunk chunk = lists.replyChunk();
        if (chunk != null) {
            return encodeWriteChunk(chunk, chunk.length());
        }
        long mark = position;
        boolean fits = lists.hasEmptyReplyChunk() ? appendWord(1) && appendWord(0) : appendWord(0);
        return finish(mark, fits ? 1 : DOES_NOT_FIT);
    }

    private boolean appendWord(int value) {
        if (limit - position < WireWords.WORD_BYTES) {
            return false;
        }
        WireWords.putWord(buffer, position, value);
        position += WireWords.WORD_BYTES;
        return true;
    }

    /** The bytes added since {@code mark}, or the failure, with everything since then taken back. */
    private int finish(long mark, int status) {
        if (status < 0) {
            position = mark;
            return status;
        }
        return (int) (position - mark);
    }
}
