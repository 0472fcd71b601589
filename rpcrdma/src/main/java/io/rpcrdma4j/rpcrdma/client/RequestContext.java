package io.rpcrdma4j.rpcrdma.client;

import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.rpc.xdr.ChunkClaims;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpcrdma.InlineMessage;
import io.rpcrdma4j.rpcrdma.RegisteredBuffer;
import io.rpcrdma4j.rpcrdma.TracePoint;
import io.rpcrdma4j.rpcrdma.WorkChain;
import io.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.rpcrdma4j.rpcrdma.wire.HeaderEncoder;
import io.rpcrdma4j.rpcrdma.wire.MessageType;
import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call in flight on one connection: what is exposed for it, and how far it is. Counterpart of {@code struct
 * rpcrdma_req}.
 *
 * <h2>Operation</h2>
 *
 * {@link #marshal} decides how arguments and results travel and exposes just the bytes that the server needs, each
 * range under a key of its own; then the Send is posted. The call is over when its reply (or its failure) is there
 * <em>and</em> the Send has completed; before the caller hears of it, all exposure has ended.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns the call's message from {@link #marshal} until {@link #takeMessage}, and the buffer of a Reply chunk. The
 * sink stays the caller's.
 *
 * <h2>Threading</h2>
 *
 * The thread that sends, then the endpoint's.
 *
 * <h2>Errors</h2>
 *
 * {@link #marshal} gives the failure; nothing is exposed then.
 */
final class RequestContext extends WorkChain implements ChunkClaims {

    private final Requester requester;
    private final SendRequest send;
    private final ChunkLists offered = new ChunkLists();
    private final HeaderEncoder encoder = new HeaderEncoder();
    private final InlineMessage inline = new InlineMessage();
    /** Windows made so far; the first {@link #bound} are bound for this call. */
    private final List<MemoryWindow> windows = new ArrayList<>(4);

    private int bound;
    private @Nullable CallMessage message;
    private @Nullable RegisteredBuffer replyBuffer;
    private @Nullable RegisteredBuffer linear;
    private @Nullable RegisteredBuffer sink;
    private int xid;
    private boolean sendDone;
    private boolean replyDone;
    private boolean awaitingReply;
    private boolean queued;
    /** Set when the sending thread is through with all but posting. */
    private volatile boolean marshalled;

    private @Nullable RpcException failure;
    private long resultBytes;
    private boolean resultClaimed;

    RequestContext(Requester requester) {
        super(requester.endpoint());
        this.requester = requester;
        this.send = new SendRequest(requester.endpoint().queuePair().options().sendSegmentsMax());
    }

    /**
     * Takes the call's message. Before {@link #marshal}; under the requester's lock, so that aborts see a whole state.
     */
    void begin(CallMessage callMessage) {
        message = callMessage;
        xid = callMessage.call().xid();
        sendDone = false;
        replyDone = false;
        awaitingReply = true;
        failure = null;
        resultBytes = 0;
        resultClaimed = false;
        marshalled = false;
    }

    /**
     * Decides how the call travels, exposes what is needed and builds the Send.
     *
     * @return why it can't be sent, or null
     */
    @Nullable
    RpcException marshal(CallMessage callMessage, int sendLimit, int receiveLimit, int credits) {
        offered.clear();
        try {
            planReply(callMessage.call().call(), receiveLimit);
            MessageType type = planCall(callMessage.message(), sendLimit);
            RpcException problem = buildSend(callMessage, type, sendLimit, credits);
            marshalled = problem == null;
            return problem;
        } catch (IOException | RpcResourceException e) {
            return new RpcException(RpcException.Kind.NOT_SENT, "can't expose the call's memory: " + e.getMessage(), e);
        }
    }

    /** Offers a Write chunk for the sink, or a Reply chunk, or neither if the longest reply fits inline. */
    private void planReply(ClientCall call, int receiveLimit) throws IOException {
        PayloadBuffer target = call.sink();
        long whole = HeaderEncoder.replyLength(offered) + call.replyBytesMax() + call.sinkLength();
        if (whole <= receiveLimit) {
            return;
        }
        if (target instanceof RegisteredBuffer registered && call.sinkLength() > 0) {
            // Room for the pad, if the sink has it: a server that writes the pad, too, breaks no memory (RFC 8166
            // 4.5.2).
            int room = (int) Math.min((call.sinkLength() + 3L) & ~3L, registered.capacity() - call.sinkOffset());
            MemoryWindow window = bind(registered, call.sinkOffset(), room, Access.REMOTE_WRITE);
            offered.startWriteChunk();
            offered.addWriteSegment(window.key(), room, window.address());
            sink = registered;
            if (HeaderEncoder.replyLength(offered) + call.replyBytesMax() <= receiveLimit) {
                return;
            }
            // Linux servers don't serve a Write list and a Reply chunk together: all of it goes into the Reply chunk.
            sink = null;
            unbindAll();
            offered.clear();
        }
        long bytes = (long) call.replyBytesMax() + call.sinkLength();
        RegisteredBuffer buffer = endpoint().pool().allocate(bytes);
        replyBuffer = buffer;
        MemoryWindow window = bind(buffer, 0, bytes, Access.REMOTE_WRITE);
        offered.startReplyChunk();
        offered.addWriteSegment(window.key(), bytes, window.address());
    }

    /**
     * Offers the payload as a Read chunk, or the whole message as a position-zero chunk, or neither if it fits inline.
     */
    private MessageType planCall(XdrBuffer call, int sendLimit) throws IOException {
        long inlineRoom = sendLimit - HeaderEncoder.callLength(offered);
        if (call.length() <= inlineRoom && !hasForeignPieces(call)) {
            return MessageType.RDMA_MSG;
        }
        int pieces = call.payloadCount() == 1 ? call.payloadFragmentCount(0) : 0;
        long reduced = pieces == 0 ? Long.MAX_VALUE : call.length() - call.payloadLength(0) - call.payloadPad(0);
        long entries = 24L * pieces;
        boolean reducible = pieces > 0 && pieces <= CallMessage.FRAGMENTS_MAX && !hasForeignPieces(call);
        if (reducible && reduced + entries <= inlineRoom) {
            for (int i = 0; i < pieces; i++) {
                exposeFragment(call, call.payloadFragment(0) + i, call.payloadOffset(0));
            }
            return MessageType.RDMA_MSG;
        }
        if (call.fragmentCount() > CallMessage.FRAGMENTS_MAX || hasForeignPieces(call)) {
            exposeCopy(call);
        } else {
            for (int i = 0; i < call.fragmentCount(); i++) {
                exposeFragment(call, i, 0);
            }
        }
        return MessageType.RDMA_NOMSG;
    }

    private static boolean hasForeignPieces(XdrBuffer call) {
        for (int i = 0; i < call.fragmentCount(); i++) {
            if (!(call.fragmentBuffer(i) instanceof RegisteredBuffer)) {
                return true;
            }
        }
        return false;
    }

    private void exposeFragment(XdrBuffer call, int fragment, long position) throws IOException {
        int length = call.fragmentLength(fragment);
        if (length > 0 && call.fragmentBuffer(fragment) instanceof RegisteredBuffer buffer) {
            MemoryWindow window = bind(buffer, call.fragmentOffset(fragment), length, Access.REMOTE_READ);
            offered.addReadSegment(position, window.key(), length, window.address());
        }
    }

    private void exposeCopy(XdrBuffer call) throws IOException {
        RegisteredBuffer copy = endpoint().pool().allocate(call.length());
        linear = copy;
        call.copyTo(0, copy.segment(), 0, call.length());
        MemoryWindow window = bind(copy, 0, call.length(), Access.REMOTE_READ);
        offered.addReadSegment(0, window.key(), call.length(), window.address());
    }

    private @Nullable RpcException buildSend(CallMessage call, MessageType type, int sendLimit, int credits) {
        int headerLength = Math.toIntExact(HeaderEncoder.callLength(offered));
        long start = CallMessage.HEADROOM - (long) headerLength;
        RegisteredBuffer buffer = call.buffer();
        encoder.reset(buffer.segment(), start, CallMessage.HEADROOM);
        int encoded = encoder.encodeCall(xid, credits, type, offered);
        if (encoded != headerLength) {
            throw new AssertionError("a header of " + headerLength + " bytes was encoded in " + encoded);
        }
        send.reset().identity(Integer.toUnsignedLong(xid), this).signaled(true).send();
        inline.start(buffer, start, headerLength, send);
        if (type == MessageType.RDMA_MSG) {
            addInlineParts(call.message());
        }
        if (inline.length() > sendLimit) {
            return new RpcException(
                    RpcException.Kind.NOT_SENT,
                    "the call's header has " + inline.length() + " bytes, more than the server's limit of "
                            + sendLimit);
        }
        inline.checkPullUp(endpoint());
        if (!inline.finish(endpoint())) {
            return new RpcException(RpcException.Kind.NOT_SENT, "no registered memory left to send a call");
        }
        RegisteredBuffer copied = inline.takeLinear();
        if (copied != null) {
            linear = copied;
        }
        clearChain();
        prepend(send, send, 1);
        return null;
    }

    private void addInlineParts(XdrBuffer call) {
        if (offered.readSegmentCount() == 0) {
            inline.addRange(call, 0, call.length());
            return;
        }
        long payload = call.payloadOffset(0);
        inline.addRange(call, 0, payload);
        long behind = payload + call.payloadLength(0) + call.payloadPad(0);
        inline.addRange(call, behind, call.length() - behind);
    }

    private MemoryWindow bind(RegisteredBuffer buffer, long offset, long length, int rights) throws IOException {
        if (bound == windows.size()) {
            windows.add(endpoint().pool().allocateWindow());
        }
        MemoryWindow window = windows.get(bound);
        window.bind(endpoint().queuePair(), buffer.region(), buffer.offset() + offset, length, rights);
        bound++;
        return window;
    }

    private void unbindAll() {
        for (int i = 0; i < bound; i++) {
            windows.get(i).invalidate();
        }
        bound = 0;
    }

    /** Ends all exposure: when this returns, the server can reach no byte of the call. */
    void endExposure() {
        unbindAll();
    }

    /** Whether the thread that sends the call has let go of everything here. */
    boolean isMarshalled() {
        return marshalled;
    }

    /** Whether the server may invalidate this key with its reply. */
    boolean isOurKey(int key) {
        for (int i = 0; i < bound; i++) {
            if (windows.get(i).key() == key) {
                return true;
            }
        }
        return false;
    }

    int xid() {
        return xid;
    }

    ChunkLists offered() {
        return offered;
    }

    /** Where a long reply arrives; null if no Reply chunk was offered. */
    @Nullable
    MemorySegment replySegment() {
        RegisteredBuffer buffer = replyBuffer;
        return buffer == null ? null : buffer.segment();
    }

    /** Notes how many bytes of the result are in the sink by the reply's Write list. */
    void setResultBytes(long bytes) {
        resultBytes = bytes;
    }

    boolean isAwaitingReply() {
        return awaitingReply;
    }

    /** The call will not be answered, or was. */
    void setReplyDone(@Nullable RpcException newFailure) {
        replyDone = true;
        failure = newFailure;
    }

    /** No reply is outstanding on the connection any more. */
    void stopAwaitingReply() {
        awaitingReply = false;
    }

    @Nullable
    RpcException failure() {
        return failure;
    }

    /** Whether the call is over: answered or given up, and the Send completed. */
    boolean isOver() {
        return sendDone && replyDone;
    }

    /** Nothing was posted, nor will be. */
    void setNotSent() {
        sendDone = true;
    }

    boolean isSendDone() {
        return sendDone;
    }

    /** Notes whether the request is in the requester's queue; false if that is no news. */
    boolean markQueued(boolean value) {
        boolean news = queued != value;
        queued = value;
        return news;
    }

    boolean isReplyDone() {
        return replyDone;
    }

    @Nullable
    CallMessage message() {
        return message;
    }

    /** Moves the call's message out; the rest of what the call held is given back. */
    @Nullable
    CallMessage takeMessage() {
        endExposure();
        CallMessage taken = message;
        message = null;
        sink = null;
        RegisteredBuffer reply = replyBuffer;
        if (reply != null) {
            replyBuffer = null;
            reply.release();
        }
        RegisteredBuffer copied = linear;
        if (copied != null) {
            linear = null;
            copied.release();
        }
        return taken;
    }

    /** Frees the windows, when the connection is over. */
    void close() {
        bound = 0;
        windows.forEach(MemoryWindow::close);
        windows.clear();
    }

    @Override
    public void onCompletion(CompletionQueue queue, WorkCompletion completion) {
        endpoint().onChainCompleted(1);
        sendDone = true;
        if (completion.isSuccess()) {
            endpoint().trace(TracePoint.WC_SEND, xid, 1, 0);
        } else {
            endpoint().trace(TracePoint.WC_SEND_FLUSH, xid, 1, 0);
            endpoint().scheduleClose("Send failed: " + completion);
        }
        if (replyDone) {
            requester.onRequestOver(this);
        }
    }

    @Override
    protected void onNotPosted(NotPosted reason) {
        sendDone = true;
        requester.onNotPosted(this);
    }

    @Override
    public @Nullable MemorySegment claim(long position, long length) throws XdrException {
        RegisteredBuffer target = sink;
        if (target == null || resultBytes == 0 || resultClaimed || length == 0) {
            return null;
        }
        if (resultBytes != length && resultBytes != ((length + 3) & ~3L)) {
            throw new XdrException(
                    XdrException.Reason.CHUNK_LENGTH,
                    "the Write chunk came back with " + resultBytes + " bytes for a result of " + length);
        }
        CallMessage current = message;
        if (current == null) {
            throw new AssertionError("no call");
        }
        ClientCall call = current.call().call();
        if (length > call.sinkLength()) {
            throw XdrException.tooLong("the result", length, call.sinkLength());
        }
        resultClaimed = true;
        return target.segment().asSlice(call.sinkOffset(), length);
    }

    @Override
    public void finish() throws XdrException {
        if (resultBytes > 0 && !resultClaimed) {
            throw new XdrException(
                    XdrException.Reason.CHUNK_UNCLAIMED,
                    "the Write chunk came back with " + resultBytes + " bytes that belong to no result");
        }
    }
}
