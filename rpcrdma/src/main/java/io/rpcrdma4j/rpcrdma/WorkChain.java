package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpcrdma.engine.SendQueueEntries;
import io.rpcrdma4j.verbs.CompletionHandler;
import io.rpcrdma4j.verbs.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * A chain of send-queue requests that is posted as one and completes as one: the Reads of a call, the Writes and the
 * Send of a reply, the Send of a call.
 *
 * <h2>Operation</h2>
 *
 * The owner builds the chain, last request signalled with this object as its handler, and calls {@link #post}. The
 * chain takes its send-queue entries, now or when its turn comes, and is posted. Then exactly one of these happens: the
 * last request completes, in success or flushed, or {@link #onNotPosted} says that nothing was.
 *
 * <h2>Buffer ownership</h2>
 *
 * After {@link #post} the chain and all its memory belong to the device or to the thread that will post it; the caller
 * must not look at it again, since its completion may have been handled already, and the object reused.
 *
 * <h2>Threading</h2>
 *
 * One owner at a time; {@link #post} hands over. The end of the chain comes on the thread that polls completions, or
 * inside {@link #post}.
 *
 * <h2>Errors</h2>
 *
 * Entries are returned by the completion of the last request, or here if nothing was posted. If only a part was posted,
 * the rest follows after the queue pair is in the error state, so that the whole chain is flushed and completes as
 * usual.
 */
public abstract class WorkChain implements SendQueueEntries.Waiter, CompletionHandler {

    /** Why a chain was not posted. */
    public enum NotPosted {
        /** The transport is closing or its queue pair refused the chain ({@code -ENOTCONN}). */
        NOT_CONNECTED,
        /** It needs more entries than the send queue has ({@code -EINVAL}). */
        TOO_MANY_ENTRIES
    }

    private final Endpoint endpoint;
    private @Nullable SendRequest first;
    private int entries;

    /** Makes an empty chain. */
    protected WorkChain(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** The connection that the chain is for. */
    protected final Endpoint endpoint() {
        return endpoint;
    }

    /** Nothing of the chain was posted; it is the owner's again. */
    protected abstract void onNotPosted(NotPosted reason);

    /** Starts over with an empty chain. */
    protected final void clearChain() {
        first = null;
        entries = 0;
    }

    /**
     * Puts {@code count} linked requests in front of the chain, so that they run before all that it has. Counterpart of
     * the kernel's helper that links a chunk's requests before the Send.
     */
    protected final void prepend(SendRequest head, SendRequest tail, int count) {
        tail.next(first);
        first = head;
        entries += count;
    }

    /** Puts a chunk's requests in front of the chain, the last of them signalled and reported to this chain. */
    protected final void linkChunk(ChunkContext chunk) {
        chunk.linkBefore(this, this);
    }

    @Override
    public final int entriesNeeded() {
        return entries;
    }

    /**
     * Posts the chain, now or when its entries are free. Counterpart of {@code svc_rdma_post_send(9)} with
     * {@code svc_rdma_sq_wait(9)}.
     */
    public final void post() {
        Endpoint transport = endpoint;
        switch (transport.sendQueue().take(this)) {
            case TAKEN -> submit();
            case WAITING ->
                transport.trace(TracePoint.SQ_FULL, 0, 0, transport.sendQueue().available());
            case TOO_MANY -> onNotPosted(NotPosted.TOO_MANY_ENTRIES);
            case CLOSED -> onNotPosted(NotPosted.NOT_CONNECTED);
        }
    }

    @Override
    public final void onEntriesGranted() {
        endpoint.trace(TracePoint.SQ_RETRY, 0, entries, endpoint.sendQueue().available());
        submit();
    }

    @Override
    public final void onQueueClosed() {
        onNotPosted(NotPosted.NOT_CONNECTED);
    }

    private void submit() {
        // The completion may come before postSend returns and may reuse this object: what is needed is read first.
        Endpoint transport = endpoint;
        int taken = entries;
        SendRequest head = first;
        if (head == null) {
            throw new IllegalStateException("an empty chain was posted");
        }
        transport.onChainPosting();
        SendRequest refused = transport.queuePair().postSend(head);
        if (refused != null && transport.postFailed(head, refused, taken)) {
            onNotPosted(NotPosted.NOT_CONNECTED);
        }
    }
}
