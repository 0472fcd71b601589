package io.rpcrdma4j.verbs.memory;

import org.jspecify.annotations.Nullable;

/**
 * A stream of actions that happen one at a time and in order; different lanes are independent of each other, and the
 * {@link Scheduler} chooses between those that have work.
 *
 * <p><b>Threading:</b> all fields are guarded by the scheduler's lock. {@link #advance} and {@link #hasWork} are called
 * with the lock held, {@link #callOut} without it.
 */
abstract class Lane {

    final Scheduler scheduler;

    /** The event thread it belongs to; null where the mode has none. */
    final @Nullable Worker home;

    /** In a list of ready lanes. */
    boolean listed;

    /** Not before this time. */
    long notBeforeNanos = Long.MIN_VALUE;

    /** The thread that runs it now. */
    @Nullable
    Thread runner;

    Lane(Scheduler scheduler, @Nullable Worker home) {
        this.scheduler = scheduler;
        this.home = home;
    }

    /** Whether {@link #advance} has something to do now. */
    abstract boolean hasWork();

    /**
     * Does one unit of work.
     *
     * @return whether {@link #callOut} is to be called
     */
    abstract boolean advance();

    /** Calls the program. */
    void callOut() {}

    /** Tells the scheduler that there may be work now; harmless if there is none. */
    final void wake() {
        scheduler.enlist(this);
    }
}
