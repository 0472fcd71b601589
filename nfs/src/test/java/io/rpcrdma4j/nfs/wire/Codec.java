package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** Encodes and decodes values on real XDR bytes. */
final class Codec {
    private Codec() {}

    /** The bytes that {@code encoder} writes into memory that was filled with 0xA5. */
    static byte[] encode(XdrEncoder encoder) {
        try (NativeAllocator memory = new NativeAllocator()) {
            XdrBuffer buffer = new XdrBuffer();
            XdrWriter writer = new XdrWriter(buffer);
            PayloadBuffer head = memory.allocate(64 * 1024);
            head.segment().fill((byte) 0xa5);
            writer.startOwned(memory, head, 1 << 20);
            encoder.encode(writer);
            byte[] bytes = writer.finish().toByteArray();
            buffer.releaseAll();
            if (memory.outstanding() != 0) {
                throw new AssertionError(memory.outstanding() + " buffers were not released");
            }
            return bytes;
        }
    }

    /** What {@code decoder} reads from all of {@code bytes}. */
    static <T> T decode(byte[] bytes, XdrDecoder<T> decoder) throws XdrException {
        XdrReader reader = new XdrReader();
        reader.start(MemorySegment.ofArray(bytes));
        T value = decoder.decode(reader);
        reader.finish();
        return value;
    }

    /** Bytes written in hexadecimal, with spaces, and comments from {@code #} to the end of the line. */
    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replaceAll("#[^\n]*", "").replaceAll("\\s", ""));
    }
}
