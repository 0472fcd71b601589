package io.rpcrdma4j.rpc;

/**
 * A clock and its alarms. Everything that waits takes its time from here, so that tests can run on a clock of their
 * own.
 *
 * <p>May be used from any thread.
 */
public interface Timers {

    /** Nanoseconds since an arbitrary origin, as {@link System#nanoTime()}: compare by subtraction. */
    long nanoTime();

    /**
     * Runs a task later, once.
     *
     * @param delayNanos how much later; 0 or less is as soon as possible
     * @param task runs on a thread of the timers; must neither block nor throw
     * @return the handle to call it off
     */
    Cancellable schedule(long delayNanos, Runnable task);

    /** The process-wide timers: the system's clock and one daemon thread. */
    static Timers system() {
        return SystemTimers.SHARED;
    }

    /** Something that may be called off. */
    interface Cancellable {

        /** Calls it off. If it ran, or is running, nothing happens. Idempotent. */
        void cancel();
    }
}
