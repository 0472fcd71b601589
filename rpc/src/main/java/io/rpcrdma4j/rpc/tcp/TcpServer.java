package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves RPC programs over TCP (RFC 5531 §11).
 *
 * <h2>Operation</h2>
 *
 * {@link #builder}, settings, {@link Builder#start}; {@link #close} ends it. Calls of one connection are pipelined:
 * they may be answered in any order.
 *
 * <h2>Limits</h2>
 *
 * <table>
 * <caption>What a peer can make the server hold, and what happens beyond</caption>
 * <tr><th>limit</th><th>default</th><th>beyond it</th></tr>
 * <tr><td>connections</td><td>1024, 256 of one address</td><td>closed at once</td></tr>
 * <tr><td>bytes of a call</td><td>4 MiB + 64 KiB</td><td>connection closed when the fragment header says so</td></tr>
 * <tr><td>calls in progress per connection</td><td>128</td><td>not read until one is answered</td></tr>
 * <tr><td>bytes of replies waiting per connection</td><td>8 MiB</td><td>not read until they are sent</td></tr>
 * <tr><td>memory of all connections</td><td>256 MiB</td><td>not read until there is some again</td></tr>
 * <tr><td>time without a byte in mid-record, or with a reply that is not taken; then a record must come with at least
 * 1 KiB a second</td><td>1 min</td><td>closed</td></tr>
 * <tr><td>time without a call</td><td>6 min</td><td>closed</td></tr>
 * </table>
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread. A connection stays with one event loop; programs that do not block run there.
 *
 * <h2>Errors</h2>
 *
 * What a peer does wrong ends its connection, with one line in the log that says what; others notice nothing.
 */
public final class TcpServer implements AutoCloseable {
    /** Most bytes of a call or a reply unless set: 4 MiB of data and 64 KiB for the rest. */
    public static final int DEFAULT_RECORD_BYTES_MAX = (4 << 20) + (64 << 10);

    private static final Logger LOG = LoggerFactory.getLogger(TcpServer.class);
    private static final AtomicLong NEXT_ID = new AtomicLong(1);
    /** After the system refused a connection for want of descriptors. */
    private static final long ACCEPT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int ACCEPTS_PER_TURN = 64;
    private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    final Limits limits;
    final RpcDispatcher dispatcher;
    final Timers timers;
    final PayloadAllocator memory;
    final LogLimiter log;
    final Function<SocketChannel, ByteChannel> channelFilter;

    private final @Nullable NativeAllocator ownMemory;
    private final ServerSocketChannel listener;
    private final InetSocketAddress localAddress;
    private final List<EventLoop> loops = new ArrayList<>();
    private final Predicate<InetAddress> admission;
    private int nextLoop;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition connectionGone = lock.newCondition();
    /** Guarded by {@link #lock}, as are the two below. */
    private final Set<TcpServerConnection> connections = new HashSet<>();

    private final Map<InetAddress, Integer> perAddress = new HashMap<>();
    private boolean closed;

    /** What a peer can make the server hold. */
    record Limits(
            int connections,
            int connectionsPerAddress,
            int callsPerConnection,
            int recordBytes,
            long outputBytes,
            long idleNanos,
            long stallNanos,
            long drainNanos) {}

    private TcpServer(Builder builder, ServerSocketChannel listener) throws IOException {
        this.listener = listener;
        limits = builder.limits();
        dispatcher = builder.dispatcher;
        timers = builder.timers;
        admission = builder.admission;
        channelFilter = builder.channelFilter;
        ownMemory = builder.memory == null ? new NativeAllocator() : null;
        memory = builder.memory == null ? Objects.requireNonNull(ownMemory) : builder.memory;
        log = new LogLimiter(LOG, timers);
        localAddress = (InetSocketAddress) listener.getLocalAddress();
    }

    /**
     * Starts to set up a server.
     *
     * @param dispatcher takes the calls to their programs
     */
    public static Builder builder(RpcDispatcher dispatcher) {
        return new Builder(dispatcher);
    }

    /** The address that it listens on, with the real port. */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /** Number of connections that are open. */
    public int connectionCount() {
        lock.lock();
        try {
            return connections.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Accepts no more connections, answers the calls that are in progress for as long as the drain time allows, then
     * closes all connections and waits until nothing runs any more. Idempotent.
     */
    @Override
    public void close() {
        List<TcpServerConnection> open;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            open = new ArrayList<>(connections);
        } finally {
            lock.unlock();
        }
        closeListener();
        for (TcpServerConnection connection : open) {
            connection.drain();
        }
        boolean interrupted = awaitConnections();
        interrupted |= endLoops();
        if (ownMemory != null) {
            ownMemory.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A connection is gone, and with it everything that it held but calls that programs still have. */
    void onClosed(TcpServerConnection connection) {
        InetAddress address = connection.remoteAddress().getAddress();
        lock.lock();
        try {
            if (connections.remove(connection)) {
                perAddress.computeIfPresent(address, (key, n) -> n == 1 ? null : n - 1);
                connectionGone.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run(int threads) throws IOException {
        for (int i = 0; i < threads; i++) {
            loops.add(EventLoop.start("rpc-tcp-server-" + localAddress.getPort() + "-" + i));
        }
        EventLoop first = loops.getFirst();
        first.execute(() -> startAccepting(first));
        scheduleSweep();
    }

    private void startAccepting(EventLoop loop) {
        try {
            SelectionKey key = loop.register(listener, SelectionKey.OP_ACCEPT, new Acceptor());
            ((Acceptor) key.attachment()).key = key;
        } catch (IOException e) {
            // Only a listener that was closed at once.
            LOG.debug("Not accepting on {}: {}", localAddress, e.toString());
        }
    }

    /** Looks for connections that make no progress, from time to time. */
    private void scheduleSweep() {
        long shortest = Math.min(limits.idleNanos, limits.stallNanos);
        long period = Math.clamp(shortest / 4, TimeUnit.MILLISECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(10));
        timers.schedule(period, this::sweep);
    }

    private void sweep() {
        List<TcpServerConnection> open;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            open = new ArrayList<>(connections);
        } finally {
            lock.unlock();
        }
        for (TcpServerConnection connection : open) {
            connection.checkProgress();
        }
        scheduleSweep();
    }

    private void closeListener() {
        try {
            listener.close();
        } catch (IOException e) {
            LOG.debug("Closing the listener at {}", localAddress, e);
        }
    }

    private boolean awaitConnections() {
        long left = limits.drainNanos;
        lock.lock();
        try {
            while (!connections.isEmpty() && left > 0) {
                left = connectionGone.awaitNanos(left);
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean endLoops() {
        boolean interrupted = false;
        for (EventLoop loop : loops) {
            loop.close();
        }
        for (EventLoop loop : loops) {
            try {
                if (!loop.join(JOIN_NANOS)) {
                    LOG.error("An event loop of {} is stuck in a program that does not return", localAddress);
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    private void accepted(SocketChannel channel) throws IOException {
        InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
        if (!admission.test(remote.getAddress())) {
            log.info("Refused a connection from " + remote + ": its address is not allowed");
            channel.close();
            return;
        }
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        EventLoop loop = loops.get(Math.floorMod(nextLoop++, loops.size()));
        TcpServerConnection connection =
                new TcpServerConnection(this, loop, channel, remote, NEXT_ID.getAndIncrement());
        String refusal = admit(connection, remote.getAddress());
        if (refusal == null) {
            loop.execute(connection::open);
        } else {
            log.info("Refused a connection from " + remote + ": " + refusal);
            channel.close();
        }
    }

    private @Nullable String admit(TcpServerConnection connection, InetAddress address) {
        lock.lock();
        try {
            if (closed) {
                return "the server is closed";
            }
            if (connections.size() >= limits.connections) {
                return "there are " + limits.connections + " already";
            }
            int same = perAddress.getOrDefault(address, 0);
            if (same >= limits.connectionsPerAddress) {
                return "there are " + same + " of this address already";
            }
            perAddress.put(address, same + 1);
            connections.add(connection);
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Accepts connections, on the first loop. */
    private final class Acceptor implements EventLoop.Handler {
        private @Nullable SelectionKey key;

        @Override
        public void onReady(int readyOps) {
            for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
                SocketChannel channel;
                try {
                    channel = listener.accept();
                } catch (IOException e) {
                    pause(e);
                    return;
                }
                if (channel == null) {
                    return;
                }
                accept(channel);
            }
        }

        @Override
        public void onLoopEnd(String reason) {
            closeListener();
        }

        @Override
        public String toString() {
            return "the listener at " + localAddress;
        }

        private void accept(SocketChannel channel) {
            try {
                accepted(channel);
            } catch (IOException e) {
                LOG.debug("A connection went while it was accepted", e);
                try {
                    channel.close();
                } catch (IOException again) {
                    LOG.debug("Closing it", again);
                }
            }
        }

        /** Most likely no descriptors are left. The listener stays ready, so do not spin: look again later. */
        private void pause(IOException why) {
            SelectionKey accepting = key;
            if (accepting == null || !listener.isOpen()) {
                return;
            }
            log.info("Cannot accept connections at " + localAddress + ": " + why.getMessage());
            accepting.interestOps(0);
            timers.schedule(
                    ACCEPT_PAUSE_NANOS,
                    () -> loops.getFirst().execute(() -> {
                        if (accepting.isValid()) {
                            accepting.interestOps(SelectionKey.OP_ACCEPT);
                        }
                    }));
        }
    }

    /** Sets up a server. */
    public static final class Builder {
        private final RpcDispatcher dispatcher;
        private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        private Predicate<InetAddress> admission = any -> true;
        private Timers timers = Timers.system();
        private @Nullable PayloadAllocator memory;
        private Function<SocketChannel, ByteChannel> channelFilter = channel -> channel;
        private int threads = 1;
        private int backlog = 512;
        private int connections = 1024;
        private int connectionsPerAddress = 256;
        private int callsPerConnection = 128;
        private int recordBytes = DEFAULT_RECORD_BYTES_MAX;
        private long outputBytes = 8L << 20;
        private Duration idleTimeout = Duration.ofMinutes(6);
        private Duration stallTimeout = Duration.ofMinutes(1);
        private Duration drainTime = Duration.ofSeconds(2);

        private Builder(RpcDispatcher dispatcher) {
            this.dispatcher = dispatcher;
        }

        /** Where to listen; the loopback address and any free port unless set. */
        public Builder address(InetSocketAddress listen) {
            address = listen;
            return this;
        }

        /** Which peers may connect; all unless set. Asked on an event loop; must not block. */
        public Builder admission(Predicate<InetAddress> allowed) {
            admission = allowed;
            return this;
        }

        /** Number of event loops; 1 unless set. */
        public Builder threads(int count) {
            threads = positive(count);
            return this;
        }

        /** Where messages and payloads lie. It stays the caller's, who closes it after the server. */
        public Builder memory(PayloadAllocator allocator) {
            memory = allocator;
            return this;
        }

        /** The clock for timeouts. */
        public Builder timers(Timers clock) {
            timers = clock;
            return this;
        }

        /** Most connections, of all peers and of one address. */
        public Builder connectionsMax(int total, int ofOneAddress) {
            connections = positive(total);
            connectionsPerAddress = positive(ofOneAddress);
            return this;
        }

        /** Most calls in progress per connection. */
        public Builder callsPerConnectionMax(int count) {
            callsPerConnection = positive(count);
            return this;
        }

        /** Most bytes of a call or of a reply, payloads included. */
        public Builder recordBytesMax(int bytes) {
            recordBytes = positive(bytes);
            return this;
        }

        /** Bytes of replies that a peer does not take, beyond which no more calls are read from it. */
        public Builder outputBytesMax(long bytes) {
            outputBytes = bytes;
            return this;
        }

        /** How long a connection may be without a call. */
        public Builder idleTimeout(Duration time) {
            idleTimeout = time;
            return this;
        }

        /** How long a peer may rest in the middle of a record, or not take a reply. */
        public Builder stallTimeout(Duration time) {
            stallTimeout = time;
            return this;
        }

        /** How long {@link TcpServer#close} waits for calls in progress. */
        public Builder drainTime(Duration time) {
            drainTime = time;
            return this;
        }

        /** Lets tests stand between the server and its sockets. */
        Builder channelFilter(Function<SocketChannel, ByteChannel> filter) {
            channelFilter = filter;
            return this;
        }

        /**
         * Binds and starts to serve.
         *
         * @throws IOException if the address cannot be bound; the text names it
         */
        public TcpServer start() throws IOException {
            ServerSocketChannel listener = ServerSocketChannel.open();
            try {
                listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                listener.bind(address, backlog);
                listener.configureBlocking(false);
                TcpServer server = new TcpServer(this, listener);
                server.run(threads);
                return server;
            } catch (IOException e) {
                listener.close();
                throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
            }
        }

        private Limits limits() {
            return new Limits(
                    connections,
                    connectionsPerAddress,
                    callsPerConnection,
                    recordBytes,
                    outputBytes,
                    idleTimeout.toNanos(),
                    stallTimeout.toNanos(),
                    drainTime.toNanos());
        }

        private static int positive(int value) {
            if (value <= 0) {
                throw new IllegalArgumentException("not a positive number: " + value);
            }
            return value;
        }
    }
}
