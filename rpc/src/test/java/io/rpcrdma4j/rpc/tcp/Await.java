package io.rpcrdma4j.rpc.tcp;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread does, up to a deadline. */
final class Await {
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private Await() {}

    static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > DEADLINE_NANOS) {
                throw new AssertionError("after 20 s still not: " + what);
            }
            LockSupport.parkNanos(200_000);
        }
    }
}
