package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpcrdma.engine.SendQueueEntries;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One connection: its queue pair, its Receives, its send-queue entries, and the two roles on it. Counterpart of
 * {@code struct svcxprt_rdma}; requester and responder are roles, so that a connection may carry calls both ways (RFC
 * 8167).
 *
 * <h2>Operation</h2>
 *
 * {@link #open} makes the queue pair and posts the Receives, before the connection is established. Completions are
 * handled by {@link #run}, which polls both completion queues, lets the handlers record, and then does the work that
 * they queued: messages go to the {@link MessageRole}, contexts whose Sends have completed are released. Handlers never
 * block and never free memory. {@link #scheduleClose} ends the connection from anywhere.
 *
 * <h2>Buffer ownership</h2>
 *
 * Contexts own buffers; see {@link ReceiveContext}, {@link WorkChain}. When the connection has ended and everything
 * posted has been flushed, what the endpoint holds is given back, and {@link MessageRole#onClosed} is told.
 *
 * <h2>Threading</h2>
 *
 * {@link #run} is done by one thread at a time: whichever saw a completion or queued work first. All other methods may
 * be called from any thread.
 *
 * <h2>Errors</h2>
 *
 * A chain that can't be posted, or a completion in error, schedules the close with the reason; the first reason wins.
 */
public final class Endpoint {

    /** A side of the endpoint that messages are for. */
    public interface MessageRole {

        /** Takes ownership of a received message. Called on the thread that runs the endpoint; must not block. */
        void onMessage(ReceiveContext message);

        /** Does work that was queued with {@link Endpoint#wake}; called on the thread that runs the endpoint. */
        void onWork();

        /** The connection is closing: nothing more can be posted. Called once, before {@link #onClosed}. */
        void onClosing(String reason);

        /** The connection is over and nothing is posted any more. Called once. */
        void onClosed();
    }

    private static final int POLL_BATCH = 16;
    /** Send contexts beyond the credits: for errors, and for Sends whose completions are still to come. */
    private static final int SPARE_SENDS = 16;
    /** Unused Read/Write contexts that are kept, for each send-queue entry. */
    private static final int KEPT_FACTOR = 2;
    /** Bytes of a segment in a header (RFC 8166 section 3.4.4). */
    private static final int SEGMENT_BYTES = 16;
    /** The smallest pages that a large payload is expected in. */
    private static final int PAGE_BYTES = 4096;
    /** Parts of a message beside its payload pages. */
    private static final int PARTS = 16;

    private final Connection connection;
    private final RegisteredPool pool;
    private final TransportOptions options;
    private final TransportEvents events;
    private final QueuePair queuePair;
    private final CompletionQueue sendCompletions;
    private final CompletionQueue receiveCompletions;
    private final WorkCompletion[] batch = WorkCompletion.batch(POLL_BATCH);
    private final int credits;
    private final SendQueueEntries sendQueue;
    private final Receives receives;
    private final SendContexts sends;
    private final ReadWriteContexts readWriteContexts;
    private final AtomicLong completionIds = new AtomicLong();
    private final MessageRole role;

    /** Messages received and not yet with the role; touched only by the running thread. */
    private final ArrayDeque<ReceiveContext> received = new ArrayDeque<>();
    /** Work to do on the running thread, from whatever thread. */
    private final ConcurrentLinkedQueue<Runnable> deferred = new ConcurrentLinkedQueue<>();

    private final AtomicInteger pendingRuns = new AtomicInteger();
    private final AtomicReference<@Nullable String> closeReason = new AtomicReference<>();
    /** Chains posted whose last request has not completed, and threads that hold the endpoint. */
    private final AtomicInteger chainsPosted = new AtomicInteger();

    private boolean closing;
    private volatile boolean finished;
    private volatile boolean established;
    private volatile int sendLimit = PeerParameters.DEFAULT_INLINE_BYTES;

    private Endpoint(
            Connection connection,
            RegisteredPool pool,
            TransportOptions options,
            TransportEvents events,
            RoleFactory roles,
            int vector)
            throws IOException {
        this.connection = connection;
        this.pool = pool;
        this.options = options;
        this.events = events;
        Queues queues = Queues.create(connection, pool, options, vector, this::onCompletions);
        this.sendCompletions = queues.sendCompletions();
        this.receiveCompletions = queues.receiveCompletions();
        this.queuePair = queues.pair();
        this.credits = queues.credits();
        this.sendQueue = new SendQueueEntries(queues.sendDepth());
        this.receives = new Receives(
                this, options.inlineBytes(), credits, PeerParameters.REVERSE_CREDITS, credits + SPARE_SENDS);
        this.sends = new SendContexts(this, credits + SPARE_SENDS);
        this.readWriteContexts = new ReadWriteContexts(
                (credits + SPARE_SENDS) * requestsPerMessage(options), KEPT_FACTOR * queues.sendDepth());
        this.role = roles.create(this);
    }

    /**
     * Reads and Writes that one message may need: each segment that its header names begins one, and each piece of
     * memory on our side. So a peer whose calls all have as many segments as they can hold exhausts nothing: its calls
     * wait for send-queue entries.
     */
    private static int requestsPerMessage(TransportOptions options) {
        return options.inlineBytes() / SEGMENT_BYTES + options.payloadBytesMax() / PAGE_BYTES + PARTS;
    }

    /** Makes the role of a new endpoint. */
    @FunctionalInterface
    public interface RoleFactory {
        MessageRole create(Endpoint endpoint);
    }

    /**
     * Makes the queue pair of a connection that is about to be accepted or connected, and posts its Receives.
     *
     * @param connection without a queue pair; the endpoint owns it from here on, also if this method throws
     * @param vector the event thread of the device that is to serve it
     * @throws IOException if the device or its memory is exhausted; everything made so far has been given back
     */
    public static Endpoint open(
            Connection connection,
            RegisteredPool pool,
            TransportOptions options,
            TransportEvents events,
            RoleFactory roles,
            int vector)
            throws IOException {
        Endpoint endpoint;
        try {
            endpoint = new Endpoint(connection, pool, options, events, roles, vector);
        } catch (IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
        if (!endpoint.receives.refill()) {
            endpoint.scheduleClose("no memory for Receives");
            throw new IOException(
                    "no registered memory left for the Receives of a connection with " + connection.remoteAddress());
        }
        endpoint.onCompletions(endpoint.receiveCompletions);
        return endpoint;
    }

    /** The connection below. */
    public Connection connection() {
        return connection;
    }

    /** Where its memory comes from. */
    public RegisteredPool pool() {
        return pool;
    }

    /** How it is sized. */
    public TransportOptions options() {
        return options;
    }

    /** The most credits granted to the peer, or asked of it: as configured, or fewer if the device can't do more. */
    public int credits() {
        return credits;
    }

    /** Its queue pair. */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** Its send-queue entries. */
    public SendQueueEntries sendQueue() {
        return sendQueue;
    }

    Receives receives() {
        return receives;
    }

    /** Its send contexts. */
    public SendContexts sends() {
        return sends;
    }

    ReadWriteContexts readWriteContexts() {
        return readWriteContexts;
    }

    /** Read/Write contexts in use (gauge). */
    public int readWriteContextsInUse() {
        return readWriteContexts.outstanding();
    }

    long nextCompletionId() {
        return completionIds.incrementAndGet();
    }

    /** Receives posted now (gauge). */
    public int receivesPosted() {
        return receives.posted();
    }

    /** Receive contexts that exist (gauge). */
    public int receiveContexts() {
        return receives.created();
    }

    /** Keeps Receives posted for at least {@code count} replies. */
    public void ensureReceives(int count) {
        receives.ensure(count);
    }

    /** The credits that a message to the peer may grant or ask for, see {@link Receives#grant}. */
    public int grant(long asked) {
        return receives.grant(asked);
    }

    /** The longest message, header included, that may be sent to the peer, in bytes. */
    public int sendLimit() {
        return sendLimit;
    }

    /** Sets {@link #sendLimit()} when the peer's parameters are known. */
    public void setSendLimit(int bytes) {
        sendLimit = bytes;
    }

    /** The connection is up: it will be ended in the orderly way. */
    public void setEstablished() {
        established = true;
    }

    /** Whether nothing more can be posted. */
    public boolean isClosing() {
        return closeReason.get() != null;
    }

    /** Whether the connection is over and the endpoint holds nothing any more. */
    public boolean isFinished() {
        return finished;
    }

    /** Why it closed; null if it did not. */
    public @Nullable String closeReason() {
        return closeReason.get();
    }

    /** Tells of a moment. */
    public void trace(TracePoint point, long id, long first, long second) {
        events.on(point, queuePair.number(), id, first, second);
    }

    /** Tells of a Send that is about to be posted. */
    public void traceSend(SendContext context) {
        trace(
                TracePoint.POST_SEND,
                context.id(),
                context.entriesNeeded(),
                context.send().byteLength());
    }

    /** Ends the connection; the first reason wins. Does not wait and calls nobody back. */
    public void scheduleClose(String reason) {
        if (closeReason.compareAndSet(null, reason)) {
            run();
        }
    }

    /** Has {@code work} done on the thread that runs the endpoint. */
    public void defer(Runnable work) {
        deferred.add(work);
        run();
    }

    /**
     * Keeps the endpoint from finishing while a thread builds something on it; {@link #letGo} ends that. Before
     * {@link MessageRole#onClosing} has been called.
     */
    public void hold() {
        chainsPosted.incrementAndGet();
    }

    /** Ends a {@link #hold}. */
    public void letGo() {
        chainsPosted.decrementAndGet();
        if (isClosing()) {
            run();
        }
    }

    /** Has {@link MessageRole#onWork} called on the thread that runs the endpoint. */
    public void wake() {
        run();
    }

    void onReceived(ReceiveContext context) {
        received.addLast(context);
    }

    // Posting.

    void onChainPosting() {
        chainsPosted.incrementAndGet();
    }

    /**
     * The last request of a chain has completed: its entries are free again. Done first by every handler of a chain's
     * last request.
     */
    public void onChainCompleted(int entries) {
        sendQueue.giveBack(entries);
        chainsPosted.decrementAndGet();
    }

    /**
     * Decides what became of a chain that was not posted whole. Counterpart of {@code svc_rdma_post_send_err(9)}.
     *
     * @return true if nothing was posted: all entries are back and the chain is its owner's; false if it will complete
     */
    boolean postFailed(SendRequest first, SendRequest refused, int entries) {
        boolean none = refused == first;
        trace(TracePoint.SQ_POST_ERR, 0, refused.postStatus().errno(), none ? 0 : 1);
        scheduleClose("posting to the send queue failed: " + refused.postStatus());
        queuePair.toError();
        // With something posted, the rest must be flushed behind it, for the completion of the last request to come.
        if (!none && queuePair.postSend(refused) == null) {
            return false;
        }
        onChainCompleted(entries);
        return true;
    }

    // Running.

    private void onCompletions(CompletionQueue queue) {
        run();
    }

    /** Handles completions and queued work, unless another call of it is doing so: then that one goes round again. */
    private void run() {
        if (pendingRuns.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            runOnce();
            seen = pendingRuns.addAndGet(-seen);
        } while (seen != 0);
    }

    private void runOnce() {
        if (finished) {
            work();
            return;
        }
        boolean missed;
        do {
            boolean busy;
            do {
                busy = poll(receiveCompletions);
                busy |= poll(sendCompletions);
                work();
            } while (busy);
            missed = receiveCompletions.arm();
            missed |= sendCompletions.arm();
        } while (missed);
        closeIfAsked();
    }

    private boolean poll(CompletionQueue queue) {
        int count = queue.poll(batch);
        for (int i = 0; i < count; i++) {
            batch[i].dispatch(queue);
        }
        return count > 0;
    }

    private void work() {
        sends.drain();
        Runnable next = deferred.poll();
        while (next != null) {
            next.run();
            next = deferred.poll();
        }
        ReceiveContext message = received.pollFirst();
        while (message != null) {
            role.onMessage(message);
            message = received.pollFirst();
        }
        role.onWork();
    }

    private void closeIfAsked() {
        String reason = closeReason.get();
        if (reason == null) {
            return;
        }
        if (!closing) {
            closing = true;
            trace(TracePoint.CLOSE, 0, 0, 0);
            sendQueue.close();
            role.onClosing(reason);
            if (established) {
                connection.disconnect();
            }
            queuePair.toError();
            pendingRuns.incrementAndGet();
            return;
        }
        if (receives.posted() == 0 && chainsPosted.get() == 0) {
            finished = true;
            connection.close();
            sendCompletions.close();
            receiveCompletions.close();
            work();
            receives.close();
            sends.destroy();
            readWriteContexts.destroy();
            role.onClosed();
        }
    }
}
