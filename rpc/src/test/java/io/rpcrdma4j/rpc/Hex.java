package io.rpcrdma4j.rpc;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** Literal bytes in tests: hex digits, with blanks and bars between words as one likes. */
public final class Hex {
    private Hex() {}

    public static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("[\\s|]", ""));
    }

    public static MemorySegment segment(String hex) {
        return MemorySegment.ofArray(bytes(hex));
    }

    public static String of(byte[] bytes) {
        return HexFormat.of().formatHex(bytes).replaceAll("(.{8})(?=.)", "$1 ");
    }
}
