package io.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Offsets, sizes and word access of the RPC-over-RDMA version 1 header (RFC 8166 section 4.2, RFC 4506 for XDR).
 *
 * <pre>
 *   byte  0        4        8        12       16
 *        +--------+--------+--------+--------+-----------+------------+-------------+---------
 *        |  XID   |  vers  | credit |  proc  | Read list | Write list | Reply chunk | payload
 *        +--------+--------+--------+--------+-----------+------------+-------------+---------
 *   Read list    (1 position segment)* 0          one entry is 24 bytes
 *   Write list   (1 count segment{count})* 0
 *   Reply chunk  0  or  1 count segment{count}    no terminating 0
 *   segment      handle(4) length(4) offset(8)    16 bytes
 * </pre>
 */
final class WireWords {
    static final long XID = 0;
    static final long VERSION = 4;
    static final long CREDITS = 8;
    static final long TYPE = 12;

    /** The four words that every version of the protocol keeps. */
    static final int FIXED_BYTES = 16;

    /** Fixed words plus three absent lists: the shortest header that can precede a payload. */
    static final int MIN_HEADER_BYTES = 28;

    static final long ERROR_CODE = 16;
    static final long LOW_VERSION = 20;
    static final long HIGH_VERSION = 24;
    static final int ERR_CHUNK_BYTES = 20;
    static final int ERR_VERS_BYTES = 28;

    static final int WORD_BYTES = 4;
    static final int SEGMENT_BYTES = 16;
    static final long SEGMENT_HANDLE = 0;
    static final long SEGMENT_LENGTH = 4;
    static final long SEGMENT_OFFSET = 8;

    /** Position and segment, without the discriminator in front. */
    static final int READ_ENTRY_BYTES = 20;

    static final long U32_MAX = 0xFFFF_FFFFL;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private WireWords() {}

    static int word(MemorySegment segment, long offset) {
        return segment.get(U32, offset);
    }

    static long unsignedWord(MemorySegment segment, long offset) {
        return segment.get(U32, offset) & U32_MAX;
    }

    static long hyper(MemorySegment segment, long offset) {
        return segment.get(U64, offset);
    }

    static void putWord(MemorySegment segment, long offset, int value) {
        segment.set(U32, offset, value);
    }

    static void putHyper(MemorySegment segment, long offset, long value) {
        segment.set(U64, offset, value);
    }

    /** The length with its XDR pad (RFC 4506 section 4.10): the next multiple of 4. */
    static long padded(long length) {
        return (length + 3) & ~3L;
    }

    static long requireU32(long value, String what) {
        if (value < 0 || value > U32_MAX) {
            throw new IllegalArgumentException(what + " " + value + " is not an unsigned 32-bit number");
        }
        return value;
    }
}
