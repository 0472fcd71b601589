package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.verbs.CompletionHandler;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One message being built or sent: its header buffer, its Send, and the Writes that run before it. Counterpart of
 * {@code struct svc_rdma_send_ctxt}.
 *
 * <h2>Operation</h2>
 *
 * {@link SendContexts#get}, build, {@link #post}; the rest happens by itself: the Send's completion, success or flush,
 * puts the context on the release list, and {@link SendContexts#drain} gives back what it owns and makes it free again.
 * A context that was never posted is {@link SendContexts#put} by its owner and takes the same way.
 *
 * <h2>Buffer ownership</h2>
 *
 * It keeps the RPC message with its pages, by what {@link #setOnRelease} stands for, and a pulled-up copy until it is
 * drained. The Send is the last request of the chain, so that its completion proves that the Writes before it are
 * through with their memory as well; completions of Writes release nothing.
 *
 * <h2>Threading</h2>
 *
 * One owner at a time: builder, device, release list, free list.
 *
 * <h2>Errors</h2>
 *
 * A failed or flushed Send schedules the close after the context was put.
 */
public final class SendContext extends WorkChain {

    private final long id;
    private final RegisteredBuffer buffer;
    private final SendRequest send;
    private final AtomicBoolean taken = new AtomicBoolean();
    private @Nullable RegisteredBuffer linear;
    private @Nullable Runnable onRelease;
    /** Next on the release list; written before the context is published there. */
    @Nullable
    SendContext nextReleased;

    SendContext(Endpoint endpoint, long id, RegisteredBuffer buffer) {
        super(endpoint);
        this.id = id;
        this.buffer = buffer;
        this.send = new SendRequest(endpoint.queuePair().options().sendSegmentsMax());
    }

    /** The completion id that events name. */
    public long id() {
        return id;
    }

    /** The registered memory for the transport header and the inline RPC message behind it. */
    public RegisteredBuffer buffer() {
        return buffer;
    }

    /** The Send that ends the chain. */
    public SendRequest send() {
        return send;
    }

    /** It has an owner from here on. */
    void markTaken() {
        taken.set(true);
    }

    /** Its owner lets go of it. */
    void markPut() {
        if (!taken.compareAndSet(true, false)) {
            throw new IllegalStateException("send context " + id + " was put before");
        }
    }

    /** Starts over: an empty message, a chain of the Send alone. */
    void reset() {
        clearChain();
        send.reset().identity(id, this).signaled(true);
    }

    /** Starts the chain over with the Send alone. */
    public void chainSendAlone() {
        clearChain();
        prepend(send, send, 1);
    }

    /** What else is to be given back with this context; called once by the drain. */
    public void setOnRelease(@Nullable Runnable action) {
        onRelease = action;
    }

    /** Takes ownership of a buffer that holds the whole message after a pull-up. */
    public void keepLinear(@Nullable RegisteredBuffer target) {
        linear = target;
    }

    /** Puts the Reads or Writes of a chunk in front of the chain; nothing if there are none. */
    public void prepend(ChunkContext chunk, CompletionHandler handler) {
        chunk.linkBefore(this, handler);
    }

    /** Gives back all that the context owns. Called by the drain alone. */
    void releaseOwned() {
        RegisteredBuffer pulledUp = linear;
        if (pulledUp != null) {
            linear = null;
            pulledUp.release();
        }
        Runnable action = onRelease;
        if (action != null) {
            onRelease = null;
            action.run();
        }
    }

    /**
     * Handles the completion of the Send: entries back first, then the context onto the release list. Counterpart of
     * {@code svc_rdma_wc_send(9)}.
     */
    @Override
    public void onCompletion(CompletionQueue queue, WorkCompletion completion) {
        Endpoint transport = endpoint();
        int entries = entriesNeeded();
        transport.onChainCompleted(entries);
        boolean success = completion.isSuccess();
        if (success) {
            transport.trace(TracePoint.WC_SEND, id, entries, 0);
        } else if (completion.status() == CompletionStatus.FLUSHED) {
            transport.trace(TracePoint.WC_SEND_FLUSH, id, entries, 0);
        } else {
            transport.trace(TracePoint.WC_SEND_ERR, id, completion.status().code(), entries);
        }
        String failure = success ? "" : "Send failed: " + completion;
        transport.sends().put(this);
        if (!success) {
            transport.scheduleClose(failure);
        }
    }

    @Override
    protected void onNotPosted(NotPosted reason) {
        endpoint().trace(TracePoint.SEND_ERR, id, 0, 0);
        endpoint().sends().put(this);
        if (reason == NotPosted.TOO_MANY_ENTRIES) {
            endpoint()
                    .scheduleClose("a reply needs more send-queue entries than the "
                            + endpoint().sendQueue().depth() + " there are");
        }
    }
}
