package io.rpcrdma4j.verbs.memory;

import java.util.PriorityQueue;

/** What is to happen later, guarded by the scheduler's lock. */
final class TimerQueue {

    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long sequence;

    Timer add(long deadlineNanos, Runnable action) {
        var timer = new Timer(deadlineNanos, sequence++, action);
        timers.add(timer);
        return timer;
    }

    void cancel(Timer timer) {
        timers.remove(timer);
    }

    boolean isEmpty() {
        return timers.isEmpty();
    }

    /** When the next one is due; {@link Long#MAX_VALUE} if there is none. */
    long nextNanos() {
        Timer next = timers.peek();
        return next == null ? Long.MAX_VALUE : next.deadlineNanos;
    }

    /** Runs, with the lock held, what is due. */
    void fireDue(long nowNanos) {
        while (nextNanos() <= nowNanos) {
            Timer due = timers.poll();
            if (due != null) {
                due.action.run();
            }
        }
    }

    /** One action; timers of the same instant fire in the order in which they were set. */
    static final class Timer implements Comparable<Timer> {
        private final long deadlineNanos;
        private final long sequence;
        private final Runnable action;

        private Timer(long deadlineNanos, long sequence, Runnable action) {
            this.deadlineNanos = deadlineNanos;
            this.sequence = sequence;
            this.action = action;
        }

        @Override
        public int compareTo(Timer other) {
            int byTime = Long.compare(deadlineNanos, other.deadlineNanos);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(sequence);
        }
    }
}
