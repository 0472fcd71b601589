package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairOptions;
import io.rpcrdma4j.verbs.QueuePairState;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.iwarp.engine.CompletionSink;
import io.rpcrdma4j.verbs.iwarp.engine.ReceiveRing;
import io.rpcrdma4j.verbs.iwarp.engine.SendRing;
import io.rpcrdma4j.verbs.iwarp.engine.Stream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a connection.
 *
 * <h2>Operation</h2>
 *
 * A post puts the chain into its ring and then drives the connection, unless another thread does so already.
 *
 * <h2>Buffer ownership</h2>
 *
 * As {@link QueuePair} says.
 *
 * <h2>Threading</h2>
 *
 * Any thread; the {@link CompletionSink} methods are the connection's owner's.
 */
final class IwarpQueuePair implements QueuePair, CompletionSink {

    private final int number;
    private final IwarpConnection connection;
    private final QueuePairOptions options;
    private final Domain domain;
    private final CompletionRing sendQueue;
    private final CompletionRing receiveQueue;
    private final @Nullable SharedReceives shared;
    private final SendRing sends;
    private final ReceiveRing receives;
    private final Stream stream;
    private volatile boolean isClosed;

    /** Whom to tell after this turn; the connection's owner's. */
    private boolean tellsSendQueue;

    private boolean tellsReceiveQueue;
    private boolean tookShared;

    IwarpQueuePair(int number, IwarpConnection connection, IwarpDevice device, QueuePairOptions options) {
        this.number = number;
        this.connection = connection;
        this.options = options;
        if (!(options.protectionDomain() instanceof Domain d)
                || !(options.sendQueue() instanceof CompletionRing sendCq)
                || !(options.receiveQueue() instanceof CompletionRing receiveCq)
                || d.device() != device) {
            throw new IllegalArgumentException("protection domain or completion queue of another device");
        }
        domain = d;
        sendQueue = sendCq;
        receiveQueue = receiveCq;
        if (options.sharedReceives() == null) {
            shared = null;
            receives = new ReceiveRing(options.receiveDepth(), options.receiveSegmentsMax());
        } else if (options.sharedReceives() instanceof SharedReceives s && s.domain() == d) {
            shared = s;
            receives = s.ring();
        } else {
            throw new IllegalArgumentException("shared receive queue of another protection domain");
        }
        sends = new SendRing(
                options.sendDepth(),
                options.sendSegmentsMax(),
                Math.min(options.sendSegmentsMax(), IwarpDevice.READ_SEGMENTS_MAX),
                IwarpDevice.INLINE_BYTES_MAX,
                options.allSignaled());
        stream = new Stream(sends, receives, shared != null, d, device.keys(), device.buffers(), this);
    }

    /** Refuses what passes a limit of the device. */
    static void check(QueuePairOptions options) throws IOException {
        IwarpDevice.checkDepth("send queue depth", options.sendDepth(), IwarpDevice.QUEUE_DEPTH_MAX);
        IwarpDevice.checkDepth("receive queue depth", options.receiveDepth(), IwarpDevice.QUEUE_DEPTH_MAX);
        IwarpDevice.checkDepth("send segments", options.sendSegmentsMax(), IwarpDevice.SEGMENTS_MAX);
        IwarpDevice.checkDepth("receive segments", options.receiveSegmentsMax(), IwarpDevice.SEGMENTS_MAX);
    }

    Stream stream() {
        return stream;
    }

    CompletionRing receiveQueue() {
        return receiveQueue;
    }

    /** Enters it with what it uses. */
    void attach() throws IOException {
        domain.add(this);
        sendQueue.attach(this);
        receiveQueue.attach(this);
        if (shared != null) {
            shared.attach();
        }
    }

    void freeSendEntries(int entries) {
        sends.free(entries);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairState state() {
        if (stream.isFailed()) {
            return QueuePairState.ERROR;
        }
        return sends.isAccepting() ? QueuePairState.RTS : QueuePairState.INIT;
    }

    @Override
    public QueuePairOptions options() {
        return options;
    }

    @Override
    public @Nullable SendRequest postSend(SendRequest first) {
        SendRequest rest = sends.post(first);
        if (rest != first) {
            connection.posted();
        }
        return rest;
    }

    @Override
    public @Nullable ReceiveRequest postReceive(ReceiveRequest first) {
        if (shared != null) {
            first.setPostStatus(PostStatus.INVALID_REQUEST);
            return first;
        }
        ReceiveRequest rest = receives.post(first);
        if (stream.isFailed()) {
            connection.posted();
        }
        return rest;
    }

    @Override
    public void toError() {
        connection.disconnect();
    }

    /** Something outside of the protocol ends it. */
    void fail(String why) {
        connection.abort(why);
    }

    @Override
    public void close() {
        toError();
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        sends.stopAccepting();
        if (shared == null) {
            receives.stopAccepting();
        }
        sendQueue.detach(this);
        receiveQueue.detach(this);
        if (shared != null) {
            shared.detach();
        }
        domain.forget(this);
    }

    // ---- what the stream reports

    @Override
    public void sendCompleted(
            SendRequest request, CompletionStatus status, int bytes, int entries, @Nullable String detail) {
        if (isClosed) {
            return;
        }
        tellsSendQueue |= sendQueue.put(this, request, status, bytes, entries, detail);
    }

    @Override
    public void receiveCompleted(
            ReceiveRequest request,
            CompletionStatus status,
            int bytes,
            boolean isInvalidated,
            int invalidatedKey,
            @Nullable String detail) {
        if (isClosed) {
            return;
        }
        tellsReceiveQueue |= receiveQueue.put(this, request, status, bytes, isInvalidated, invalidatedKey, detail);
        tookShared = true;
    }

    /**
     * Whom to tell: bit 0 the send, bit 1 the receive queue, bit 2 the shared receives. The owner's; then forgotten.
     */
    int takeTells() {
        int tells = (tellsSendQueue ? 1 : 0) | (tellsReceiveQueue ? 2 : 0) | (tookShared && shared != null ? 4 : 0);
        tellsSendQueue = false;
        tellsReceiveQueue = false;
        tookShared = false;
        return tells;
    }

    /** Tells them. Without locks. */
    void tell(int tells, boolean inPost) {
        if ((tells & 4) != 0 && shared != null) {
            shared.checkLimit();
        }
        if ((tells & 2) != 0) {
            receiveQueue.tell(inPost);
        }
        if ((tells & 1) != 0 && ((tells & 2) == 0 || sendQueue != receiveQueue)) {
            sendQueue.tell(inPost);
        }
    }
}
