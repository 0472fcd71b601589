package io.rpcrdma4j.rpcrdma;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The Read/Write contexts of one connection, kept for reuse until it ends.
 *
 * <p><b>Threading:</b> any thread. <b>Limit:</b> a fixed number exists at most; {@link #get} then gives null, which is
 * the kernel's {@code -ENOMEM}.
 */
final class ReadWriteContexts {

    private final int max;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ReadWriteContext free;
    private int created;
    private int out;

    ReadWriteContexts(int max) {
        this.max = max;
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
            tail.next = free;
            free = head;
            out -= count;
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
