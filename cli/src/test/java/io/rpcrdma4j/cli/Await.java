package io.rpcrdma4j.cli;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other threads and processes do. */
final class Await {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final long LOOK_NANOS = 2_000_000L;

    private Await() {}

    /** Returns when the condition holds; fails if it does not within {@link #PATIENCE}. */
    static void that(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("within " + PATIENCE + " it did not happen that " + what);
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
