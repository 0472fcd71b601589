package io.rpcrdma4j.rpc;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Timers on the system's clock. Their one thread is a daemon and ends after a minute without work. */
final class SystemTimers implements Timers {
    static final SystemTimers SHARED = new SystemTimers();

    private static final Logger LOG = LoggerFactory.getLogger(SystemTimers.class);

    private final ScheduledThreadPoolExecutor executor;

    private SystemTimers() {
        executor = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("rpc-timers").daemon().factory());
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(1, TimeUnit.MINUTES);
        executor.allowCoreThreadTimeOut(true);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        ScheduledFuture<?> future = executor.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A timer's task failed", e);
        }
    }
}
