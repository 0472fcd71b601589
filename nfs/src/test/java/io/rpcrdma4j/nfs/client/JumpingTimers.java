package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.rpc.Timers;

/** Timers for those who have no time: what is scheduled runs at once, and the clock says that the time has passed. */
final class JumpingTimers implements Timers {
    private long now;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        now += delayNanos;
        task.run();
        return () -> {};
    }
}
