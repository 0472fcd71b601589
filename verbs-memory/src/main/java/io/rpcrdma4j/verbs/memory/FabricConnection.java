package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.ConnectionListener;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One end of a connection of the fabric. Package-private methods are called with the lock held. */
final class FabricConnection implements Connection {

    private enum Phase {
        /** Active, before connect. */
        IDLE,
        CONNECTING,
        /** Passive, before the answer. */
        REQUESTED,
        ESTABLISHED,
        /** Rejected, failed or disconnected. */
        OVER,
        CLOSED
    }

    private static final byte[] NOTHING = {};

    final FabricDevice device;
    final @Nullable Worker home;
    private final InetSocketAddress remote;
    private final ConnectionParameters requested;
    private final @Nullable FabricListener origin;
    private final CallLane events;
    private final ActionLane outbound;
    private volatile @Nullable ConnectionListener listener;
    private Phase phase;
    private @Nullable InetSocketAddress local;
    private @Nullable FabricConnection peer;
    private @Nullable Wire wire;
    private @Nullable FabricQueuePair queuePair;
    private @Nullable ConnectionParameters negotiated;
    private ConnectionParameters wish = new ConnectionParameters(0, 0, NOTHING);
    private TimerQueue.@Nullable Timer timer;
    private boolean peerGone;
    private boolean removedFromOrigin;

    /** The active end. */
    FabricConnection(
            FabricDevice device, @Nullable Worker home, InetSocketAddress remote, ConnectionListener listener) {
        this.device = device;
        this.home = home;
        this.remote = remote;
        this.listener = listener;
        requested = wish;
        origin = null;
        phase = Phase.IDLE;
        events = new CallLane(device.scheduler, home);
        outbound = new ActionLane(device.scheduler, home);
    }

    /** The passive end. */
    FabricConnection(FabricDevice device, @Nullable Worker home, FabricListener origin, FabricConnection active) {
        this.device = device;
        this.home = home;
        this.origin = origin;
        remote = active.ownAddress();
        local = active.remote;
        // What the peer wants to read is what we would serve, and the other way round.
        requested = new ConnectionParameters(
                active.wish.outboundReads(), active.wish.inboundReads(), active.wish.privateData());
        phase = Phase.REQUESTED;
        events = new CallLane(device.scheduler, home);
        outbound = new ActionLane(device.scheduler, home);
        peer = active;
        active.peer = this;
        wire = new Wire(this, active, active.home);
        active.wire = new Wire(active, this, home);
    }

    private InetSocketAddress ownAddress() {
        if (local == null) {
            throw new AssertionError("no local address yet");
        }
        return local;
    }

    boolean hasWire() {
        return wire != null;
    }

    Wire wire() {
        if (wire == null) {
            throw new AssertionError("not connected");
        }
        return wire;
    }

    @Nullable
    FabricQueuePair queuePair() {
        return queuePair;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return origin == null && negotiated() == null ? null : local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public ConnectionParameters requested() {
        if (origin == null) {
            throw new IllegalStateException("only a passive end has been asked for something");
        }
        return requested;
    }

    @Override
    public boolean isReadLimitKnown() {
        return true;
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) throws IOException {
        FabricQueuePair made;
        device.scheduler.lock.lock();
        try {
            device.checkUsable();
            if (queuePair != null) {
                throw new IllegalStateException("the connection has a queue pair already");
            }
            if (phase != Phase.IDLE && phase != Phase.REQUESTED) {
                throw new IllegalStateException("too late for a queue pair: " + phase);
            }
            device.failIfUnavailable(
                    FaultPoint.CREATE_QUEUE_PAIR, 0, Math.max(options.sendDepth(), options.receiveDepth()));
            made = device.makeQueuePair(this, options);
            queuePair = made;
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
        return made;
    }

    @Override
    public void setListener(ConnectionListener newListener) {
        listener = newListener;
    }

    @Override
    public void connect(ConnectionParameters parameters) {
        device.checkPrivateData(parameters.privateData());
        device.scheduler.lock.lock();
        try {
            if (origin != null || phase != Phase.IDLE) {
                throw new IllegalStateException("connect comes once, on an active connection; this one is " + phase);
            }
            if (queuePair == null || queuePair.isInError()) {
                throw new IllegalStateException("connect needs a queue pair that is not in the error state");
            }
            phase = Phase.CONNECTING;
            wish = device.clamp(parameters);
            local = device.nextLocalAddress();
            Duration limit = device.connectTimeout();
            timer = device.scheduler.at(
                    device.scheduler.nanoTime() + limit.toNanos(),
                    home,
                    () -> failConnect("connect to " + remote + " timed out after " + limit.toMillis() + " ms"));
            sendRequest();
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
    }

    private void sendRequest() {
        Fault fault = device.fabric.hasFaults()
                ? device.fabric.consult(FaultPoint.CONNECT, device, 0, null, 0, wish.privateData().length)
                : null;
        switch (fault) {
            case Fault.Unavailable unavailable -> outbound.add(() -> failConnect(unavailable.reason()));
            case Fault.Delay delay -> {
                device.scheduler.delay(outbound, delay.time().toNanos());
                outbound.add(this::arriveAtListener);
            }
            case Fault.RemoveDevice remove -> device.removeLocked(remove.reason());
            case null, default -> outbound.add(this::arriveAtListener);
        }
    }

    private void arriveAtListener() {
        if (phase == Phase.CONNECTING) {
            FabricListener target = device.fabric.find(remote);
            if (target == null) {
                failConnect("connect to " + remote + ": connection refused");
            } else {
                target.onRequest(this);
            }
        }
    }

    /** Active: no connection comes about. */
    void failConnect(String why) {
        if (phase != Phase.CONNECTING) {
            return;
        }
        leaveConnecting();
        emit(new ConnectionEvent.Failed(new IOException(why)));
    }

    private void leaveConnecting() {
        phase = Phase.OVER;
        cancelTimer();
        if (queuePair != null) {
            queuePair.endOrderly("not connected");
        }
        if (wire != null) {
            wire.addEnd(Message.Kind.FIN, "the peer gave up connecting", false);
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            device.scheduler.cancel(timer, home);
            timer = null;
        }
    }

    /** Passive: has the program decide. */
    void offer(FabricListener from) {
        events.add(() -> from.decide(this));
    }

    @Override
    public void accept(ConnectionParameters parameters) throws IOException {
        device.checkPrivateData(parameters.privateData());
        device.scheduler.lock.lock();
        try {
            if (origin == null || (phase != Phase.REQUESTED && phase != Phase.CLOSED)) {
                throw new IllegalStateException("only an unanswered request can be accepted; this one is " + phase);
            }
            if (phase == Phase.CLOSED || peerGone) {
                throw new IOException("the peer " + remote + " is gone");
            }
            device.checkUsable();
            if (queuePair == null || listener == null) {
                throw new IllegalStateException("accept needs a queue pair and a listener");
            }
            if (queuePair.isInError()) {
                throw new IOException("the queue pair is in the error state");
            }
            device.failIfUnavailable(FaultPoint.ACCEPT, queuePair.number(), parameters.privateData().length);
            if (phase != Phase.REQUESTED) {
                throw new IOException("the device is gone");
            }
            establish(device.clamp(parameters), queuePair);
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
    }

    private void establish(ConnectionParameters offer, FabricQueuePair readyPair) {
        int inbound = Math.min(offer.inboundReads(), requested.inboundReads());
        int outbound0 = Math.min(offer.outboundReads(), requested.outboundReads());
        ConnectionParameters agreed = new ConnectionParameters(inbound, outbound0, requested.privateData());
        negotiated = agreed;
        phase = Phase.ESTABLISHED;
        readyPair.start(inbound, outbound0);
        Message answer = wire().obtain();
        answer.kind = Message.Kind.ACCEPT;
        answer.parameters = new ConnectionParameters(outbound0, inbound, offer.privateData());
        wire().add(answer);
        if (origin != null) {
            origin.onAnswered();
        }
        emit(new ConnectionEvent.Established(agreed));
    }

    /** Active: the peer's ACCEPT has arrived. */
    void onAccepted(Message answer) {
        ConnectionParameters agreed = answer.parameters;
        if (phase != Phase.CONNECTING || agreed == null || queuePair == null) {
            return; // the end that is on its way to the peer says so
        }
        cancelTimer();
        negotiated = agreed;
        phase = Phase.ESTABLISHED;
        queuePair.start(agreed.inboundReads(), agreed.outboundReads());
        emit(new ConnectionEvent.Established(agreed));
    }

    @Override
    public void reject(byte[] privateData) {
        device.checkPrivateData(privateData);
        device.scheduler.lock.lock();
        try {
            if (origin == null || phase != Phase.REQUESTED) {
                if (phase == Phase.CLOSED) {
                    return;
                }
                throw new IllegalStateException("only an unanswered request can be rejected; this one is " + phase);
            }
            rejectLocked(privateData);
            release();
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
    }

    /** Without the lock: frees a passive end that the program has not seen, if it needs no decision any more. */
    boolean closeIfAnswered() {
        device.scheduler.lock.lock();
        try {
            if (phase != Phase.REQUESTED && phase != Phase.CLOSED) {
                release();
            }
            return phase != Phase.REQUESTED;
        } finally {
            device.scheduler.lock.unlock();
        }
    }

    /** Without the lock. */
    void rejectUnanswered() {
        device.scheduler.lock.lock();
        try {
            if (phase == Phase.REQUESTED) {
                rejectLocked(NOTHING);
                release();
            }
        } finally {
            device.scheduler.lock.unlock();
        }
    }

    private void rejectLocked(byte[] privateData) {
        phase = Phase.OVER;
        Message answer = wire().obtain();
        answer.kind = Message.Kind.REJECT;
        answer.parameters = new ConnectionParameters(0, 0, privateData);
        wire().add(answer);
        if (origin != null) {
            origin.onAnswered();
        }
    }

    /** Passive, unanswered: the connection is closed without an answer. */
    void refuseUnanswered(String why) {
        if (phase == Phase.REQUESTED) {
            phase = Phase.OVER;
            if (origin != null) {
                origin.onAnswered();
            }
            FabricConnection active = peer;
            if (active != null) {
                outbound.add(() -> active.failConnect("connect to " + active.remote + ": " + why));
            }
            peerGone = true;
            leaveOrigin();
        }
    }

    /** Active: the peer's REJECT has arrived. */
    void onRejected(Message answer) {
        ConnectionParameters parameters = answer.parameters;
        if (phase == Phase.CONNECTING) {
            phase = Phase.OVER;
            cancelTimer();
            if (queuePair != null) {
                queuePair.endOrderly("rejected");
            }
            emit(new ConnectionEvent.Rejected(parameters == null ? NOTHING : parameters.privateData()));
        }
    }

    @Override
    public @Nullable ConnectionParameters negotiated() {
        device.scheduler.lock.lock();
        try {
            return negotiated;
        } finally {
            device.scheduler.lock.unlock();
        }
    }

    @Override
    public void disconnect() {
        device.scheduler.lock.lock();
        try {
            disconnectLocked();
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
    }

    void disconnectLocked() {
        switch (phase) {
            case ESTABLISHED -> {
                if (queuePair != null) {
                    queuePair.endOrderly("disconnected by this side");
                }
            }
            case CONNECTING -> failConnect("disconnected before the connection was established");
            case REQUESTED -> rejectLocked(NOTHING);
            case IDLE, OVER -> {
                if (queuePair != null) {
                    queuePair.endOrderly("disconnected by this side");
                }
            }
            case CLOSED -> {}
        }
    }

    /** The queue pair went to the error state. */
    void onQueuePairError(boolean orderly, String reason, Message.@Nullable Kind tell, boolean readRefused) {
        if (phase == Phase.ESTABLISHED) {
            phase = Phase.OVER;
            if (tell != null) {
                wire().addEnd(
                                tell,
                                tell == Message.Kind.FIN ? "the peer disconnected" : "the peer reports: " + reason,
                                readRefused);
            }
            leaveOrigin();
            emit(new ConnectionEvent.Disconnected(orderly, reason));
        } else if (phase == Phase.CONNECTING) {
            failConnect(reason);
        }
    }

    /** The peer's FIN or TERMINATE has arrived. */
    void onEnd(Message end, boolean orderly) {
        if (phase == Phase.REQUESTED) {
            peerGone = true;
        } else if (phase == Phase.CONNECTING) {
            failConnect("connect to " + remote + ": the peer closed the connection");
        } else if (phase == Phase.ESTABLISHED && queuePair != null) {
            queuePair.end(end.reason, orderly, end.readRefused);
        }
    }

    /** Breaks the connection at both ends. */
    void drop(String reason) {
        FabricConnection other = peer;
        if (wire != null) {
            wire.cut();
        }
        if (other != null && other.wire != null) {
            other.wire.cut();
        }
        breakEnd(reason);
        if (other != null) {
            other.breakEnd(reason);
        }
    }

    private void breakEnd(String reason) {
        if (phase == Phase.ESTABLISHED && queuePair != null) {
            queuePair.end(reason, false, false);
        } else if (phase == Phase.CONNECTING) {
            failConnect(reason);
        } else if (phase == Phase.REQUESTED) {
            peerGone = true;
        }
    }

    /** The device is gone, or is closed. */
    void tearDown(String reason) {
        if (phase == Phase.REQUESTED) {
            refuseUnanswered(reason);
        } else if (phase == Phase.CONNECTING) {
            failConnect(reason);
        }
        if (queuePair != null && !queuePair.isInError()) {
            queuePair.fail(reason);
        }
    }

    private void emit(ConnectionEvent event) {
        events.add(() -> {
            ConnectionListener to = listener;
            if (to != null) {
                to.onEvent(this, event);
            }
        });
    }

    @Override
    public void close() {
        device.scheduler.lock.lock();
        try {
            if (phase != Phase.CLOSED) {
                disconnectLocked();
                release();
            }
            device.scheduler.awaitQuiet(events);
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
    }

    /** Frees it; it is over. */
    void release() {
        phase = Phase.CLOSED;
        cancelTimer();
        leaveOrigin();
        events.clear();
        device.connections.remove(this);
        if (queuePair != null) {
            queuePair.endOrderly("closed");
            queuePair.release();
        }
    }

    CallLane events() {
        return events;
    }

    private void leaveOrigin() {
        if (origin != null && !removedFromOrigin) {
            removedFromOrigin = true;
            origin.onConnectionOver(this);
        }
    }

    @Override
    public String toString() {
        return (origin == null ? "connection to " : "connection from ") + remote;
    }
}
