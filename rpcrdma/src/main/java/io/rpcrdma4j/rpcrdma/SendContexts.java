package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpc.memory.RpcResourceException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The send contexts of one connection: free ones, and those waiting for their release.
 *
 * <h2>Operation</h2>
 *
 * {@link #get} and {@link #put}; the release of what a context owns is deferred to {@link #drain}, which runs with the
 * endpoint's other work, so that completion handlers stay short.
 *
 * <h2>Buffer ownership</h2>
 *
 * See {@link SendContext}.
 *
 * <h2>Threading</h2>
 *
 * Any thread.
 *
 * <h2>Limit</h2>
 *
 * A fixed number of contexts exists at most. When all are in use, {@link #get} first drains and then gives null: the
 * message that needs one waits until {@link Endpoint.MessageRole#onWork}, and so the peer's credits.
 */
public final class SendContexts {

    private final Endpoint endpoint;
    private final int max;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable SendContext free;
    private int created;
    private int out;
    private boolean closed;
    private final AtomicReference<@Nullable SendContext> releaseList = new AtomicReference<>();

    SendContexts(Endpoint endpoint, int max) {
        this.endpoint = endpoint;
        this.max = max;
    }

    /**
     * Takes a context, empty and with a chain of its Send alone to be made. Counterpart of
     * {@code svc_rdma_send_ctxt_get(9)}.
     *
     * @return null if all are in use or memory is exhausted
     */
    public @Nullable SendContext get() {
        SendContext context = pop();
        if (context == null) {
            drain();
            context = pop();
        }
        if (context == null) {
            context = create();
        }
        if (context != null) {
            context.markTaken();
            context.reset();
        }
        return context;
    }

    /**
     * Queues a context for release; it is not the caller's any more. If the list was empty, the endpoint is woken to
     * drain it, so that the pages of the last reply on an idle connection aren't kept. Counterpart of
     * {@code svc_rdma_send_ctxt_put(9)}.
     *
     * @throws IllegalStateException if it was put before and not taken since: two replies would share its header
     */
    public void put(SendContext context) {
        context.markPut();
        SendContext head;
        do {
            head = releaseList.get();
            context.nextReleased = head;
        } while (!releaseList.compareAndSet(head, context));
        if (head == null) {
            endpoint.wake();
        }
    }

    /**
     * Releases what the queued contexts own and frees them; any thread may do it, and with nothing queued it does
     * nothing. Counterpart of {@code svc_rdma_send_ctxts_drain(9)}.
     */
    public void drain() {
        SendContext context = releaseList.getAndSet(null);
        while (context != null) {
            SendContext next = context.nextReleased;
            context.nextReleased = null;
            context.releaseOwned();
            push(context);
            context = next;
        }
    }

    /** Contexts in use, those on the release list included (gauge). */
    public int outstanding() {
        lock.lock();
        try {
            return out;
        } finally {
            lock.unlock();
        }
    }

    /** Contexts that exist (gauge). */
    public int created() {
        lock.lock();
        try {
            return created;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives back the memory of all free contexts; those still in use follow when they are drained. Counterpart of
     * {@code svc_rdma_send_ctxts_destroy(9)}.
     */
    void destroy() {
        SendContext context;
        lock.lock();
        try {
            closed = true;
            context = free;
            free = null;
        } finally {
            lock.unlock();
        }
        while (context != null) {
            SendContext next = context.nextReleased;
            discard(context);
            context = next;
        }
    }

    private @Nullable SendContext pop() {
        lock.lock();
        try {
            SendContext context = free;
            if (context != null) {
                free = context.nextReleased;
                context.nextReleased = null;
                out++;
            }
            return context;
        } finally {
            lock.unlock();
        }
    }

    private void push(SendContext context) {
        boolean discard;
        lock.lock();
        try {
            out--;
            discard = closed;
            if (!discard) {
                context.nextReleased = free;
                free = context;
            }
        } finally {
            lock.unlock();
        }
        if (discard) {
            discard(context);
        }
    }

    private void discard(SendContext context) {
        context.buffer().release();
        lock.lock();
        try {
            created--;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable SendContext create() {
        lock.lock();
        try {
            if (created == max || closed) {
                return null;
            }
            created++;
            out++;
        } finally {
            lock.unlock();
        }
        try {
            return new SendContext(
                    endpoint,
                    endpoint.nextCompletionId(),
                    endpoint.pool().allocate(endpoint.options().inlineBytes()));
        } catch (RpcResourceException e) {
            lock.lock();
            try {
                created--;
                out--;
            } finally {
                lock.unlock();
            }
            endpoint.trace(TracePoint.DMA_MAP_ERR, 0, endpoint.options().inlineBytes(), 0);
            return null;
        }
    }
}
