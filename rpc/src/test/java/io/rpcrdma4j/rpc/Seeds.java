package io.rpcrdma4j.rpc;

import java.util.stream.LongStream;

/**
 * The seeds of the random tests: a fixed range and a fresh one, which the name of a failing test shows;
 * {@code -Dtest.seed=N} runs one alone.
 */
public final class Seeds {
    private Seeds() {}

    public static LongStream stream() {
        Long one = Long.getLong("test.seed");
        return one != null ? LongStream.of(one) : LongStream.concat(LongStream.range(0, 100), LongStream.of(fresh()));
    }

    public static LongStream few() {
        Long one = Long.getLong("test.seed");
        return one != null ? LongStream.of(one) : LongStream.concat(LongStream.range(0, 5), LongStream.of(fresh()));
    }

    private static long fresh() {
        return System.nanoTime() & 0xffff_ffffL;
    }
}
