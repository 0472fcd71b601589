package io.rpcrdma4j.rpcrdma;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The Read/Write contexts of one connection, kept for reuse until it ends; more than the usual number are let go.
 *
 * <p><b>Threading:</b> any thread. <b>Limit:</b> a fixed number exists at most; {@link #get} then gives null, which is
 * the kernel's {@code -ENOMEM}.
 */
final class ReadWriteContexts {

    private final int max;
    private final int keptMax;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ReadWriteContext free;
    private int created;
    private int out;

    /**
     * Makes contexts as they are needed.
     *
     * @param max the most that exist at a time
     * @param keptMax the most that are kept while nobody uses them
     */
    ReadWriteContexts(int max, int keptMax) {
        this.max = max;
        this.keptMax = keptMax;
    }

    /** Takes a context; null if as many as allowed are in use. */
    @Nullable
    ReadWriteContext get() {
        lock.lock();
        try {
            ReadWriteContext context = free;
            if (context != null) {
                free = context.next;
                context.next = null;
            } else if (created < max) {
                created++;
                context = new ReadWriteContext();
            } else {
                return null;
            }
            out++;
            return context;
        } finally {
            lock.unlock();
        }
    }

    /** Takes back a list of {@code count} contexts from {@code head} to {@code tail}, in one batch. */
    void put(ReadWriteContext head, ReadWriteContext tail, int count) {
        lock.lock();
        try {
            out -= count;
            if (created - out > keptMax) {
                created -= count;
                return;
            }
            tail.next = free;
            free = head;
        } finally {
            lock.unlock();
        }
    }

    /** Contexts in use (gauge). */
    int outstanding() {
        lock.lock();
        try {
            return out;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets every free context, at teardown. Counterpart of {@code svc_rdma_destroy_rw_ctxts(9)}. */
    void destroy() {
        lock.lock();
        try {
            free = null;
            created = out;
        } finally {
            lock.unlock();
        }
    }
}
