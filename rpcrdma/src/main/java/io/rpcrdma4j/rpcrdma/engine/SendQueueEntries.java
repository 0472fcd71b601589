package io.rpcrdma4j.rpcrdma.engine;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The free entries of one send queue, handed out in the order of asking.
 *
 * <h2>Operation</h2>
 *
 * A chain {@link #take takes} all its entries in one go before it is posted. If they aren't there, the taker joins the
 * line and is called back, so no thread ever waits here. {@link #giveBack} returns the entries of a chain when its last
 * request has completed, and serves the line.
 *
 * <h2>Fairness</h2>
 *
 * The fast path takes entries only while nobody waits; those who wait are served strictly in order of arrival, so a
 * chain that needs many entries waits only for those in front of it. Each waiter leaves the line exactly once, by a
 * grant or by the close.
 *
 * <h2>Threading</h2>
 *
 * Any thread. Waiters are called without the lock held, on the thread that gave entries back or closed.
 *
 * <h2>Invariant</h2>
 *
 * {@code 0 <= available <= depth}, and {@code available == depth} when nothing is posted.
 */
public final class SendQueueEntries {

    /** Somebody who needs entries. */
    public interface Waiter {

        /** How many entries it asked for; constant while it waits. */
        int entriesNeeded();

        /** The entries are the waiter's now. */
        void onEntriesGranted();

        /** The queue closed; the waiter got nothing. */
        void onQueueClosed();
    }

    /** What {@link #take} says. */
    public enum Outcome {
        /** The entries are the caller's. */
        TAKEN,
        /** The waiter is in line and will be called, possibly before this is returned. */
        WAITING,
        /** More entries than the queue has: it can never be satisfied ({@code -EINVAL}). */
        TOO_MANY,
        /** The queue is closed ({@code -ENOTCONN}). */
        CLOSED
    }

    private final int depth;
    private final AtomicInteger available;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Waiter> line = new ArrayDeque<>();
    /** Size of {@link #line}, readable without the lock. Written under the lock only. */
    private volatile int waiting;

    private volatile boolean closed;
    private long starvations;

    /**
     * Starts with all entries free.
     *
     * @param depth how many entries the queue has
     */
    public SendQueueEntries(int depth) {
        if (depth < 1) {
            throw new IllegalArgumentException("a send queue has at least one entry, not " + depth);
        }
        this.depth = depth;
        this.available = new AtomicInteger(depth);
    }

    /** How many entries the queue has. */
    public int depth() {
        return depth;
    }

    /** How many are free now (gauge). */
    public int available() {
        return available.get();
    }

    /** How many wait now (gauge). */
    public int waiting() {
        return waiting;
    }

    /** How often somebody had to wait (counter); counterpart of {@code rdma_stat_sq_starve}. */
    public long starvations() {
        lock.lock();
        try {
            return starvations;
        } finally {
            lock.unlock();
        }
    }

    /** Takes {@code waiter.entriesNeeded()} entries, now or later. Counterpart of {@code svc_rdma_sq_wait(9)}. */
    public Outcome take(Waiter waiter) {
        int needed = waiter.entriesNeeded();
        if (needed > depth) {
            return Outcome.TOO_MANY;
        }
        if (closed) {
            return Outcome.CLOSED;
        }
        if (waiting == 0 && tryTake(needed)) {
            return Outcome.TAKEN;
        }
        lock.lock();
        try {
            if (closed) {
                return Outcome.CLOSED;
            }
            starvations++;
            line.addLast(waiter);
            waiting = line.size();
        } finally {
            lock.unlock();
        }
        // Entries may have come back between the failed try and joining the line, when nobody was there to be woken.
        serveLine();
        return Outcome.WAITING;
    }

    /**
     * Returns the entries of a completed chain, or of one that was not posted, and serves the line. Counterpart of
     * {@code svc_rdma_wake_send_waiters(9)}.
     *
     * @throws IllegalStateException if more entries come back than the queue has
     */
    public void giveBack(int entries) {
        int now = available.addAndGet(entries);
        if (now > depth) {
            throw new IllegalStateException("send queue of " + depth + " entries has " + now + " available");
        }
        if (waiting > 0) {
            serveLine();
        }
    }

    /** Sends everybody in line away and refuses newcomers. Idempotent. */
    public void close() {
        closed = true;
        while (true) {
            Waiter waiter;
            lock.lock();
            try {
                waiter = line.pollFirst();
                waiting = line.size();
            } finally {
                lock.unlock();
            }
            if (waiter == null) {
                return;
            }
            waiter.onQueueClosed();
        }
    }

    private void serveLine() {
        while (true) {
            Waiter waiter;
            lock.lock();
            try {
                waiter = line.peekFirst();
                if (waiter == null || closed || !tryTake(waiter.entriesNeeded())) {
                    return;
                }
                line.removeFirst();
                waiting = line.size();
            } finally {
                lock.unlock();
            }
            waiter.onEntriesGranted();
        }
    }

    private boolean tryTake(int needed) {
        int current = available.get();
        while (current >= needed) {
            if (available.compareAndSet(current, current - needed)) {
                return true;
            }
            current = available.get();
        }
        return false;
    }
}
