package io.rpcrdma4j.rpcrdma.client;

import io.rpcrdma4j.rpc.AddressText;
import io.rpcrdma4j.rpc.PendingCall;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpcrdma.Endpoint;
import io.rpcrdma4j.rpcrdma.TransportOptions;
import io.rpcrdma4j.rpcrdma.wire.ConnectionParameters;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of a client's connections, over and over: connects when there is something to send, sends what waits, connects
 * again when the connection was lost, and sends again what may be sent again.
 *
 * <h2>Operation</h2>
 *
 * {@link #submit} takes a call; {@link #pump} sends while there are credits. A lost connection is made again at once,
 * then after {@value #FIRST_DELAY_MILLIS} ms, doubling up to {@value #LAST_DELAY_MILLIS} ms. Calls fail if the very
 * first connection can't be made; after that, those that may be sent again wait until their time is up.
 *
 * <h2>Buffer ownership</h2>
 *
 * Calls that wait are the link's; those in flight are the requester's, which gives them back when its connection ends.
 *
 * <h2>Threading</h2>
 *
 * Any thread; the lock is never held while calling out.
 */
final class ClientLink {

    private static final Logger LOG = LoggerFactory.getLogger(ClientLink.class);
    private static final int FIRST_DELAY_MILLIS = 50;
    private static final int LAST_DELAY_MILLIS = 5_000;

    private final RdmaRpcClient client;
    private final int index;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<CallMessage> waiting = new ArrayDeque<>();
    private @Nullable Requester requester;
    private @Nullable Endpoint endpoint;
    /** Endpoints that are not finished: the current one, and those whose work is still being flushed. */
    private int endpoints;

    private boolean connecting;
    private boolean wasConnected;
    private boolean closed;
    private int delayMillis;
    private Timers.@Nullable Cancellable retry;
    private volatile String negotiated = "";
    /** Why there is no connection, for calls whose time is up meanwhile; empty if there is one. */
    private volatile String trouble = "";

    ClientLink(RdmaRpcClient client, int index) {
        this.client = client;
        this.index = index;
    }

    /** Takes a call that was encoded. */
    void submit(CallMessage message) {
        Requester current;
        boolean direct;
        lock.lock();
        try {
            if (closed) {
                current = null;
                direct = false;
            } else {
                current = requester;
                direct = current != null && waiting.isEmpty();
                if (!direct) {
                    waiting.addLast(message);
                }
            }
        } finally {
            lock.unlock();
        }
        if (direct && current != null) {
            if (current.send(message)) {
                return;
            }
            enqueue(message);
        }
        pump();
    }

    private void enqueue(CallMessage message) {
        boolean refused;
        lock.lock();
        try {
            refused = closed;
            if (!refused) {
                waiting.addLast(message);
            }
        } finally {
            lock.unlock();
        }
        if (refused) {
            fail(message, new RpcException(RpcException.Kind.CLOSED, "the client is closed"));
        }
    }

    /** Sends what waits, as far as the credits go; connects if there is no connection. */
    void pump() {
        while (true) {
            CallMessage message;
            Requester current;
            lock.lock();
            try {
                current = requester;
                message = waiting.pollFirst();
            } finally {
                lock.unlock();
            }
            if (message == null) {
                return;
            }
            if (current == null || !current.send(message)) {
                lock.lock();
                try {
                    waiting.addFirst(message);
                    if (requester != null || connecting || closed || retry != null) {
                        return;
                    }
                    connecting = true;
                } finally {
                    lock.unlock();
                }
                connect();
                return;
            }
        }
    }

    private void connect() {
        TransportOptions options = client.options();
        Endpoint opened = null;
        try {
            var holder = new Object() {
                @Nullable
                Requester made;
            };
            Connection connection = client.device()
                    .createConnection(client.remoteAddress(), (source, event) -> onEvent(holder.made, source, event));
            opened = Endpoint.open(
                    connection,
                    client.pool(),
                    options,
                    client.events(),
                    created -> holder.made = newRequester(created),
                    Math.floorMod(index, client.device().attributes().completionVectors()));
            lock.lock();
            try {
                endpoint = opened;
            } finally {
                lock.unlock();
            }
            byte[] privateData = new byte[ConnectionParameters.ENCODED_BYTES];
            ours().encode(MemorySegment.ofArray(privateData), 0);
            connection.connect(new io.rpcrdma4j.verbs.ConnectionParameters(options.readsMax(), 0, privateData));
        } catch (IOException e) {
            onConnectFailed(e);
        } catch (IllegalStateException e) {
            // The queue pair broke before the connection was asked for.
            if (opened != null) {
                opened.scheduleClose("not connected: " + e.getMessage());
            }
        }
        if (opened != null && opened.isFinished()) {
            onConnectFailed(new IOException(opened.closeReason()));
        }
    }

    private Requester newRequester(Endpoint created) {
        lock.lock();
        try {
            endpoints++;
        } finally {
            lock.unlock();
        }
        return new Requester(created, this, client.limits());
    }

    private ConnectionParameters ours() {
        TransportOptions options = client.options();
        return new ConnectionParameters(options.inlineBytes(), options.inlineBytes(), options.remoteInvalidation());
    }

    private void onEvent(@Nullable Requester made, Connection connection, ConnectionEvent event) {
        if (made == null) {
            return;
        }
        switch (event) {
            case ConnectionEvent.Established established -> onEstablished(made, connection, established);
            case ConnectionEvent.Rejected rejected ->
                made.endpoint().scheduleClose("the server rejected the RDMA connection");
            case ConnectionEvent.Failed failed ->
                made.endpoint().scheduleClose(String.valueOf(failed.cause().getMessage()));
            case ConnectionEvent.Disconnected disconnected -> made.endpoint().scheduleClose(disconnected.reason());
        }
    }

    private void onEstablished(Requester made, Connection connection, ConnectionEvent.Established established) {
        ConnectionParameters theirs = ConnectionParameters.parse(
                MemorySegment.ofArray(established.parameters().privateData()));
        int sendLimit = ours().inlineThresholdTo(theirs);
        int receiveLimit = theirs.inlineThresholdTo(ours());
        made.endpoint().setSendLimit(sendLimit);
        made.endpoint().setEstablished();
        made.onEstablished(sendLimit, receiveLimit);
        negotiated = "server sends " + theirs.sendBytes() + " and receives " + theirs.receiveBytes()
                + " bytes inline, remote invalidation " + (theirs.remoteInvalidation() ? "yes" : "no")
                + ", reads served "
                + established.parameters().inboundReads() + ", " + connection.detail();
        trouble = "";
        LOG.debug("{}: connected: {}", this, negotiated);
        lock.lock();
        try {
            requester = made;
            connecting = false;
            wasConnected = true;
            delayMillis = 0;
        } finally {
            lock.unlock();
        }
        pump();
    }

    /** There is no connection, for good or for now; does nothing if none is being made. */
    private void onConnectFailed(IOException cause) {
        List<CallMessage> failing = new ArrayList<>();
        lock.lock();
        try {
            if (!connecting) {
                return;
            }
            connecting = false;
            endpoint = null;
            if (closed) {
                return;
            }
            if (!wasConnected) {
                failing.addAll(waiting);
                waiting.clear();
            }
            if (!waiting.isEmpty()) {
                scheduleRetry();
            }
        } finally {
            lock.unlock();
        }
        trouble = describe(cause);
        LOG.debug("{}: not connected: {}", this, cause.getMessage());
        for (CallMessage message : failing) {
            fail(message, new RpcException(RpcException.Kind.CONNECT_FAILED, describe(cause), cause));
        }
    }

    private String describe(IOException cause) {
        // A provider's text has the address.
        return String.valueOf(cause.getMessage());
    }

    /** Needs the lock. */
    private void scheduleRetry() {
        long delay = delayMillis;
        delayMillis = Math.min(Math.max(FIRST_DELAY_MILLIS, delayMillis * 2), LAST_DELAY_MILLIS);
        retry = client.timers().schedule(TimeUnit.MILLISECONDS.toNanos(delay), this::onRetry);
    }

    private void onRetry() {
        lock.lock();
        try {
            retry = null;
        } finally {
            lock.unlock();
        }
        pump();
    }

    /** The requester's connection is ending: nothing more is sent on it. */
    void onClosing(Requester which, String reason) {
        boolean log;
        lock.lock();
        try {
            log = requester == which && !closed;
            if (requester == which) {
                requester = null;
            }
        } finally {
            lock.unlock();
        }
        if (log) {
            LOG.info("{}: connection ended: {}", this, reason);
        }
    }

    /** The requester's connection has ended: {@code unanswered} calls are the link's again. */
    void onClosed(Requester which, List<CallMessage> unanswered, String reason) {
        List<CallMessage> failing = new ArrayList<>();
        boolean again;
        boolean neverUp;
        lock.lock();
        try {
            endpoints--;
            neverUp = connecting && endpoint == which.endpoint();
            if (endpoint == which.endpoint()) {
                endpoint = null;
            }
            for (CallMessage message : unanswered) {
                if (message.call().call().resend() && !closed) {
                    waiting.addFirst(message);
                } else {
                    failing.add(message);
                }
            }
            again = !waiting.isEmpty() && !closed;
            if (again && !connecting && requester == null && retry == null && wasConnected) {
                scheduleRetry();
            }
        } finally {
            lock.unlock();
        }
        for (CallMessage message : failing) {
            fail(message, lost(reason));
        }
        if (again) {
            // Another connection may be up already: the flush of this one can take longer than making it.
            pump();
        }
        if (neverUp) {
            onConnectFailed(new IOException(reason));
        }
        client.onLinkClosed();
    }

    private RpcException lost(String reason) {
        return client.isClosed()
                ? new RpcException(RpcException.Kind.CLOSED, "the client is closed")
                : new RpcException(
                        RpcException.Kind.TRANSPORT_LOST,
                        "the connection to " + AddressText.of(client.remoteAddress()) + " was lost: " + reason);
    }

    private void fail(CallMessage message, RpcException failure) {
        PendingCall call = message.call();
        boolean ours = call.claim();
        message.release();
        client.recycle(message);
        if (ours) {
            call.complete(failure);
        }
    }

    void recycle(CallMessage message) {
        client.recycle(message);
    }

    /** Ends a call early, wherever it is. */
    void abort(PendingCall call, int xid, RpcException failure) {
        CallMessage found = null;
        Requester current;
        lock.lock();
        try {
            current = requester;
            Iterator<CallMessage> messages = waiting.iterator();
            while (found == null && messages.hasNext()) {
                CallMessage message = messages.next();
                if (message.call() == call && call.xid() == xid) {
                    found = message;
                    messages.remove();
                }
            }
        } finally {
            lock.unlock();
        }
        if (found != null) {
            fail(found, failure);
        } else if (current != null) {
            current.endpoint().defer(() -> current.abort(call, xid, failure));
        }
    }

    /** Ends the calls whose time is up. */
    void expire(long nowNanos) {
        List<PendingCall> overdue = new ArrayList<>();
        Requester current;
        lock.lock();
        try {
            current = requester;
            for (CallMessage message : waiting) {
                if (message.call().isOverdue(nowNanos)) {
                    overdue.add(message.call());
                }
            }
        } finally {
            lock.unlock();
        }
        if (current != null) {
            current.collectOverdue(nowNanos, overdue);
        }
        for (PendingCall call : overdue) {
            abort(
                    call,
                    call.xid(),
                    new RpcException(
                            RpcException.Kind.TIMED_OUT,
                            "no answer from " + AddressText.of(client.remoteAddress()) + " within "
                                    + TimeUnit.NANOSECONDS.toMillis(call.call().timeoutNanos()) + " ms"
                                    + (trouble.isEmpty() ? "" : "; " + trouble)));
        }
    }

    @Nullable
    Endpoint endpoint() {
        lock.lock();
        try {
            return endpoint;
        } finally {
            lock.unlock();
        }
    }

    boolean isConnected() {
        lock.lock();
        try {
            return requester != null;
        } finally {
            lock.unlock();
        }
    }

    /** Whether no connection exists, not even one that is ending. */
    boolean isIdle() {
        lock.lock();
        try {
            return endpoints == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Everything that was agreed on, in words; empty before the first connection. */
    String negotiated() {
        Requester current;
        lock.lock();
        try {
            current = requester;
        } finally {
            lock.unlock();
        }
        return current == null ? negotiated : current.describe() + ", " + negotiated;
    }

    void close() {
        List<CallMessage> failing;
        Endpoint current;
        lock.lock();
        try {
            closed = true;
            failing = new ArrayList<>(waiting);
            waiting.clear();
            current = endpoint;
            if (retry != null) {
                retry.cancel();
            }
        } finally {
            lock.unlock();
        }
        for (CallMessage message : failing) {
            fail(message, new RpcException(RpcException.Kind.CLOSED, "the client is closed"));
        }
        if (current != null) {
            current.scheduleClose("closed by the client");
        }
    }

    @Override
    public String toString() {
        return "rdma to " + AddressText.of(client.remoteAddress()) + " (connection " + (index + 1) + ")";
    }
}
