package io.rpcrdma4j.rpcrdma.engine.planted;

import io.rpcrdma4j.rpcrdma.wire.planted.CallsTheEngine;
import java.util.SplittableRandom;

/** Breaks rules on purpose: an engine is given the time and random numbers, and holds no static state. */
public final class ReadsTheClock {
    private static long counter;

    private ReadsTheClock() {}

    public static long next() {
        counter += new SplittableRandom(CallsTheEngine.SEED).nextLong();
        return System.nanoTime() + counter;
    }
}
