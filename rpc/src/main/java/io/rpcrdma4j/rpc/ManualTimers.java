package io.rpcrdma4j.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Timers whose clock moves only when it is told to: for tests and simulations.
 *
 * <p>May be used from any thread; tasks run on the thread that calls {@link #advance}.
 */
public final class ManualTimers implements Timers {
    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
    private long now;
    private long sequence;

    /** Makes timers whose clock stands at 0. */
    public ManualTimers() {}

    @Override
    public long nanoTime() {
        lock.lock();
        try {
            return now;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        lock.lock();
        try {
            Alarm alarm = new Alarm(now + Math.max(0, delayNanos), sequence++, task);
            alarms.add(alarm);
            return () -> remove(alarm);
        } finally {
            lock.unlock();
        }
    }

    /** Number of tasks that are waiting. */
    public int pending() {
        lock.lock();
        try {
            return alarms.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves the clock forward and runs what becomes due, in order of time, each at its own time.
     *
     * @param nanos how far; at least 0
     */
    public void advance(long nanos) {
        long until = nanoTime() + nanos;
        for (List<Runnable> due = next(until); !due.isEmpty(); due = next(until)) {
            due.getFirst().run();
        }
    }

    private List<Runnable> next(long until) {
        lock.lock();
        try {
            List<Runnable> due = new ArrayList<>(1);
            Alarm first = alarms.peek();
            if (first != null && first.at <= until) {
                alarms.remove();
                now = Math.max(now, first.at);
                due.add(first.task);
            } else {
                now = Math.max(now, until);
            }
            return due;
        } finally {
            lock.unlock();
        }
    }

    private void remove(Alarm alarm) {
        lock.lock();
        try {
            alarms.remove(alarm);
        } finally {
            lock.unlock();
        }
    }

    private record Alarm(long at, long sequence, Runnable task) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }
}
