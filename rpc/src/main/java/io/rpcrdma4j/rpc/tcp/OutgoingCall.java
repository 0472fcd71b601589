package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.PendingCall;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import org.jspecify.annotations.Nullable;

/**
 * A client's call on its way. Reused.
 *
 * <p>Owns the head of its messages for good ({@link #free}), the rest of a message until {@link #release}. Confined to
 * the client's event loop.
 */
final class OutgoingCall implements OutgoingRecord {
    private static final int HEAD_BYTES = 1024;

    /** Where the call is. */
    enum State {
        /** Not encoded yet; in the line of those that wait. */
        WAITING,
        /** Taken out of the line, being encoded. */
        ENCODING,
        /** In the writer's queue. */
        QUEUED,
        /** All of it was written. */
        SENT,
        /** Over. */
        OVER
    }

    State state = State.OVER;

    @Nullable
    PendingCall call;

    private final XdrBuffer message = new XdrBuffer();
    private final XdrWriter writer = new XdrWriter(message);
    private @Nullable PayloadBuffer head;
    private final TcpClientEngine engine;

    OutgoingCall(TcpClientEngine engine) {
        this.engine = engine;
    }

    /** Encodes the call, unless it is encoded already: then it is sent again as it is. */
    @Nullable
    RpcException encode(PayloadAllocator memory, PendingCall pending, int recordBytesMax) {
        if (message.fragmentCount() > 0) {
            return null;
        }
        PayloadBuffer target = head;
        if (target == null) {
            target = memory.allocate(HEAD_BYTES);
            head = target;
        }
        writer.start(memory, target, MARK_BYTES, HEAD_BYTES - (long) MARK_BYTES, recordBytesMax);
        RpcException failure = pending.encode(writer);
        if (failure == null && message.length() > recordBytesMax) {
            return new RpcException(
                    RpcException.Kind.NOT_SENT,
                    "a call of " + message.length() + " bytes, more than the limit of " + recordBytesMax);
        }
        return failure;
    }

    /** Gives back what the message holds. */
    void release() {
        message.releaseAll();
    }

    /** Gives back what the object keeps between calls. It is not used again. */
    void free() {
        PayloadBuffer kept = head;
        head = null;
        if (kept != null) {
            kept.release();
        }
    }

    @Override
    public XdrBuffer message() {
        return message;
    }

    @Override
    public void onWritten() {
        engine.onWritten(this);
    }

    /** The engine, which dropped it, knows. */
    @Override
    public void onDropped() {}
}
