package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The Receives of one connection and the credits that follow from them.
 *
 * <h2>Operation</h2>
 *
 * As many Receives are kept posted as credits are granted, and a batch more. A connection starts with few; while the
 * peer keeps more than half of its credits in use they double, up to the configured most, so that idle connections cost
 * little. {@link #grant} is what a reply may promise: never more than what is posted for it, never 0.
 *
 * <h2>Buffer ownership</h2>
 *
 * See {@link ReceiveContext}. {@link #created} contexts exist; each is free, posted, or with a role.
 *
 * <h2>Threading</h2>
 *
 * Completions come on one thread at a time; {@link #release} may be called from any thread.
 *
 * <h2>Errors</h2>
 *
 * A Receive that can't be posted, or completes in error, ends the connection: a peer that sends into an empty receive
 * queue would be cut off anyway. When memory runs out, fewer Receives are posted and fewer credits granted; if none are
 * left, the connection ends.
 */
final class Receives {

    /** How many Receives are posted at a time, and how many beyond the credits stay posted. */
    private static final int BATCH = 8;

    private static final int INITIAL_CREDITS = 16;

    private final Endpoint endpoint;
    private final int bytes;
    private final int creditsMax;
    private final int reserved;
    private final int createdMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<ReceiveContext> free = new ArrayDeque<>();
    private int created;
    private int posted;
    private int credits;
    private boolean closed;

    /**
     * Makes contexts as they are needed.
     *
     * @param bytes the length of each
     * @param creditsMax the most credits ever granted
     * @param reserved Receives kept beyond the credits, for messages of the other direction
     * @param inFlightMax the most messages that may be with roles when their contexts are not needed for receiving
     */
    Receives(Endpoint endpoint, int bytes, int creditsMax, int reserved, int inFlightMax) {
        this.endpoint = endpoint;
        this.bytes = bytes;
        this.creditsMax = creditsMax;
        this.reserved = reserved;
        this.createdMax = depth(creditsMax, reserved) + creditsMax + inFlightMax;
        this.credits = Math.min(creditsMax, INITIAL_CREDITS);
    }

    /** The entries that the receive queue needs. */
    static int depth(int creditsMax, int reserved) {
        return creditsMax + reserved + 2 * BATCH;
    }

    /**
     * Posts what is missing. Counterpart of {@code svc_rdma_refresh_recvs}.
     *
     * @return whether at least as many are posted as credits were promised
     */
    boolean refill() {
        ReceiveRequest head = null;
        int count = 0;
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            int inUse = created - free.size() - posted;
            if (inUse * 2 > credits && credits < creditsMax) {
                credits = Math.min(credits * 2, creditsMax);
            }
            int wanted = credits + reserved + BATCH;
            if (posted >= wanted - BATCH) {
                return true;
            }
            while (posted + count < wanted) {
                ReceiveContext context = takeFree();
                if (context == null) {
                    break;
                }
                head = context.prepare(bytes).next(head);
                count++;
            }
            if (head == null) {
                return posted > 0;
            }
            posted += count;
        } finally {
            lock.unlock();
        }
        return post(head, count);
    }

    private boolean post(ReceiveRequest head, int count) {
        ReceiveRequest refused = endpoint.queuePair().postReceive(head);
        if (refused == null) {
            return true;
        }
        int lost = 0;
        lock.lock();
        try {
            for (ReceiveRequest request = refused; request != null; request = request.next()) {
                posted--;
                lost++;
                if (request.handler() instanceof ReceiveContext context) {
                    free.addLast(context);
                }
            }
        } finally {
            lock.unlock();
        }
        endpoint.trace(TracePoint.RQ_POST_ERR, 0, lost, refused.postStatus().errno());
        endpoint.scheduleClose("posting " + lost + " of " + count + " Receives failed: " + refused.postStatus());
        return false;
    }

    private @Nullable ReceiveContext takeFree() {
        ReceiveContext context = free.pollLast();
        if (context != null || created == createdMax) {
            return context;
        }
        try {
            RegisteredBuffer buffer = endpoint.pool().allocate(bytes);
            created++;
            return new ReceiveContext(endpoint, created, buffer);
        } catch (RpcResourceException e) {
            endpoint.trace(TracePoint.DMA_MAP_ERR, 0, bytes, 0);
            return null;
        }
    }

    /** Handles the completion of a Receive. Counterpart of {@code svc_rdma_wc_receive(9)}. */
    void onCompletion(ReceiveContext context, WorkCompletion completion) {
        int left;
        lock.lock();
        try {
            left = --posted;
        } finally {
            lock.unlock();
        }
        if (completion.isSuccess()) {
            endpoint.trace(TracePoint.WC_RECV, context.id(), context.length(), left);
            // Receives first: a message whose successor could not be received must not be acted on.
            if (refill()) {
                endpoint.onReceived(context);
                return;
            }
            endpoint.scheduleClose("no Receive could be posted");
        } else if (completion.status() == CompletionStatus.FLUSHED) {
            endpoint.trace(TracePoint.WC_RECV_FLUSH, context.id(), 0, 0);
        } else {
            endpoint.trace(
                    TracePoint.WC_RECV_ERR, context.id(), completion.status().code(), 0);
            endpoint.scheduleClose("Receive failed: " + completion);
        }
        release(context);
    }

    void release(ReceiveContext context) {
        boolean discard;
        lock.lock();
        try {
            discard = closed;
            if (discard) {
                created--;
            } else {
                free.addLast(context);
            }
        } finally {
            lock.unlock();
        }
        if (discard) {
            context.buffer().release();
        }
    }

    /**
     * The credits that a message to the peer may grant.
     *
     * @param asked what the peer asked for, unsigned 32-bit
     * @return 1 to the Receives that are posted for it
     */
    int grant(long asked) {
        lock.lock();
        try {
            // Fewer than the credits are posted only while memory is short.
            return (int) Math.max(1, Math.min(asked, Math.min(credits, posted - reserved)));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps at least {@code wanted} Receives for the credits of the other direction: a requester calls it before it
     * uses a larger grant.
     */
    void ensure(int wanted) {
        lock.lock();
        try {
            if (wanted <= credits) {
                return;
            }
            credits = Math.min(wanted, creditsMax);
        } finally {
            lock.unlock();
        }
        refill();
    }

    /** Receives posted now (gauge). */
    int posted() {
        lock.lock();
        try {
            return posted;
        } finally {
            lock.unlock();
        }
    }

    /** Contexts that exist (gauge); 0 when the connection is closed and every role has released what it had. */
    int created() {
        lock.lock();
        try {
            return created;
        } finally {
            lock.unlock();
        }
    }

    /** Gives all memory back; what roles still hold follows when they release it. */
    void close() {
        ArrayDeque<ReceiveContext> leaving;
        lock.lock();
        try {
            closed = true;
            leaving = new ArrayDeque<>(free);
            free.clear();
            created -= leaving.size();
        } finally {
            lock.unlock();
        }
        leaving.forEach(context -> context.buffer().release());
    }
}
