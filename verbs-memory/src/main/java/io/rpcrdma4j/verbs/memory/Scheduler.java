package io.rpcrdma4j.verbs.memory;

import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Decides which {@link Lane} goes next.
 *
 * <p><b>Threading:</b> {@link #lock} guards everything in a fabric. It is never held while the program is called.
 */
final class Scheduler {

    final ReentrantLock lock = new ReentrantLock();
    final ExecutionMode mode;
    final SplittableRandom random;
    private final Condition idle = lock.newCondition();
    private final ArrayList<Lane> ready = new ArrayList<>();
    private final ArrayList<Lane> running = new ArrayList<>();
    private final TimerQueue virtualTimers = new TimerQueue();
    private long virtualNanos;
    private long steps;
    private long fingerprint;

    Scheduler(ExecutionMode mode, long seed) {
        this.mode = mode;
        random = new SplittableRandom(seed);
    }

    long nanoTime() {
        return mode == ExecutionMode.THREADED ? System.nanoTime() : virtualNanos;
    }

    long steps() {
        return steps;
    }

    long fingerprint() {
        return fingerprint;
    }

    /** With the lock held: puts a lane among the ready ones, if it is ready. */
    void enlist(Lane lane) {
        if (lane.listed || lane.runner != null || !lane.hasWork()) {
            return;
        }
        if (lane.notBeforeNanos > nanoTime()) {
            return; // the timer that ends the delay enlists it
        }
        lane.listed = true;
        if (lane.home != null) {
            lane.home.add(lane);
        } else {
            ready.add(lane);
        }
    }

    /** With the lock held: holds a lane back. */
    void delay(Lane lane, long nanos) {
        lane.notBeforeNanos = nanoTime() + nanos;
        TimerQueue.Timer _ = at(lane.notBeforeNanos, lane.home, lane::wake);
    }

    /** With the lock held: has something done, with the lock held, at a time. */
    TimerQueue.Timer at(long deadlineNanos, @Nullable Worker home, Runnable action) {
        if (home == null) {
            return virtualTimers.add(deadlineNanos, action);
        }
        TimerQueue.Timer timer = home.timers.add(deadlineNanos, action);
        home.wake();
        return timer;
    }

    void cancel(TimerQueue.Timer timer, @Nullable Worker home) {
        (home == null ? virtualTimers : home.timers).cancel(timer);
    }

    /** With the lock held: marks a lane, already removed from its list, as running. */
    void take(Lane lane) {
        lane.listed = false;
        lane.runner = Thread.currentThread();
        running.add(lane);
    }

    /** Without the lock: one action of a lane that was taken. */
    void perform(Lane lane) {
        boolean call = false;
        try {
            lock.lock();
            try {
                call = lane.notBeforeNanos <= nanoTime() && lane.hasWork() && lane.advance();
            } finally {
                lock.unlock();
            }
            if (call) {
                lane.callOut();
            }
        } finally {
            lock.lock();
            try {
                running.remove(lane);
                lane.runner = null;
                lane.wake();
                idle.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Without the lock: in {@link ExecutionMode#SYNCHRONOUS} does all there is to do. */
    void settle() {
        if (mode == ExecutionMode.SYNCHRONOUS) {
            while (true) {
                Lane lane = takeNext();
                if (lane == null) {
                    return;
                }
                try {
                    perform(lane);
                } catch (RuntimeException | AssertionError e) {
                    // It comes from a listener, which may be the peer's: none of the caller's business.
                    Thread self = Thread.currentThread();
                    self.getUncaughtExceptionHandler().uncaughtException(self, e);
                }
            }
        }
    }

    /** Without the lock: one action, whatever it throws is thrown. */
    boolean step() {
        Lane lane = takeNext();
        if (lane == null) {
            return false;
        }
        perform(lane);
        return true;
    }

    private @Nullable Lane takeNext() {
        lock.lock();
        try {
            virtualTimers.fireDue(virtualNanos);
            if (ready.isEmpty()) {
                return null;
            }
            int choice = mode == ExecutionMode.STEPPED ? random.nextInt(ready.size()) : 0;
            Lane lane = ready.remove(choice);
            steps++;
            fingerprint = fingerprint * 1_000_003 + (long) choice * 64 + ready.size();
            take(lane);
            return lane;
        } finally {
            lock.unlock();
        }
    }

    /** Without the lock: moves virtual time on. */
    void advance(long nanos) {
        lock.lock();
        try {
            virtualNanos += nanos;
            virtualTimers.fireDue(virtualNanos);
        } finally {
            lock.unlock();
        }
    }

    /** Nanoseconds to the next timer, or -1 if there is none. */
    long nanosToNextTimer() {
        lock.lock();
        try {
            return virtualTimers.isEmpty() ? -1 : Math.max(0, virtualTimers.nextNanos() - virtualNanos);
        } finally {
            lock.unlock();
        }
    }

    /**
     * With the lock held: waits until nobody runs the lane. A caller that is itself called by the fabric does not wait,
     * since two such callers could wait for each other.
     */
    void awaitQuiet(Lane lane) {
        while (lane.runner != null && !isRunningHere()) {
            idle.awaitUninterruptibly();
        }
    }

    private boolean isRunningHere() {
        Thread self = Thread.currentThread();
        for (Lane lane : running) {
            if (lane.runner == self) {
                return true;
            }
        }
        return false;
    }
}
