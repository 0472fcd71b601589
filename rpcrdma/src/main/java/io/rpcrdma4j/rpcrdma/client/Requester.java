package io.rpcrdma4j.rpcrdma.client;

import io.rpcrdma4j.rpc.PendingCall;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpcrdma.Endpoint;
import io.rpcrdma4j.rpcrdma.ReceiveContext;
import io.rpcrdma4j.rpcrdma.engine.CreditWindow;
import io.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.rpcrdma4j.rpcrdma.wire.HeaderLimits;
import io.rpcrdma4j.rpcrdma.wire.MessageDirection;
import io.rpcrdma4j.rpcrdma.wire.MessageType;
import io.rpcrdma4j.rpcrdma.wire.ReplyOutcome;
import io.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.rpcrdma4j.verbs.QueuePairState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side of a connection that makes calls: credits, calls in flight, replies.
 *
 * <h2>Operation</h2>
 *
 * {@link #send} takes a call if the server's credits allow; its reply is matched by XID. A call that is cancelled or
 * out of time ends at once, but keeps its credit until its reply comes or the connection ends, since the server still
 * works on it.
 *
 * <h2>Buffer ownership</h2>
 *
 * A call in flight is with its {@link RequestContext}. When the connection ends, all that are left go back to the link.
 *
 * <h2>Threading</h2>
 *
 * {@link #send} from any thread; replies, completions and aborts on the endpoint's thread. The table of calls has a
 * lock, which is never held while calling out.
 *
 * <h2>Errors</h2>
 *
 * A malformed reply is dropped and its call meets its deadline; one whose XID can be trusted fails its call. A key
 * invalidated that is not of the call ends the connection (RFC 8166 section 5.4.1).
 */
final class Requester implements Endpoint.MessageRole {

    private static final Logger LOG = LoggerFactory.getLogger(Requester.class);

    private final Endpoint endpoint;
    private final ClientLink link;
    private final HeaderLimits limits;
    private final ReentrantLock lock = new ReentrantLock();
    private final CreditWindow credits;
    private final Map<Integer, RequestContext> inFlight = new HashMap<>();
    private final ArrayDeque<RequestContext> free = new ArrayDeque<>();
    private final List<RequestContext> all = new ArrayList<>();
    private final ArrayDeque<RequestContext> over = new ArrayDeque<>();
    private final XdrReader reader = new XdrReader();
    private int sendLimit;
    private int receiveLimit;
    private boolean established;
    private boolean closed;
    private @Nullable String closeReason;

    Requester(Endpoint endpoint, ClientLink link, HeaderLimits limits) {
        this.endpoint = endpoint;
        this.link = link;
        this.limits = limits;
        this.credits = new CreditWindow(endpoint.credits());
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** The connection is up: calls may be sent. */
    void onEstablished(int newSendLimit, int newReceiveLimit) {
        lock.lock();
        try {
            sendLimit = newSendLimit;
            receiveLimit = newReceiveLimit;
            established = true;
        } finally {
            lock.unlock();
        }
    }

    /** The largest call and reply that go inline, in bytes, and the credits; for {@code ping -v}. */
    String describe() {
        lock.lock();
        try {
            return "inline call " + sendLimit + " bytes, inline reply " + receiveLimit + " bytes, credits "
                    + credits.limit() + " of " + endpoint.credits() + " asked";
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends a call if there is a credit for it.
     *
     * @return false if not: the call is the caller's still
     */
    boolean send(CallMessage message) {
        RequestContext context;
        int calls;
        int replies;
        lock.lock();
        try {
            if (!established || closed || !credits.take()) {
                return false;
            }
            RequestContext reused = free.pollLast();
            if (reused == null) {
                reused = new RequestContext(this);
                all.add(reused);
            }
            context = reused;
            calls = sendLimit;
            replies = receiveLimit;
            context.begin(message);
            inFlight.put(message.call().xid(), context);
            // Or the connection could end, and give the call to the next, while it is still built here.
            endpoint.hold();
        } finally {
            lock.unlock();
        }
        RpcException failure = context.marshal(message, calls, replies, endpoint.credits());
        if (failure == null) {
            context.post();
        } else if (endpoint.isClosing() || endpoint.queuePair().state() == QueuePairState.ERROR) {
            // Nothing can be exposed on a broken connection; the next one will do.
            context.setNotSent();
            onNotPosted(context);
        } else {
            endpoint.defer(() -> failUnsent(context, failure));
        }
        endpoint.letGo();
        return true;
    }

    private void failUnsent(RequestContext context, RpcException failure) {
        forget(context);
        context.setNotSent();
        CallMessage message = context.message();
        boolean ours =
                context.isReplyDone() || (message != null && message.call().claim());
        if (ours) {
            RpcException earlier = context.failure();
            finish(context, earlier == null ? failure : earlier);
        }
        recycle(context);
    }

    @Override
    public void onMessage(ReceiveContext message) {
        TransportHeader header = message.header();
        ReplyOutcome outcome = header.parseReply(message.message(), message.length(), limits);
        if (outcome == ReplyOutcome.DISCARD) {
            LOG.debug("{}: a reply was dropped: {}", link, header.faultText());
            message.release();
            return;
        }
        if (MessageDirection.ofInline(message.message(), header.headerLength(), header.inlineLength())
                == MessageDirection.CALL) {
            // RFC 8167: the XIDs of the two directions are independent, so it may look like a reply.
            LOG.debug("{}: a call by the server was dropped: none are served", link);
            message.release();
            return;
        }
        RequestContext context;
        lock.lock();
        try {
            context = inFlight.remove(header.xid());
            if (context != null) {
                credits.onReply(header.credits());
            }
        } finally {
            lock.unlock();
        }
        if (context == null) {
            LOG.debug("{}: a reply to an unknown call 0x{} was dropped", link, Integer.toHexString(header.xid()));
            message.release();
            return;
        }
        endpoint.ensureReceives(credits.limit());
        context.stopAwaitingReply();
        onReply(context, message, header, outcome);
        message.release();
    }

    private void onReply(RequestContext context, ReceiveContext message, TransportHeader header, ReplyOutcome outcome) {
        if (message.isWithInvalidate() && !context.isOurKey(message.invalidatedKey())) {
            endpoint.scheduleClose("the server invalidated key 0x" + Integer.toHexString(message.invalidatedKey())
                    + ", which the call 0x" + Integer.toHexString(header.xid()) + " did not offer");
        }
        CallMessage call = context.message();
        if (context.isReplyDone() || call == null || !call.call().claim()) {
            // Given up before: only its credit was still out.
            if (context.isOver()) {
                enqueueOver(context);
            }
            return;
        }
        context.endExposure();
        RpcException failure = outcome == ReplyOutcome.FAIL_CALL
                ? new RpcException(RpcException.Kind.GARBAGE_REPLY, header.faultText())
                : decode(context, call.call(), message, header);
        context.setReplyDone(failure);
        if (context.isSendDone()) {
            enqueueOver(context);
        }
    }

    private @Nullable RpcException decode(
            RequestContext context, PendingCall call, ReceiveContext message, TransportHeader header) {
        if (header.type() == MessageType.RDMA_ERROR) {
            return rdmaError(header);
        }
        ChunkLists offered = context.offered();
        ChunkLists returned = header.chunks();
        if (!returnsWhatWasOffered(offered, returned)) {
            return new RpcException(
                    RpcException.Kind.GARBAGE_REPLY, "the reply does not return the chunks that the call offered");
        }
        context.setResultBytes(
                returned.writeChunkCount() == 0 ? 0 : returned.writeChunk(0).length());
        if (header.type() == MessageType.RDMA_NOMSG) {
            MemorySegment longReply = context.replySegment();
            WriteChunk chunk = returned.replyChunk();
            if (longReply == null || chunk == null) {
                return new RpcException(RpcException.Kind.GARBAGE_REPLY, "a long reply that was not offered a chunk");
            }
            reader.start(longReply, 0, chunk.length(), context);
        } else {
            reader.start(message.message(), header.headerLength(), header.inlineLength(), context);
        }
        RpcException failure = call.decode(reader);
        reader.clear();
        return failure;
    }

    private static boolean returnsWhatWasOffered(ChunkLists offered, ChunkLists returned) {
        if (returned.writeChunkCount() > offered.writeChunkCount()) {
            return false;
        }
        for (int i = 0; i < returned.writeChunkCount(); i++) {
            if (!returned.writeChunk(i).returns(offered.writeChunk(i))) {
                return false;
            }
        }
        WriteChunk reply = returned.replyChunk();
        WriteChunk wanted = offered.replyChunk();
        return reply == null || (wanted != null && reply.returns(wanted));
    }

    private static RpcException rdmaError(TransportHeader header) {
        if (header.errorCode() == TransportHeader.ERR_VERS) {
            return new RpcException(
                    RpcException.Kind.VERSION_ERROR,
                    "the server answered ERR_VERS: it has versions " + header.lowVersion() + " to "
                            + header.highVersion());
        }
        return new RpcException(
                RpcException.Kind.CHUNK_ERROR, "the server answered RDMA_ERROR code " + header.errorCode());
    }

    /** Called by a completion: only queues. */
    void onRequestOver(RequestContext context) {
        enqueueOver(context);
    }

    /** Queues a request for its end, once: a completion and a late reply may both find it over. */
    private void enqueueOver(RequestContext context) {
        if (context.markQueued(true)) {
            over.addLast(context);
        }
    }

    /** Nothing of the call was posted: the connection is closing, and the close takes care of it. */
    void onNotPosted(RequestContext context) {
        endpoint.scheduleClose("a call could not be posted");
    }

    @Override
    public void onWork() {
        RequestContext context = over.pollFirst();
        boolean freed = context != null;
        while (context != null) {
            context.markQueued(false);
            if (context.message() != null) {
                finish(context, context.failure());
            }
            recycle(context);
            context = over.pollFirst();
        }
        if (freed) {
            link.pump();
        }
    }

    /** Ends a call: the caller's buffers are the caller's again. Its claim is ours. */
    private void finish(RequestContext context, @Nullable RpcException failure) {
        CallMessage message = context.takeMessage();
        if (message != null) {
            PendingCall call = message.call();
            message.release();
            link.recycle(message);
            call.complete(failure);
        }
    }

    private void recycle(RequestContext context) {
        if (context.isAwaitingReply() || !context.isSendDone()) {
            return;
        }
        lock.lock();
        try {
            if (!closed) {
                free.addLast(context);
            }
        } finally {
            lock.unlock();
        }
    }

    private void forget(RequestContext context) {
        lock.lock();
        try {
            if (inFlight.remove(context.xid()) != null) {
                credits.giveBack();
            }
        } finally {
            lock.unlock();
        }
        context.stopAwaitingReply();
    }

    /**
     * Ends a call early; on the endpoint's thread. If its Send is still with the device, the caller hears of it when
     * that has completed.
     */
    void abort(PendingCall call, int xid, RpcException failure) {
        RequestContext context;
        boolean stuck;
        lock.lock();
        try {
            context = inFlight.get(xid);
            stuck = inFlight.size() >= credits.limit();
        } finally {
            lock.unlock();
        }
        CallMessage message = context == null ? null : context.message();
        if (context == null || message == null || message.call() != call || !call.claim()) {
            return;
        }
        // While the call is still being sent by another thread, its exposure ends when its Send completes.
        if (context.isMarshalled()) {
            context.endExposure();
        }
        context.setReplyDone(failure);
        if (context.isSendDone()) {
            finish(context, failure);
        }
        if (stuck && failure.kind() == RpcException.Kind.TIMED_OUT) {
            endpoint.scheduleClose("the server answers none of " + credits.limit() + " calls in time");
        }
    }

    /** The calls in flight whose time is up. */
    void collectOverdue(long nowNanos, List<PendingCall> into) {
        lock.lock();
        try {
            for (RequestContext context : inFlight.values()) {
                CallMessage message = context.message();
                if (message != null && message.call().isOverdue(nowNanos)) {
                    into.add(message.call());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onClosing(String reason) {
        lock.lock();
        try {
            closed = true;
            closeReason = reason;
        } finally {
            lock.unlock();
        }
        link.onClosing(this, reason);
    }

    @Override
    public void onClosed() {
        List<RequestContext> left;
        lock.lock();
        try {
            left = new ArrayList<>(inFlight.values());
            inFlight.clear();
            free.clear();
        } finally {
            lock.unlock();
        }
        onWork();
        List<CallMessage> unanswered = new ArrayList<>();
        for (RequestContext context : left) {
            CallMessage message = context.message();
            if (message == null) {
                continue;
            }
            if (context.isReplyDone()) {
                finish(context, context.failure());
            } else if (context.takeMessage() != null) {
                unanswered.add(message);
            }
        }
        all.forEach(RequestContext::close);
        String reason = closeReason;
        link.onClosed(this, unanswered, reason == null ? "closed" : reason);
    }
}
