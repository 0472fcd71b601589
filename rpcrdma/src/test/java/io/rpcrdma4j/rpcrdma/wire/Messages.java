package io.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.LongStream;

/** Literal messages and the seeds of random tests. */
final class Messages {
    private static final int FIXED_SEEDS = 200;

    private Messages() {}

    /** Bytes of a hex text in which blanks, bars and line ends do not count. */
    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replaceAll("[\\s|]", ""));
    }

    /** A message of 32-bit words. */
    static byte[] words(long... words) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * words.length);
        for (long word : words) {
            buffer.putInt((int) word);
        }
        return buffer.array();
    }

    static byte[] join(byte[]... parts) {
        ByteBuffer buffer = ByteBuffer.allocate(
                Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (byte[] part : parts) {
            buffer.put(part);
        }
        return buffer.array();
    }

    /** A buffer whose every byte is 0xA5, so that a byte forgotten by an encoder shows. */
    static MemorySegment filled(int bytes) {
        byte[] array = new byte[bytes];
        Arrays.fill(array, (byte) 0xA5);
        return MemorySegment.ofArray(array);
    }

    static byte[] bytes(MemorySegment segment, long from, long to) {
        return segment.asSlice(from, to - from).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The seeds of a random test: a fixed range and a fresh one, or only {@code -Dtest.seed}. */
    static LongStream seeds() {
        Long only = Long.getLong("test.seed");
        if (only != null) {
            return LongStream.of(only);
        }
        return LongStream.concat(LongStream.range(0, FIXED_SEEDS), LongStream.of(System.nanoTime()));
    }
}
