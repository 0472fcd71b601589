package io.rpcrdma4j.rpc.xdr;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** RFC 4506 §3: words of four bytes, most significant byte first. */
final class XdrLayouts {
    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Segment of no bytes, for fields that have nothing to refer to yet. */
    static final MemorySegment NONE = MemorySegment.ofArray(new byte[0]);

    private XdrLayouts() {}

    /** Bytes from {@code length} to the next multiple of 4: 0 to 3. */
    static int pad(long length) {
        return (int) (-length & 3);
    }
}
