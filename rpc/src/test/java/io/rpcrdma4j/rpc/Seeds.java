package io.rpcrdma4j.rpc;

import java.util.stream.LongStream;

/**
 * The seeds of the random tests: a fixed range and a fresh one, which the name of a failing test shows.
 * {@code -Dtest.seed=N} runs one alone, {@code -Dtest.seeds=N} a longer range.
 */
public final class Seeds {
    private Seeds() {}

    /** For tests that take some milliseconds. */
    public static LongStream stream() {
        return seeds(100);
    }

    /** For tests that take longer. */
    public static LongStream few() {
        return seeds(5);
    }

    private static LongStream seeds(int count) {
        Long one = Long.getLong("test.seed");
        if (one != null) {
            return LongStream.of(one);
        }
        long fresh = System.nanoTime() & 0xffff_ffffL;
        return LongStream.concat(LongStream.range(0, Integer.getInteger("test.seeds", count)), LongStream.of(fresh));
    }
}
