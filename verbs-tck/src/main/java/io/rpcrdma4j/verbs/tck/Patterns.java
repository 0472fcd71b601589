package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that tell where they come from. */
final class Patterns {

    private Patterns() {}

    static byte at(long index, int seed) {
        long mixed = (index + 1) * 0x9E3779B97F4A7C15L + seed * 0xC2B2AE3D27D4EB4FL;
        return (byte) (mixed >>> 56);
    }

    static void fill(MemorySegment segment, long offset, long length, int seed) {
        for (long i = 0; i < length; i++) {
            segment.set(ValueLayout.JAVA_BYTE, offset + i, at(i, seed));
        }
    }

    static void check(MemorySegment segment, long offset, long length, int seed) {
        checkPart(segment, offset, length, seed, 0);
    }

    /** Checks for the pattern's bytes from {@code first} on. */
    static void checkPart(MemorySegment segment, long offset, long length, int seed, long first) {
        for (long i = 0; i < length; i++) {
            byte actual = segment.get(ValueLayout.JAVA_BYTE, offset + i);
            if (actual != at(first + i, seed)) {
                assertThat(actual)
                        .as("byte %d of %d, pattern %d", i, length, seed)
                        .isEqualTo(at(first + i, seed));
            }
        }
    }

    static void checkAll(MemorySegment segment, long offset, long length, byte value) {
        for (long i = 0; i < length; i++) {
            byte actual = segment.get(ValueLayout.JAVA_BYTE, offset + i);
            if (actual != value) {
                assertThat(actual).as("byte %d of %d", i, length).isEqualTo(value);
            }
        }
    }
}
