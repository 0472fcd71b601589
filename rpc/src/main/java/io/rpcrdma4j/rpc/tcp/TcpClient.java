package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.PendingCall;
import io.rpcrdma4j.rpc.RpcClientTransport;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls RPC programs over one TCP connection (RFC 5531 §11).
 *
 * <h2>Operation</h2>
 *
 * {@link #builder}, settings, {@link Builder#build}; it connects when the first call is started, and again when there
 * is a call and no connection. Calls are pipelined; replies are matched by XID and may come in any order; one that
 * belongs to no call is dropped.
 *
 * <p>When the connection is lost, calls of which a byte was sent fail with
 * {@link io.rpcrdma4j.rpc.RpcException.Kind#TRANSPORT_LOST}, unless they are to be sent again
 * ({@link ClientCall#resend(boolean)}); those of which nothing was sent wait for the next connection. When no
 * connection can be made, calls fail with {@link io.rpcrdma4j.rpc.RpcException.Kind#CONNECT_FAILED}, except those to be
 * sent again: they wait, while the client tries with growing pauses, until their time is up.
 *
 * <h2>Buffer ownership</h2>
 *
 * As {@link ClientCall} says. A call that ends while its record is half written leaves a copy of the rest behind, so
 * that the stream stays intact and the caller's memory is free.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread. All callbacks of calls run on the client's event loop, those that end a call at
 * {@link #close} included.
 *
 * <h2>Limits</h2>
 *
 * A reply longer than the record limit (4 MiB + 64 KiB unless set) ends the connection. At most 1024 calls (unless set)
 * are sent and unanswered; more wait.
 */
public final class TcpClient implements RpcClientTransport {
    static final Logger LOG = LoggerFactory.getLogger(TcpClient.class);

    private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    final Settings settings;
    final Timers timers;
    final PayloadAllocator memory;
    final EventLoop loop;
    /** Calls that were started and that the loop has not seen yet. */
    final ConcurrentLinkedQueue<PendingCall> started = new ConcurrentLinkedQueue<>();

    final AtomicBoolean acceptScheduled = new AtomicBoolean();

    private final @Nullable NativeAllocator ownMemory;
    private final AtomicInteger nextXid = new AtomicInteger(new SecureRandom().nextInt());
    private final TcpClientEngine engine;
    private final PendingCall.Canceller canceller;
    private final Runnable accept;

    /** What a client was built with. */
    record Settings(
            InetSocketAddress remote,
            int recordBytes,
            int callsMax,
            long connectNanos,
            long backOffNanos,
            long backOffMaxNanos,
            long stallNanos,
            Function<SocketChannel, ByteChannel> channelFilter) {}

    private TcpClient(Builder builder) throws IOException {
        settings = builder.settings();
        timers = builder.timers;
        ownMemory = builder.memory == null ? new NativeAllocator() : null;
        memory = builder.memory == null ? Objects.requireNonNull(ownMemory) : builder.memory;
        loop = EventLoop.start("rpc-tcp-client-" + settings.remote.getPort());
        engine = new TcpClientEngine(this);
        canceller = engine::cancel;
        accept = engine::acceptStarted;
    }

    /**
     * Starts to set up a client.
     *
     * @param remote the server's address; a name that is not resolved yet is resolved each time it connects
     */
    public static Builder builder(InetSocketAddress remote) {
        return new Builder(remote);
    }

    @Override
    public void start(ClientCall call) {
        PendingCall pending = call.pending();
        pending.begin(nextXid.getAndIncrement(), timers.nanoTime(), canceller);
        started.add(pending);
        if (acceptScheduled.compareAndSet(false, true)) {
            loop.execute(accept);
        }
    }

    @Override
    public PayloadAllocator memory() {
        return memory;
    }

    @Override
    public String name() {
        return "tcp";
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return settings.remote;
    }

    @Override
    public boolean isConnected() {
        return engine.isConnected();
    }

    @Override
    public void close() {
        loop.execute(engine::close);
        loop.close();
        boolean interrupted = false;
        try {
            if (!loop.isOnLoop() && !loop.join(JOIN_NANOS)) {
                LOG.error("The event loop of the client of {} is stuck in a callback", settings.remote);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The engine's last act. */
    void closeMemory() {
        if (ownMemory != null) {
            ownMemory.close();
        }
    }

    @Override
    public String toString() {
        return "tcp client of " + settings.remote;
    }

    /** Sets up a client. */
    public static final class Builder {
        private final InetSocketAddress remote;
        private Timers timers = Timers.system();
        private @Nullable PayloadAllocator memory;
        private int recordBytes = TcpServer.DEFAULT_RECORD_BYTES_MAX;
        private int callsMax = 1024;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration backOff = Duration.ofMillis(100);
        private Duration backOffMax = Duration.ofSeconds(5);
        private Duration stallTimeout = Duration.ofMinutes(1);
        private Function<SocketChannel, ByteChannel> channelFilter = channel -> channel;

        private Builder(InetSocketAddress remote) {
            this.remote = remote;
        }

        /** The clock for deadlines and pauses. */
        public Builder timers(Timers clock) {
            timers = clock;
            return this;
        }

        /** Where messages and payloads lie. It stays the caller's, who closes it after the client. */
        public Builder memory(PayloadAllocator allocator) {
            memory = allocator;
            return this;
        }

        /** Most bytes of a call or of a reply, payloads included. */
        public Builder recordBytesMax(int bytes) {
            recordBytes = bytes;
            return this;
        }

        /** Most calls that are sent and unanswered. */
        public Builder callsMax(int count) {
            callsMax = count;
            return this;
        }

        /** How long an attempt to connect may take. */
        public Builder connectTimeout(Duration time) {
            connectTimeout = time;
            return this;
        }

        /** The pause after an attempt that failed: the first, and the longest; each is twice the one before. */
        public Builder backOff(Duration first, Duration longest) {
            backOff = first;
            backOffMax = longest;
            return this;
        }

        /**
         * How long a server may be silent while calls run out of time, before the connection is taken for dead and a
         * new one is made.
         */
        public Builder stallTimeout(Duration time) {
            stallTimeout = time;
            return this;
        }

        /** Lets tests stand between the client and its sockets. */
        Builder channelFilter(Function<SocketChannel, ByteChannel> filter) {
            channelFilter = filter;
            return this;
        }

        /**
         * Makes the client. It does not connect yet.
         *
         * @throws IOException if the system has no descriptors left
         */
        public TcpClient build() throws IOException {
            return new TcpClient(this);
        }

        private Settings settings() {
            return new Settings(
                    remote,
                    recordBytes,
                    callsMax,
                    connectTimeout.toNanos(),
                    backOff.toNanos(),
                    backOffMax.toNanos(),
                    stallTimeout.toNanos(),
                    channelFilter);
        }
    }
}
