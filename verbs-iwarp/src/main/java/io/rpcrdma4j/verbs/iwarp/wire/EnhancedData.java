package io.rpcrdma4j.verbs.iwarp.wire;

/**
 * The first four bytes of private data when the S flag is set (RFC 6581 section 6):
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+---------------------------+-+-+---------------------------+
 * |A|B|      IRD of the sender    |C|D|      ORD of the sender    |
 * +-+-+---------------------------+-+-+---------------------------+
 * </pre>
 *
 * @param inboundReads IRD: Reads that the sender of the frame serves at a time, 14 bits; {@link #NOT_NEGOTIATED} leaves
 *     it to other means
 * @param outboundReads ORD: Reads that the sender of the frame wants in flight, 14 bits
 * @param readyToReceive bits {@link #PEER_TO_PEER}, {@link #RTR_SEND}, {@link #RTR_WRITE}, {@link #RTR_READ}
 */
public record EnhancedData(int inboundReads, int outboundReads, int readyToReceive) {

    /** Bytes on the wire. */
    public static final int BYTES = 4;

    /** The value of IRD or ORD that means "do not negotiate". */
    public static final int NOT_NEGOTIATED = 0x3FFF;

    /** A: the initiator sends a ready-to-receive message first. */
    public static final int PEER_TO_PEER = 8;

    /** B: that message may be a zero-length Send. */
    public static final int RTR_SEND = 4;

    /** C: it may be a zero-length RDMA Write. */
    public static final int RTR_WRITE = 2;

    /** D: it may be a zero-length RDMA Read. */
    public static final int RTR_READ = 1;

    public EnhancedData {
        if ((inboundReads & ~NOT_NEGOTIATED) != 0 || (outboundReads & ~NOT_NEGOTIATED) != 0) {
            throw new IllegalArgumentException("IRD " + inboundReads + ", ORD " + outboundReads + ": 14 bits each");
        }
        if ((readyToReceive & ~0xF) != 0) {
            throw new IllegalArgumentException("ready-to-receive bits 0x" + Integer.toHexString(readyToReceive));
        }
    }

    /** Without peer-to-peer start. */
    public EnhancedData(int inboundReads, int outboundReads) {
        this(inboundReads, outboundReads, 0);
    }

    /** Whether all of {@code bits} are set. */
    public boolean has(int bits) {
        return (readyToReceive & bits) == bits;
    }

    /** From the 32 bits of the wire; every value has a meaning. */
    public static EnhancedData parse(int word) {
        return new EnhancedData(
                word >>> 16 & NOT_NEGOTIATED, word & NOT_NEGOTIATED, (word >>> 28 & 0xC) | (word >>> 14 & 0x3));
    }

    /** The 32 bits of the wire. */
    public int toWord() {
        return ((readyToReceive & 0xC) << 28) | (inboundReads << 16) | ((readyToReceive & 0x3) << 14) | outboundReads;
    }
}
