package io.rpcrdma4j.verbs.memory;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** An event thread of a device in {@link ExecutionMode#THREADED}. */
final class Worker {

    final TimerQueue timers = new TimerQueue();
    private final Scheduler scheduler;
    private final ArrayDeque<Lane> ready = new ArrayDeque<>();
    private final Condition signal;
    private final Thread thread;
    private boolean stopped;

    Worker(Scheduler scheduler, String name) {
        this.scheduler = scheduler;
        signal = scheduler.lock.newCondition();
        thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** With the lock held. */
    void add(Lane lane) {
        ready.add(lane);
        signal.signal();
    }

    /** With the lock held. */
    void wake() {
        signal.signal();
    }

    /** With the lock held: what is ready is still done, then the thread ends. */
    void stop() {
        stopped = true;
        signal.signal();
    }

    /** Without the lock. Waits for the end of the thread, unless that is the caller. */
    void join() {
        if (Thread.currentThread() == thread) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (true) {
            Lane lane = next();
            if (lane == null) {
                return;
            }
            try {
                scheduler.perform(lane);
            } catch (RuntimeException | AssertionError e) {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }
    }

    private @Nullable Lane next() {
        scheduler.lock.lock();
        try {
            while (true) {
                long now = scheduler.nanoTime();
                timers.fireDue(now);
                Lane lane = ready.poll();
                if (lane != null) {
                    scheduler.take(lane);
                    return lane;
                }
                if (stopped) {
                    return null;
                }
                await(now);
            }
        } finally {
            scheduler.lock.unlock();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // next() loops
    private void await(long now) {
        try {
            if (timers.isEmpty()) {
                signal.awaitUninterruptibly();
            } else {
                long _ = signal.awaitNanos(Math.max(1, Math.min(timers.nextNanos() - now, TimeUnit.HOURS.toNanos(1))));
            }
        } catch (InterruptedException e) {
            // Nobody is to interrupt an event thread; the timer is looked at again.
        }
    }
}
