package io.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What one side of a connection announces in its connection private data (RFC 8797 section 4).
 *
 * <pre>
 *   byte 0                  4         5         6           7
 *        +------------------+---------+---------+-----------+--------------+
 *        | magic f6ab0e18   | version | flags   | send size | receive size |
 *        |                  | 1       | 0x01: R | code      | code         |
 *        +------------------+---------+---------+-----------+--------------+
 *   size code = bytes / 1024 - 1
 * </pre>
 *
 * <p>On iWARP these bytes follow the four bytes of MPA revision 2 data, which the provider consumes; on InfiniBand and
 * RoCE the IP addressing header precedes them.
 *
 * @param sendBytes largest RPC-over-RDMA message this side sends inline: a multiple of 1024 from 1024 to 262144
 * @param receiveBytes size of this side's Receive buffers: a multiple of 1024 from 1024 to 262144
 * @param remoteInvalidation whether this side lets the other invalidate its handles with Send With Invalidate
 */
public record ConnectionParameters(int sendBytes, int receiveBytes, boolean remoteInvalidation) {

    /** Bytes of the encoded form. */
    public static final int ENCODED_BYTES = 8;

    /** Smallest size, and the unit of sizes; what holds for a peer that announces nothing (RFC 8166 section 3.3.3). */
    public static final int MIN_BYTES = 1024;

    /** Largest size that can be announced. */
    public static final int MAX_BYTES = 256 * MIN_BYTES;

    /** What to assume of a peer without usable private data (RFC 8797 section 5.2). */
    public static final ConnectionParameters ABSENT = new ConnectionParameters(MIN_BYTES, MIN_BYTES, false);

    private static final int MAGIC = 0xF6AB_0E18;
    private static final byte VERSION = 1;
    private static final int FLAG_REMOTE_INVALIDATION = 0x01;

    private static final int VERSION_AT = 4;
    private static final int FLAGS_AT = 5;
    private static final int SEND_SIZE_AT = 6;
    private static final int RECEIVE_SIZE_AT = 7;

    public ConnectionParameters {
        requireSize(sendBytes, "sendBytes");
        requireSize(receiveBytes, "receiveBytes");
    }

    /**
     * Reads a peer's private data. The block is looked for at every offset, because providers may put bytes of their
     * own in front (RFC 8797 section 5.2).
     *
     * @param privateData what the connection manager delivered; may be empty; borrowed until return
     * @return what the peer announced, {@link #ABSENT} if there is no block of version 1 in it
     */
    public static ConnectionParameters parse(MemorySegment privateData) {
        for (long at = 0; at <= privateData.byteSize() - ENCODED_BYTES; at++) {
            boolean found = WireWords.word(privateData, at) == MAGIC && octet(privateData, at + VERSION_AT) == VERSION;
            if (found) {
                return new ConnectionParameters(
                        bytesOf(octet(privateData, at + SEND_SIZE_AT)),
                        bytesOf(octet(privateData, at + RECEIVE_SIZE_AT)),
                        (octet(privateData, at + FLAGS_AT) & FLAG_REMOTE_INVALIDATION) != 0);
            }
        }
        return ABSENT;
    }

    /**
     * Writes the {@value #ENCODED_BYTES} bytes of private data.
     *
     * @param target where to write; borrowed until return
     * @param offset offset of the first byte
     * @throws IndexOutOfBoundsException if the target is too short
     */
    public void encode(MemorySegment target, long offset) {
        MemorySegment block = target.asSlice(offset, ENCODED_BYTES);
        WireWords.putWord(block, 0, MAGIC);
        putOctet(block, VERSION_AT, VERSION);
        putOctet(block, FLAGS_AT, remoteInvalidation ? FLAG_REMOTE_INVALIDATION : 0);
        putOctet(block, SEND_SIZE_AT, codeOf(sendBytes));
        putOctet(block, RECEIVE_SIZE_AT, codeOf(receiveBytes));
    }

    /**
     * The inline threshold from this side to the other: the smaller of what this side sends and the other receives (RFC
     * 8797 section 5.1). It bounds transport header and inline payload together.
     *
     * @return bytes
     */
    public int inlineThresholdTo(ConnectionParameters other) {
        return Math.min(sendBytes, other.receiveBytes);
    }

    /** The size that a code stands for: 1024 for 0 to 262144 for 255. */
    static int bytesOf(int code) {
        return (code + 1) * MIN_BYTES;
    }

    /** The code of a size. */
    static int codeOf(int bytes) {
        return bytes / MIN_BYTES - 1;
    }

    private static void requireSize(int bytes, String name) {
        if (bytes < MIN_BYTES || bytes > MAX_BYTES || bytes % MIN_BYTES != 0) {
            throw new IllegalArgumentException(
                    name + " " + bytes + " is not a multiple of 1024 from " + MIN_BYTES + " to " + MAX_BYTES);
        }
    }

    private static int octet(MemorySegment segment, long offset) {
        return Byte.toUnsignedInt(segment.get(ValueLayout.JAVA_BYTE, offset));
    }

    private static void putOctet(MemorySegment segment, long offset, int value) {
        segment.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
    }
}
