package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.rpcrdma4j.verbs.CompletionHandler;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;

/**
 * One message received or to be received: its buffer, its parsed header. Counterpart of {@code struct
 * svc_rdma_recv_ctxt}.
 *
 * <h2>Buffer ownership</h2>
 *
 * Receive queue, then (by the completion) the endpoint's queue of received messages, then the role that the message is
 * for, which gives it back with {@link #release()}, exactly once, when nothing reads the message any more.
 *
 * <h2>Threading</h2>
 *
 * The owner's.
 */
public final class ReceiveContext implements CompletionHandler {

    private final Endpoint endpoint;
    private final long id;
    private final RegisteredBuffer buffer;
    private final ReceiveRequest request = new ReceiveRequest(1);
    private final TransportHeader header = new TransportHeader();
    private int length;
    private boolean withInvalidate;
    private int invalidatedKey;

    ReceiveContext(Endpoint endpoint, long id, RegisteredBuffer buffer) {
        this.endpoint = endpoint;
        this.id = id;
        this.buffer = buffer;
    }

    /** The request, ready to be posted. */
    ReceiveRequest prepare(int bytes) {
        return request.reset().identity(id, this).segment(buffer.region(), buffer.offset(), bytes);
    }

    /** The completion id that events name. */
    public long id() {
        return id;
    }

    /** The received bytes, from the first header word; only the first {@link #length()} are the message. */
    public MemorySegment message() {
        return buffer.segment();
    }

    /** How many bytes were received. */
    public int length() {
        return length;
    }

    /** The parser that holds this message's header. */
    public TransportHeader header() {
        return header;
    }

    /** Whether the peer invalidated {@link #invalidatedKey()} with this message. */
    public boolean isWithInvalidate() {
        return withInvalidate;
    }

    /** The key that the peer invalidated. */
    public int invalidatedKey() {
        return invalidatedKey;
    }

    /** Gives the context back; it may be posted again at once. Counterpart of {@code svc_rdma_recv_ctxt_put(9)}. */
    public void release() {
        endpoint.receives().release(this);
    }

    RegisteredBuffer buffer() {
        return buffer;
    }

    @Override
    public void onCompletion(CompletionQueue queue, WorkCompletion completion) {
        if (completion.isSuccess()) {
            length = completion.byteLength();
            withInvalidate = completion.isWithInvalidate();
            invalidatedKey = withInvalidate ? completion.invalidatedKey() : 0;
        }
        endpoint.receives().onCompletion(this, completion);
    }
}
