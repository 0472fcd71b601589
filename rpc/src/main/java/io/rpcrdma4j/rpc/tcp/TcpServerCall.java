package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.RpcConnection;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import org.jspecify.annotations.Nullable;

/**
 * A call that came by TCP. Reused within its connection.
 *
 * <h2>Buffer ownership</h2>
 *
 * Owns the record while the call is open, and the head of its replies for good ({@link #free}). The reply's other
 * buffers are released when the reply is written or dropped.
 *
 * <h2>Threading</h2>
 *
 * The program answers on any thread; all that follows happens on the connection's event loop.
 */
final class TcpServerCall extends RpcServerCall implements OutgoingRecord {
    private static final int HEAD_BYTES = 1024;

    private final TcpServerConnection connection;
    private final Runnable sendOnLoop = this::sendOnLoop;
    private final Runnable endOnLoop = this::endOnLoop;
    private @Nullable PayloadBuffer record;
    private @Nullable PayloadBuffer head;
    private @Nullable XdrBuffer reply;

    TcpServerCall(TcpServerConnection connection) {
        this.connection = connection;
    }

    /** Takes ownership of the record and serves it. */
    void serve(PayloadBuffer received, int length) {
        record = received;
        begin(received.segment(), 0, length, null);
        connection.server.dispatcher.dispatch(this);
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
    public RpcConnection connection() {
        return connection;
    }

    @Override
    public PayloadAllocator memory() {
        return connection.server.memory;
    }

    @Override
    public long replyLimit() {
        return connection.server.limits.recordBytes();
    }

    @Override
    protected void startReply(XdrWriter replyWriter) {
        PayloadBuffer target = head;
        if (target == null) {
            target = connection.server.memory.allocate(HEAD_BYTES);
            head = target;
        }
        replyWriter.start(connection.server.memory, target, MARK_BYTES, HEAD_BYTES - (long) MARK_BYTES, replyLimit());
    }

    @Override
    protected void transmit(XdrBuffer message) {
        if (message.length() > replyLimit()) {
            replyTooLong(restartReply());
            return;
        }
        reply = message;
        if (connection.loop.isOnLoop()) {
            sendOnLoop();
        } else {
            connection.loop.execute(sendOnLoop);
        }
    }

    @Override
    protected void discard() {
        if (connection.loop.isOnLoop()) {
            endOnLoop();
        } else {
            connection.loop.execute(endOnLoop);
        }
    }

    @Override
    protected void malformed(String reason) {
        connection.onMalformed(reason);
        discard();
    }

    @Override
    public XdrBuffer message() {
        XdrBuffer message = reply;
        if (message == null) {
            throw new IllegalStateException("there is no reply");
        }
        return message;
    }

    @Override
    public void onWritten() {
        endOnLoop();
    }

    @Override
    public void onDropped() {
        endOnLoop();
    }

    private void sendOnLoop() {
        connection.send(this);
    }

    private void endOnLoop() {
        reply = null;
        PayloadBuffer received = record;
        record = null;
        end();
        if (received != null) {
            received.release();
        }
        connection.onCallEnded(this);
    }
}
