package io.rpcrdma4j.verbs.iwarp.wire;

import java.nio.ByteBuffer;

/**
 * The body of an RDMA Read Request (RFC 5040 section 4.4), after the untagged header:
 *
 * <pre>
 *  0  Data Sink STag (4)
 *  4  Data Sink Tagged Offset (8)
 * 12  RDMA Read Message Size (4)
 * 16  Data Source STag (4)
 * 20  Data Source Tagged Offset (8)
 * </pre>
 *
 * @param sinkStag where the requester wants the bytes; 32 bits
 * @param sinkOffset 64 bits, unsigned
 * @param length bytes to read, 0 to 2^32 - 1
 * @param sourceStag where they are; 32 bits
 * @param sourceOffset 64 bits, unsigned
 */
public record ReadRequest(int sinkStag, long sinkOffset, long length, int sourceStag, long sourceOffset) {

    /** Bytes of the body; exactly these. */
    public static final int BYTES = 28;

    public ReadRequest {
        if (length < 0 || length > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException("read length " + length + " does not fit 32 bits");
        }
    }

    /** Sink STag of the body at {@code at}. */
    public static int sinkStag(ByteBuffer buffer, int at) {
        return buffer.getInt(at);
    }

    /** Sink Tagged Offset of the body at {@code at}. */
    public static long sinkOffset(ByteBuffer buffer, int at) {
        return buffer.getLong(at + 4);
    }

    /** Length of the read asked for by the body at {@code at}, in bytes, 0 to 2^32 - 1. */
    public static long length(ByteBuffer buffer, int at) {
        return Integer.toUnsignedLong(buffer.getInt(at + 12));
    }

    /** Source STag of the body at {@code at}. */
    public static int sourceStag(ByteBuffer buffer, int at) {
        return buffer.getInt(at + 16);
    }

    /** Source Tagged Offset of the body at {@code at}. */
    public static long sourceOffset(ByteBuffer buffer, int at) {
        return buffer.getLong(at + 20);
    }

    /** Writes a body at {@code at}; the length is 32 bits unsigned. */
    public static void put(
            ByteBuffer buffer, int at, int sinkStag, long sinkOffset, int length, int sourceStag, long sourceOffset) {
        buffer.putInt(at, sinkStag);
        buffer.putLong(at + 4, sinkOffset);
        buffer.putInt(at + 12, length);
        buffer.putInt(at + 16, sourceStag);
        buffer.putLong(at + 20, sourceOffset);
    }

    /**
     * Takes a body off {@code in}, which must hold it and nothing else.
     *
     * @throws IwarpException if there are not exactly 28 bytes
     */
    public static ReadRequest parse(ByteBuffer in) throws IwarpException {
        if (in.remaining() != BYTES) {
            throw new IwarpException(
                    Violation.READ_REQUEST_LENGTH, "RDMA Read Request with " + in.remaining() + " bytes, not " + BYTES);
        }
        int at = in.position();
        in.position(at + BYTES);
        return new ReadRequest(
                sinkStag(in, at), sinkOffset(in, at), length(in, at), sourceStag(in, at), sourceOffset(in, at));
    }

    /** Writes it at the position of {@code out}. */
    public void writeTo(ByteBuffer out) {
        int at = out.position();
        out.position(at + BYTES);
        put(out, at, sinkStag, sinkOffset, (int) length, sourceStag, sourceOffset);
    }
}
