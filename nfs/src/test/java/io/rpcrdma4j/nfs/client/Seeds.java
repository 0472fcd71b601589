package io.rpcrdma4j.nfs.client;

import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Seeds of random tests: a fixed range, or the one that {@code -Dtest.seed} names. */
final class Seeds {
    private Seeds() {}

    static LongStream range(int count) {
        Long only = Long.getLong("test.seed");
        return only == null ? LongStream.range(0, count) : LongStream.of(only);
    }

    static byte[] bytes(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
