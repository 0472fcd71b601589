package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.ConnectionListener;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairOptions;
import io.rpcrdma4j.verbs.iwarp.engine.Stream;
import io.rpcrdma4j.verbs.iwarp.engine.StreamSettings;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a connection: its socket, and the thread that drives its {@link Stream}. The two subclasses hold the
 * start-up.
 *
 * <h2>Operation</h2>
 *
 * Whoever has something for the connection sets a bit in {@code work} and tries to become its owner: {@link #drive}. If
 * it has an owner already, that one sees the bit before it is done. So a post writes to the socket on the poster's
 * thread when it can, and never waits; the event thread comes in when the socket is readable, or writable again.
 *
 * <h2>Buffer ownership</h2>
 *
 * See {@link Stream}.
 *
 * <h2>Threading</h2>
 *
 * All state is the owner's, who holds {@code owner}. Nobody is called with it held: completion queues are told and
 * events are delivered after its release, events always on the event thread. A bit is set before the attempt to own,
 * and looked for after the release; both are volatile, so that one of two threads sees it.
 *
 * <h2>Errors</h2>
 *
 * What peer or network do ends in an event and one line in the log.
 */
abstract sealed class IwarpConnection implements Connection, EventLoop.Ready, EventLoop.Timed
        permits ActiveConnection, PassiveConnection {

    private static final Logger LOG = LoggerFactory.getLogger(IwarpConnection.class);

    private static final int READ = 1;
    private static final int WRITE = 1 << 1;
    private static final int POSTED = 1 << 2;
    private static final int TIMER = 1 << 3;

    /** A poster does at most so many turns. */
    private static final int POST_ROUNDS = 16;

    /** How far it has come. */
    enum Phase {
        /** Active: nothing done yet. */
        NEW,
        /** Active: TCP is under way. */
        CONNECTING,
        /** Active: the MPA reply is due. */
        AWAITING_REPLY,
        /** Passive: the MPA request is due. */
        AWAITING_REQUEST,
        /** Passive: the application is to accept or reject. */
        REQUESTED,
        /** The stream has it, also while it says goodbye. */
        OPEN,
        /** The socket is gone, or there never was one. */
        CLOSED
    }

    final IwarpDevice device;
    final InetSocketAddress remote;
    final ReentrantLock owner = new ReentrantLock();
    final ConnectionEvents events = new ConnectionEvents();

    private final AtomicInteger work = new AtomicInteger();
    private final StreamPump pump = new StreamPump();
    private final Runnable deliverTask;
    private final Runnable driveTask;

    private volatile EventLoop loop;
    private volatile @Nullable InetSocketAddress local;
    private volatile @Nullable ConnectionParameters negotiated;
    private volatile @Nullable IwarpQueuePair queuePair;
    private volatile boolean isClosed;
    private volatile boolean isReadLimitKnown;
    private volatile String detail = "";

    private Phase phase;
    private @Nullable SocketIo socket;
    private long startUpDeadline = Stream.NEVER;
    private long timerAt = Stream.NEVER;
    private boolean wasEstablished;
    private boolean isEndReported;

    IwarpConnection(IwarpDevice device, EventLoop loop, InetSocketAddress remote, Phase phase) {
        this.device = device;
        this.loop = loop;
        this.remote = remote;
        this.phase = phase;
        this.deliverTask = () -> events.deliver(this);
        this.driveTask = () -> drive(0, true, false);
    }

    // ---- what the subclasses do; all with the connection owned

    /** TCP says that it is connected, or can't be. */
    abstract void connected();

    /** Bytes of the start-up can be read or written. */
    abstract void startUp(SocketIo s, boolean isReadable, long now) throws IOException, IwarpException;

    /** The time for what {@code late} was waiting for is over; says what did not happen. */
    abstract String lateness(Phase late);

    /** The start-up failed. */
    abstract void startUpFailed(IOException cause);

    /** The socket is gone. */
    abstract void gone();

    /** The application closes it while {@link Phase#REQUESTED}. */
    abstract void closeUnanswered();

    // ---- driving

    @Override
    public final void onReady(int operations) {
        if ((operations & SelectionKey.OP_CONNECT) != 0) {
            owner.lock();
            try {
                connected();
            } finally {
                owner.unlock();
            }
        }
        int bits = ((operations & SelectionKey.OP_READ) != 0 ? READ : 0)
                | ((operations & SelectionKey.OP_WRITE) != 0 ? WRITE : 0);
        drive(bits, true, false);
    }

    @Override
    public final void onTimer(long now) {
        drive(TIMER, true, false);
    }

    /** Work was posted. */
    final void posted() {
        drive(POSTED, false, true);
    }

    /** Something changed with the connection owned: what follows from it is done. */
    final void settle() {
        drive(WRITE, true, false);
    }

    /** The stream is to look for bytes when the turn is over. */
    final void readAgain() {
        work.getAndAccumulate(READ, (a, b) -> a | b);
    }

    /**
     * Does what {@code bits} say, now or by the thread that owns the connection.
     *
     * @param mayWait whether to wait for the owner: event threads do, or the selector would give them no rest
     * @param inPost whether this is inside a call that posts
     */
    private void drive(int bits, boolean mayWait, boolean inPost) {
        if (bits != 0) {
            work.getAndAccumulate(bits, (a, b) -> a | b);
        }
        int rounds = 0;
        do {
            if (inPost && ++rounds > POST_ROUNDS) {
                // Others post all the time: it is not for this poster to do their work for ever.
                loop.execute(driveTask);
                return;
            }
            if (mayWait) {
                owner.lock();
            } else if (!owner.tryLock()) {
                return;
            }
            int tells = 0;
            IwarpQueuePair pair = queuePair;
            try {
                turn(work.getAndSet(0));
                if (pair != null) {
                    tells = pair.takeTells();
                }
            } finally {
                owner.unlock();
            }
            if (tells != 0 && pair != null) {
                pair.tell(tells, inPost);
            }
            if (!events.isEmpty()) {
                deliverEvents();
            }
        } while (work.get() != 0);
    }

    private void deliverEvents() {
        if (loop.isCurrent()) {
            events.deliver(this);
        } else {
            loop.execute(deliverTask);
        }
    }

    private void turn(int bits) {
        long now = System.nanoTime();
        if ((bits & TIMER) != 0) {
            timerAt = Stream.NEVER;
        }
        SocketIo s = socket;
        IwarpQueuePair pair = queuePair;
        if (phase == Phase.OPEN && pair != null && s != null) {
            stream(pair.stream(), s, bits, now);
        } else if (phase == Phase.NEW || phase == Phase.CLOSED || s == null) {
            if (pair != null) {
                pair.stream().flushPosted();
            }
        } else {
            startUpTurn(s, bits, now);
        }
        scheduleTimer();
    }

    private void startUpTurn(SocketIo s, int bits, long now) {
        if ((bits & TIMER) != 0 && now >= startUpDeadline) {
            failStartUp(new IOException(lateness(phase)));
            return;
        }
        try {
            startUp(s, (bits & READ) != 0, now);
        } catch (IOException e) {
            failStartUp(new IOException("connection with " + address() + " lost: " + e.getMessage(), e));
        } catch (IwarpException e) {
            failStartUp(new IOException(address() + " broke the protocol: " + e.getMessage(), e));
        }
    }

    private void scheduleTimer() {
        IwarpQueuePair pair = queuePair;
        long deadline = phase == Phase.OPEN && pair != null ? pair.stream().nextDeadline() : startUpDeadline;
        if (phase == Phase.CLOSED || deadline == Stream.NEVER || (timerAt != Stream.NEVER && timerAt <= deadline)) {
            return;
        }
        timerAt = deadline;
        EventLoop l = loop;
        if (l.isCurrent()) {
            l.schedule(deadline, this);
        } else {
            l.execute(() -> l.schedule(deadline, this));
        }
    }

    private void stream(Stream stream, SocketIo s, int bits, long now) {
        try {
            if ((bits & READ) != 0) {
                pump.read(stream, s, now);
            }
            if ((bits & TIMER) != 0) {
                stream.onTimeout(now);
            }
            if (stream.isFailed()) {
                stream.flushPosted();
            }
            if (!s.isWriteArmed() || (bits & WRITE) != 0) {
                s.armWrite(!pump.write(stream, s, now), loop);
            }
            if (stream.wantsShutdown()) {
                stream.shutdownDone();
                s.channel().shutdownOutput();
            }
        } catch (IOException e) {
            stream.lose("connection lost: " + e.getMessage());
        } catch (IllegalStateException e) {
            // Memory that a posted request or an exposed key names was freed.
            stream.lose("registered memory is gone: " + e.getMessage());
        } catch (OutOfMemoryError e) {
            stream.lose("out of memory: " + e.getMessage());
        } catch (RuntimeException | AssertionError e) {
            LOG.error("{}: internal error", this, e);
            stream.lose("internal error: " + e);
        }
        if (stream.isFailed()) {
            ended(stream);
        }
    }

    private void ended(Stream stream) {
        if (!isEndReported && (!stream.isOrderly() || stream.isFinished())) {
            isEndReported = true;
            String reason = String.valueOf(stream.reason());
            // For the owner's log line: the event carries the reason.
            LOG.debug("{}: disconnected: {}", this, reason);
            events.add(new ConnectionEvent.Disconnected(stream.isOrderly(), reason));
        }
        if (stream.isFinished()) {
            closeSocket();
        }
    }

    /** Gives the socket up. */
    final void closeSocket() {
        owner.lock();
        try {
            if (phase == Phase.CLOSED) {
                return;
            }
            phase = Phase.CLOSED;
            startUpDeadline = Stream.NEVER;
            SocketIo s = socket;
            if (s != null) {
                s.close(loop);
            }
        } catch (IOException e) {
            LOG.debug("{}: closing the socket failed: {}", this, e.getMessage());
        } finally {
            owner.unlock();
        }
        device.forget(this);
        gone();
    }

    // ---- for the subclasses; all with the connection owned

    final Phase phase() {
        return phase;
    }

    final void enter(Phase next, long timeoutNanos) {
        phase = next;
        startUpDeadline = timeoutNanos == Stream.NEVER ? Stream.NEVER : System.nanoTime() + timeoutNanos;
    }

    final EventLoop loop() {
        return loop;
    }

    final @Nullable IwarpQueuePair queuePair() {
        return queuePair;
    }

    final @Nullable SocketIo socket() {
        return socket;
    }

    final void setSocket(SocketIo s) {
        socket = s;
    }

    final void setLocal(InetSocketAddress address) {
        local = address;
    }

    final void setReadLimitKnown(boolean isKnown) {
        isReadLimitKnown = isKnown;
    }

    final void reportEnd() {
        isEndReported = true;
    }

    final boolean wasEstablished() {
        return wasEstablished;
    }

    final boolean isClosed() {
        return isClosed;
    }

    /** Lets the event thread watch the socket, if it is still this connection's thread. Owned or not. */
    final void register(int operations) {
        loop.execute(() -> registerHere(operations));
    }

    private void registerHere(int operations) {
        owner.lock();
        try {
            SocketIo s = socket;
            if (s == null || phase == Phase.CLOSED || !loop.isCurrent()) {
                return;
            }
            s.register(loop, operations, this);
        } catch (IOException e) {
            failStartUp(e);
        } finally {
            owner.unlock();
        }
        drive(0, true, false);
    }

    final void failStartUp(IOException cause) {
        if (isEndReported) {
            return;
        }
        isEndReported = true;
        startUpFailed(cause);
        IwarpQueuePair pair = queuePair;
        if (pair != null) {
            pair.stream().lose(String.valueOf(cause.getMessage()));
        }
        closeSocket();
    }

    /**
     * Both ends agreed.
     *
     * @param greeting bytes to send first
     * @param early bytes that came with the peer's last frame
     */
    final void open(
            ConnectionParameters parameters,
            StreamSettings settings,
            int revision,
            Stream stream,
            ByteBuffer greeting,
            ByteBuffer early) {
        enter(Phase.OPEN, Stream.NEVER);
        negotiated = parameters;
        wasEstablished = true;
        detail = "MPA revision " + revision + ", CRC " + (settings.crc() ? "on" : "off") + ", FPDUs up to "
                + Fpdu.totalBytes(settings.ulpduBytesMax()) + " bytes";
        LOG.debug(
                "{}: established: {}, inbound reads {}, outbound reads {}",
                this,
                detail,
                settings.inboundReads(),
                settings.outboundReads());
        events.add(new ConnectionEvent.Established(parameters));
        stream.open(settings, greeting, early, System.nanoTime());
    }

    /** The peer's address, for texts. */
    final String address() {
        return remote.getAddress().getHostAddress() + ":" + remote.getPort();
    }

    // ---- the interface

    @Override
    public final @Nullable InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public final InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public final boolean isReadLimitKnown() {
        return isReadLimitKnown;
    }

    @Override
    public final @Nullable ConnectionParameters negotiated() {
        return negotiated;
    }

    @Override
    public final String detail() {
        return detail;
    }

    @Override
    public final void setListener(ConnectionListener listener) {
        events.setListener(listener);
    }

    @Override
    public final QueuePair createQueuePair(QueuePairOptions options) throws IOException {
        IwarpQueuePair.check(options);
        var pair = new IwarpQueuePair(device.nextNumber(), this, device, options);
        owner.lock();
        try {
            if (queuePair != null) {
                throw new IllegalStateException("the connection has its queue pair");
            }
            if (isClosed) {
                throw new IOException("the connection is closed");
            }
            pair.attach();
            queuePair = pair;
            if (phase == Phase.CLOSED) {
                pair.stream().lose("the peer is gone");
            }
            moveTo(pair.receiveQueue().loop());
        } finally {
            owner.unlock();
        }
        return pair;
    }

    private void moveTo(EventLoop target) {
        if (target == loop) {
            return;
        }
        EventLoop from = loop;
        loop = target;
        timerAt = Stream.NEVER;
        SocketIo s = socket;
        if (s != null && s.leave(from)) {
            register(SelectionKey.OP_READ);
        }
    }

    @Override
    public final void disconnect() {
        owner.lock();
        try {
            IwarpQueuePair pair = queuePair;
            if (phase == Phase.OPEN || phase == Phase.NEW) {
                if (pair != null) {
                    pair.stream().disconnect(System.nanoTime());
                }
            } else if (phase != Phase.CLOSED) {
                failStartUp(new IOException("disconnected before the connection with " + address() + " was up"));
            }
        } finally {
            owner.unlock();
        }
        settle();
    }

    /** Ends it as a network does that drops the connection: the peer gets a reset. */
    final void reset(String why) {
        owner.lock();
        try {
            SocketIo s = socket;
            if (s != null) {
                s.resetWhenClosed();
            }
        } finally {
            owner.unlock();
        }
        abort(why);
    }

    /** Ends it at once, without a word to the peer. */
    final void abort(String why) {
        owner.lock();
        try {
            IwarpQueuePair pair = queuePair;
            if (pair != null) {
                pair.stream().lose(why);
                if (phase == Phase.OPEN) {
                    ended(pair.stream());
                }
            }
            if (phase != Phase.OPEN && phase != Phase.CLOSED) {
                failStartUp(new IOException(why));
            }
            closeSocket();
        } finally {
            owner.unlock();
        }
        settle();
    }

    @Override
    public final void close() {
        isClosed = true;
        events.stop();
        owner.lock();
        try {
            if (phase == Phase.REQUESTED) {
                closeUnanswered();
            }
        } finally {
            owner.unlock();
        }
        IwarpQueuePair pair = queuePair;
        if (pair != null) {
            pair.close();
        } else {
            disconnect();
        }
        owner.lock();
        try {
            if (phase != Phase.OPEN) {
                closeSocket();
            }
        } finally {
            owner.unlock();
        }
    }
}
