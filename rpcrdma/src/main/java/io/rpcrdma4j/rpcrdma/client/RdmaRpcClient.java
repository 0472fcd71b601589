package io.rpcrdma4j.rpcrdma.client;

import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.PendingCall;
import io.rpcrdma4j.rpc.RpcClientTransport;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpcrdma.Endpoint;
import io.rpcrdma4j.rpcrdma.RegisteredPool;
import io.rpcrdma4j.rpcrdma.TransportEvents;
import io.rpcrdma4j.rpcrdma.TransportOptions;
import io.rpcrdma4j.rpcrdma.wire.HeaderLimits;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.ProtectionDomain;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Calls RPC programs of one server over RDMA (RFC 8166), on one or several connections.
 *
 * <h2>Operation</h2>
 *
 * {@link #start} encodes a call and gives it to a connection; connections are made when there is something to send.
 * Calls wait for the server's credits in order. Arguments and results too long for a Send are exposed for the length of
 * the call, just their bytes, each under an unpredictable key.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns a protection domain and a pool of registered memory; the device stays the caller's. What is allocated from
 * {@link #memory()} must be released before {@link #close}.
 *
 * <h2>Threading</h2>
 *
 * Any thread. Calls end on the device's event threads, on the timers' thread, or inside {@link #start} and
 * {@link #close}.
 *
 * <h2>Errors</h2>
 *
 * See {@link RpcException.Kind}. Without a first connection, calls fail at once; later, calls that may be sent again
 * wait for the server to come back until their time is up.
 */
public final class RdmaRpcClient implements RpcClientTransport {

    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Duration CLOSE_TIME = Duration.ofSeconds(5);
    private static final int MESSAGES_KEPT = 256;

    private final Device device;
    private final InetSocketAddress remote;
    private final TransportOptions options;
    private final TransportEvents events;
    private final Timers timers;
    private final HeaderLimits limits;
    private final ProtectionDomain domain;
    private final RegisteredPool pool;
    private final List<ClientLink> links = new ArrayList<>();
    private final AtomicInteger nextXid;
    private final AtomicInteger underWay = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition linkClosed = lock.newCondition();
    private final ArrayDeque<CallMessage> freeMessages = new ArrayDeque<>();
    private final PendingCall.Canceller canceller = this::cancel;
    private boolean sweeping;
    private volatile boolean closed;
    private final AtomicBoolean released = new AtomicBoolean();

    private RdmaRpcClient(
            Device device,
            InetSocketAddress remote,
            int connections,
            TransportOptions options,
            TransportEvents events,
            Timers timers,
            int firstXid)
            throws IOException {
        if (connections < 1) {
            throw new IllegalArgumentException("a client has at least one connection, not " + connections);
        }
        this.device = device;
        this.remote = remote;
        this.options = options;
        this.events = events;
        this.timers = timers;
        this.nextXid = new AtomicInteger(firstXid);
        long message = options.payloadBytesMax() + HeaderLimits.MESSAGE_OVERHEAD_BYTES;
        this.limits = new HeaderLimits(
                options.chunkSegmentsMax(), 2 * options.chunkSegmentsMax(), options.chunksMax(), message, message);
        this.domain = device.allocateProtectionDomain();
        this.pool = new RegisteredPool(domain);
        for (int i = 0; i < connections; i++) {
            links.add(new ClientLink(this, i));
        }
    }

    /**
     * Makes a client; it connects with the first call.
     *
     * @param device stays the caller's, who closes it after the client
     * @param remote a resolved address
     * @param connections how many connections calls are spread over, 1 or more
     * @param firstXid the XID of the first call; unpredictable in production, chosen where a run must be repeatable
     * @throws IOException if the device is exhausted
     */
    public static RdmaRpcClient open(
            Device device,
            InetSocketAddress remote,
            int connections,
            TransportOptions options,
            TransportEvents events,
            Timers timers,
            int firstXid)
            throws IOException {
        return new RdmaRpcClient(device, remote, connections, options, events, timers, firstXid);
    }

    /** Makes a client whose XIDs start anywhere. */
    public static RdmaRpcClient open(
            Device device,
            InetSocketAddress remote,
            int connections,
            TransportOptions options,
            TransportEvents events,
            Timers timers)
            throws IOException {
        return open(device, remote, connections, options, events, timers, new SecureRandom().nextInt());
    }

    /** Makes a client with one connection, default options and no events. */
    public static RdmaRpcClient open(Device device, InetSocketAddress remote) throws IOException {
        return open(device, remote, 1, TransportOptions.defaults(), TransportEvents.NONE, Timers.system());
    }

    @Override
    public void start(ClientCall call) {
        int xid = nextXid.getAndIncrement();
        PendingCall pending = call.pending();
        pending.begin(xid, timers.nanoTime(), canceller);
        if (closed) {
            end(pending, new RpcException(RpcException.Kind.CLOSED, "the client is closed"));
            return;
        }
        CallMessage message = takeMessage();
        RpcException failure = message.encode(pending);
        if (failure != null) {
            recycle(message);
            end(pending, failure);
            return;
        }
        ClientLink link = links.get(Math.floorMod(xid, links.size()));
        if (pending.hasDeadline()) {
            startSweeping();
        }
        link.submit(message);
    }

    private static void end(PendingCall pending, RpcException failure) {
        if (pending.claim()) {
            pending.complete(failure);
        }
    }

    private void cancel(PendingCall call, int xid) {
        links.get(Math.floorMod(xid, links.size()))
                .abort(call, xid, new RpcException(RpcException.Kind.CANCELLED, "the call was cancelled"));
    }

    private CallMessage takeMessage() {
        CallMessage message;
        lock.lock();
        try {
            message = freeMessages.pollLast();
        } finally {
            lock.unlock();
        }
        underWay.incrementAndGet();
        return message != null ? message : new CallMessage(pool, options.inlineBytes(), limits.maxMessageBytes());
    }

    void recycle(CallMessage message) {
        underWay.decrementAndGet();
        lock.lock();
        try {
            if (freeMessages.size() < MESSAGES_KEPT) {
                freeMessages.addLast(message);
            }
        } finally {
            lock.unlock();
        }
    }

    private void startSweeping() {
        lock.lock();
        try {
            if (sweeping || closed) {
                return;
            }
            sweeping = true;
        } finally {
            lock.unlock();
        }
        timers.schedule(SWEEP_NANOS, this::sweep);
    }

    private void sweep() {
        long now = timers.nanoTime();
        links.forEach(link -> link.expire(now));
        lock.lock();
        try {
            sweeping = underWay.get() > 0 && !closed;
            if (!sweeping) {
                return;
            }
        } finally {
            lock.unlock();
        }
        timers.schedule(SWEEP_NANOS, this::sweep);
    }

    @Override
    public PayloadAllocator memory() {
        return pool;
    }

    @Override
    public String name() {
        return "rdma";
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public boolean isConnected() {
        for (ClientLink link : links) {
            if (link.isConnected()) {
                return true;
            }
        }
        return false;
    }

    /** What was agreed on with the server, in words, for each connection; empty before there was one. */
    public List<String> negotiated() {
        return links.stream().map(ClientLink::negotiated).toList();
    }

    /** The endpoints of the connections that exist now. */
    List<Endpoint> endpoints() {
        List<Endpoint> endpoints = new ArrayList<>();
        for (ClientLink link : links) {
            Endpoint endpoint = link.endpoint();
            if (endpoint != null) {
                endpoints.add(endpoint);
            }
        }
        return endpoints;
    }

    /** Pieces of registered memory in use now (gauge). */
    public long buffersOutstanding() {
        return pool.outstanding();
    }

    /** Bytes registered for this client now (gauge). */
    public long registeredBytes() {
        return pool.registeredBytes();
    }

    Device device() {
        return device;
    }

    TransportOptions options() {
        return options;
    }

    TransportEvents events() {
        return events;
    }

    Timers timers() {
        return timers;
    }

    HeaderLimits limits() {
        return limits;
    }

    RegisteredPool pool() {
        return pool;
    }

    boolean isClosed() {
        return closed;
    }

    void onLinkClosed() {
        lock.lock();
        try {
            linkClosed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Starts to close: all calls end, all connections are being torn down. Does not wait. Idempotent. */
    public void shutdown() {
        if (!closed) {
            closed = true;
            links.forEach(ClientLink::close);
        }
    }

    /** Whether no connection is left, so that {@link #close} will not wait. */
    public boolean isTerminated() {
        return closed && links.stream().allMatch(ClientLink::isIdle);
    }

    /**
     * Ends all calls and connections, and gives back all memory once everything posted has been flushed, for which it
     * waits at most five seconds.
     *
     * @throws IllegalStateException if memory of {@link #memory()} was not released
     */
    @Override
    public void close() {
        if (released.getAndSet(true)) {
            return;
        }
        shutdown();
        awaitIdle();
        pool.close();
        domain.close();
    }

    private void awaitIdle() {
        long left = CLOSE_TIME.toNanos();
        lock.lock();
        try {
            while (left > 0 && !isTerminated()) {
                left = linkClosed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "rdma client of " + remote;
    }
}
