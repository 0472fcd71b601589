package io.rpcrdma4j.rpcrdma.wire.planted;

import io.rpcrdma4j.rpcrdma.engine.planted.ReadsTheClock;

/** Breaks a rule on purpose: a codec knows nothing of the engine that uses it. */
public final class CallsTheEngine {
    /** Not a compile-time constant, so that its use leaves a trace in the class file. */
    public static final long SEED = Long.parseLong("7");

    private CallsTheEngine() {}

    public static long stamp() {
        return ReadsTheClock.next();
    }
}
