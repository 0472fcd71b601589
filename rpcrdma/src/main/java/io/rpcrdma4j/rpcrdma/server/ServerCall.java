package io.rpcrdma4j.rpcrdma.server;

import io.rpcrdma4j.rpc.RpcConnection;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import io.rpcrdma4j.rpcrdma.ReceiveContext;
import io.rpcrdma4j.rpcrdma.SendContext;
import io.rpcrdma4j.rpcrdma.wire.HeaderEncoder;
import io.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way through the responder.
 *
 * <h2>Operation</h2>
 *
 * {@link #start} with the received message and a send context for its answer; then either {@link #refuse} or, perhaps
 * after Reads, {@link #serve}. Whatever the program does, the send context ends up on the release list, and its drain
 * calls {@link #finish}: the call is over and the object free.
 *
 * <h2>Buffer ownership</h2>
 *
 * From start to finish it owns the received message, the buffers of its Read chunks, and its reply. So arguments stay
 * valid until the reply's Send has completed, and a reply may refer to them.
 *
 * <h2>Threading</h2>
 *
 * The endpoint's thread, then the program's, then whichever drains.
 */
final class ServerCall extends RpcServerCall implements CallReader.Listener {

    private final Responder responder;
    private final CallReader reader;
    private final ReplySender sender;
    private final Runnable onRelease = this::finish;
    private @Nullable ReceiveContext received;
    private @Nullable SendContext send;
    private boolean begun;

    ServerCall(Responder responder) {
        this.responder = responder;
        this.reader = new CallReader(responder.endpoint(), this);
        this.sender = new ReplySender(responder.endpoint());
    }

    /** Takes ownership of both contexts. */
    void start(ReceiveContext message, SendContext context) {
        received = message;
        send = context;
        begun = false;
        context.setOnRelease(onRelease);
    }

    TransportHeader transportHeader() {
        return message().header();
    }

    /** Answers with an RDMA_ERROR. */
    void refuse(int error) {
        sender.sendErrorMessage(context(), transportHeader(), error);
    }

    /** Lets the call go without an answer. */
    void abandon() {
        responder.endpoint().sends().put(context());
    }

    /** Starts to pull the call's chunks; after POSTED the call is not the caller's. */
    CallReader.Outcome pull() {
        return reader.processReadList(transportHeader());
    }

    /** The Reads have completed: their contexts serve others while the call goes on. */
    void finishReads() {
        reader.finishReads();
    }

    /** Has the program serve the call, whose chunks are here. */
    void serve() {
        ReceiveContext message = message();
        TransportHeader header = message.header();
        MemorySegment longCall = reader.callMessage();
        begun = true;
        if (longCall == null) {
            begin(
                    message.message(),
                    header.headerLength(),
                    header.inlineLength(),
                    header.chunks().readSegmentCount() == 0 ? null : reader);
        } else {
            begin(longCall, 0, reader.callLength(), reader);
        }
        responder.dispatcher().dispatch(this);
    }

    /** The XID at the start of a long call, to be compared with the header's. */
    boolean isXidConsistent() {
        MemorySegment longCall = reader.callMessage();
        return longCall == null
                || (reader.callLength() >= Integer.BYTES
                        && longCall.get(Responder.XDR_INT, 0)
                                == transportHeader().xid());
    }

    /** Everything of the call is given back; called by the drain, once. */
    private void finish() {
        sender.releaseChunks();
        if (begun) {
            end();
        }
        reader.release();
        ReceiveContext message = message();
        received = null;
        send = null;
        message.release();
        responder.onCallFinished(this);
    }

    private ReceiveContext message() {
        ReceiveContext message = received;
        if (message == null) {
            throw new AssertionError("the call has no message");
        }
        return message;
    }

    private SendContext context() {
        SendContext context = send;
        if (context == null) {
            throw new AssertionError("the call has no send context");
        }
        return context;
    }

    @Override
    public void onReadsDone() {
        responder.onReadsDone(this);
    }

    @Override
    public void onReadsFailed(boolean accessFailure) {
        responder.onReadsFailed(this, accessFailure);
    }

    @Override
    public RpcConnection connection() {
        return responder.connection();
    }

    @Override
    public PayloadAllocator memory() {
        return responder.endpoint().pool();
    }

    @Override
    public long replyLimit() {
        TransportHeader header = transportHeader();
        WriteChunk replyChunk = header.chunks().replyChunk();
        long inline = responder.endpoint().sendLimit() - HeaderEncoder.replyLength(header.chunks());
        return replyChunk == null ? Math.max(inline, 0) : replyChunk.length();
    }

    @Override
    protected void startReply(XdrWriter replyWriter) {
        SendContext context = context();
        long capacity = context.buffer().capacity();
        long headerLength = Math.min(HeaderEncoder.replyLength(transportHeader().chunks()), capacity);
        replyWriter.start(memory(), context.buffer(), headerLength, capacity - headerLength, replyLimit());
    }

    @Override
    protected void transmit(XdrBuffer message) {
        sender.sendTo(context(), message, transportHeader(), responder.peerInvalidates());
    }

    @Override
    protected void discard() {
        abandon();
    }

    @Override
    protected void malformed(String reason) {
        responder.logRefusal(transportHeader().xid(), reason);
        refuse(TransportHeader.ERR_CHUNK);
    }

    @Override
    protected void replyTooLong(XdrWriter replyWriter) {
        refuse(TransportHeader.ERR_CHUNK);
    }
}
