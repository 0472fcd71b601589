package io.rpcrdma4j.verbs.iwarp.wire;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Consumer;

/** Literal bytes of the wire tests. */
public final class Bytes {

    private Bytes() {}

    /** The bytes that {@code hex} spells; white space and {@code |} are for the reader. */
    public static ByteBuffer of(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replaceAll("[\\s|]", "")));
    }

    /** The remaining bytes as lower-case hex; the position stays. */
    public static String hex(ByteBuffer bytes) {
        var copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        return HexFormat.of().formatHex(copy);
    }

    /** What {@code writer} writes into a buffer full of 0xA5, from its position 3. */
    public static String written(int length, Consumer<ByteBuffer> writer) {
        ByteBuffer out = ByteBuffer.allocate(length + 8);
        while (out.hasRemaining()) {
            out.put((byte) 0xA5);
        }
        out.position(3);
        writer.accept(out);
        for (int i = out.position(); i < out.capacity(); i++) {
            if (out.get(i) != (byte) 0xA5) {
                throw new AssertionError("byte " + i + " behind the position was written");
            }
        }
        if (out.get(0) != (byte) 0xA5 || out.get(2) != (byte) 0xA5) {
            throw new AssertionError("bytes before the position were written");
        }
        return hex(out.limit(out.position()).position(3));
    }
}
