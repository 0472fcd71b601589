package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.rpc.RpcException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Calls of one file that are under way, in the order in which they were started. One thread starts them and waits for
 * the oldest; the transport's threads report the ends.
 *
 * @param <C> the calls
 */
final class TransferLine<C extends NfsCall> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private final ArrayDeque<C> underWay = new ArrayDeque<>();
    private final long patienceNanos;

    TransferLine(NfsClientOptions options) {
        patienceNanos = Calls.patienceNanos(options.timeout());
    }

    /** What the transport's threads and the waiting thread share about one call. */
    static final class Outcome {
        /** Guarded by the line's lock. */
        private boolean isDone;

        private @Nullable RpcException failure;
    }

    /** Notes a call that is about to be started. */
    void add(C call, Outcome outcome) {
        reopen(outcome);
        underWay.addLast(call);
    }

    /** Notes that a call which ended is about to be started again, at its old place. */
    void reopen(Outcome outcome) {
        lock.lock();
        try {
            outcome.isDone = false;
            outcome.failure = null;
        } finally {
            lock.unlock();
        }
    }

    /** Starts a call that was noted. If that can't be done, that is its end. */
    void start(Nfs3Client client, C call, Outcome outcome) {
        try {
            client.start(call);
        } catch (RuntimeException e) {
            end(outcome, new RpcException(RpcException.Kind.NOT_SENT, "the call cannot be sent: " + e.getMessage(), e));
        }
    }

    /** Number of calls that were started and not taken off. */
    int size() {
        return underWay.size();
    }

    /** The oldest call, or null. */
    @Nullable
    C oldest() {
        return underWay.peekFirst();
    }

    /** Takes the oldest call off. */
    void removeOldest() {
        underWay.removeFirst();
    }

    /** All calls, to be abandoned. */
    Iterable<C> all() {
        return underWay;
    }

    /** The end of a call; on any thread. */
    void end(Outcome outcome, @Nullable RpcException failure) {
        lock.lock();
        try {
            outcome.failure = failure;
            outcome.isDone = true;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a call has ended. */
    boolean isDone(Outcome outcome) {
        lock.lock();
        try {
            return outcome.isDone;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the end of a call.
     *
     * @return why it has no answer, or null if it has one
     * @throws InterruptedIOException if the thread is interrupted; the call goes on
     * @throws IOException if the call does not end, against all promises
     */
    @Nullable
    RpcException await(Outcome outcome) throws IOException {
        try {
            lock.lockInterruptibly();
            try {
                long left = patienceNanos;
                while (!outcome.isDone) {
                    if (left <= 0) {
                        throw new IOException("the transport did not end a call in its time");
                    }
                    left = ended.awaitNanos(left);
                }
                return outcome.failure;
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a call was under way");
        }
    }

    /** Waits for the end of a call, however often the thread is interrupted. False if it does not end. */
    boolean awaitUninterruptibly(Outcome outcome) {
        boolean interrupted = false;
        lock.lock();
        try {
            long left = patienceNanos;
            while (!outcome.isDone && left > 0) {
                try {
                    left = ended.awaitNanos(left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return outcome.isDone;
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
