package io.rpcrdma4j.rpcrdma.client;

import io.rpcrdma4j.rpc.PendingCall;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrOverflowException;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import io.rpcrdma4j.rpcrdma.RegisteredBuffer;
import io.rpcrdma4j.rpcrdma.RegisteredPool;
import org.jspecify.annotations.Nullable;

/**
 * A call's message, encoded once: it outlives connections, so that a call that is sent again is the same to the bit.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns a buffer for the transport header and the head of the message, and all that the message refers to, from
 * {@link #encode} to {@link #release}.
 *
 * <h2>Threading</h2>
 *
 * One owner at a time: the thread that starts the call, then the link or the requester that has it.
 */
final class CallMessage {

    /**
     * Room before the message for the transport header: the longest that a call gets, with {@link #FRAGMENTS_MAX} Read
     * segments, a Write chunk and a Reply chunk of one segment each.
     */
    static final int HEADROOM = 28 + 24 * CallMessage.FRAGMENTS_MAX + 24 + 20;

    /** A message in more pieces than this is copied into one before it is exposed. */
    static final int FRAGMENTS_MAX = 8;

    private final RegisteredPool pool;
    private final int inlineBytes;
    private final long limitBytes;
    private final XdrBuffer message = new XdrBuffer();
    private final XdrWriter writer = new XdrWriter(message);
    private @Nullable RegisteredBuffer buffer;
    private @Nullable PendingCall call;

    CallMessage(RegisteredPool pool, int inlineBytes, long limitBytes) {
        this.pool = pool;
        this.inlineBytes = inlineBytes;
        this.limitBytes = limitBytes;
    }

    /**
     * Encodes a call that was begun.
     *
     * @return why that failed, or null; after a failure nothing is held
     */
    @Nullable
    RpcException encode(PendingCall pending) {
        RegisteredBuffer head;
        try {
            head = pool.allocate(HEADROOM + (long) inlineBytes);
        } catch (RpcResourceException e) {
            return new RpcException(RpcException.Kind.NOT_SENT, "the call was not encoded: " + e.getMessage(), e);
        }
        buffer = head;
        call = pending;
        RpcException failure;
        try {
            writer.start(pool, head, HEADROOM, inlineBytes, limitBytes);
            failure = pending.encode(writer);
            if (failure == null && message.length() > limitBytes) {
                failure = new RpcException(
                        RpcException.Kind.NOT_SENT,
                        "the call has " + message.length() + " bytes, more than the limit of " + limitBytes);
            }
        } catch (XdrOverflowException | RpcResourceException e) {
            failure = new RpcException(RpcException.Kind.NOT_SENT, "the call was not encoded: " + e.getMessage(), e);
        }
        if (failure != null) {
            release();
        }
        return failure;
    }

    /** The encoded message. */
    XdrBuffer message() {
        return message;
    }

    /** The buffer of the head, with {@link #HEADROOM} bytes before it. */
    RegisteredBuffer buffer() {
        RegisteredBuffer current = buffer;
        if (current == null) {
            throw new AssertionError("no call was encoded");
        }
        return current;
    }

    /** The call that it is of. */
    PendingCall call() {
        PendingCall current = call;
        if (current == null) {
            throw new AssertionError("no call was encoded");
        }
        return current;
    }

    /** Gives everything back; the object may be used for another call. */
    void release() {
        message.releaseAll();
        call = null;
        RegisteredBuffer head = buffer;
        if (head != null) {
            buffer = null;
            head.release();
        }
    }
}
