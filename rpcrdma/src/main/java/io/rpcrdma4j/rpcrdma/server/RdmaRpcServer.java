package io.rpcrdma4j.rpcrdma.server;

import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpcrdma.Endpoint;
import io.rpcrdma4j.rpcrdma.RegisteredPool;
import io.rpcrdma4j.rpcrdma.TracePoint;
import io.rpcrdma4j.rpcrdma.TransportEvents;
import io.rpcrdma4j.rpcrdma.TransportOptions;
import io.rpcrdma4j.rpcrdma.wire.ConnectionParameters;
import io.rpcrdma4j.rpcrdma.wire.HeaderLimits;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.ProtectionDomain;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves RPC programs over RDMA (RFC 8166) on one port of a verbs device. Counterpart of {@code svc_rdma_transport.c}.
 *
 * <h2>Operation</h2>
 *
 * {@link #open} listens; each connection gets an {@link Endpoint} and is served by one event thread of the device.
 * {@link #close} stops listening, lets replies that are under way go out until a deadline, and ends all connections.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns a protection domain and a pool of registered memory for all its connections; the device stays the caller's.
 *
 * <h2>Threading</h2>
 *
 * All methods may be called from any thread; {@link #close} not from a handler.
 *
 * <h2>Errors</h2>
 *
 * Whatever a peer does ends in an answer or in the end of its connection, and one line in the log.
 */
public final class RdmaRpcServer implements AutoCloseable {

    /** The port for NFS over RDMA (RFC 8267 section 5.1). */
    public static final int NFS_RDMA_PORT = 20_049;

    private static final Logger LOG = LoggerFactory.getLogger(RdmaRpcServer.class);
    /** A Read chunk may hold the pad behind a payload of the greatest length. */
    private static final int PAD_BYTES = 4;

    private static final byte[] NO_PRIVATE_DATA = {};
    private static final Duration DRAIN_TIME = Duration.ofSeconds(5);

    private final Device device;
    private final RpcDispatcher dispatcher;
    private final TransportOptions options;
    private final TransportEvents events;
    private final HeaderLimits limits;
    private final FailedReads failedReads = new FailedReads();
    private final ProtectionDomain domain;
    private final RegisteredPool pool;
    private final ListeningPort port;
    private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicLong connectionIds = new AtomicLong();
    private final AtomicInteger nextVector = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition connectionClosed = lock.newCondition();
    private volatile boolean closed;
    private final AtomicBoolean released = new AtomicBoolean();

    private RdmaRpcServer(
            Device device,
            InetSocketAddress address,
            ListenOptions listenOptions,
            RpcDispatcher dispatcher,
            TransportOptions options,
            TransportEvents events)
            throws IOException {
        this.device = device;
        this.dispatcher = dispatcher;
        this.options = options;
        this.events = events;
        this.limits = new HeaderLimits(
                options.chunkSegmentsMax(),
                2 * options.chunkSegmentsMax(),
                options.chunksMax(),
                options.payloadBytesMax() + PAD_BYTES,
                options.payloadBytesMax() + HeaderLimits.MESSAGE_OVERHEAD_BYTES);
        this.domain = device.allocateProtectionDomain();
        this.pool = new RegisteredPool(domain);
        try {
            this.port = ListeningPort.open(device, address, listenOptions, this::onConnectRequest, events);
        } catch (IOException | RuntimeException e) {
            pool.close();
            domain.close();
            throw e;
        }
    }

    /**
     * Starts to serve.
     *
     * @param device stays the caller's, who closes it after the server
     * @param address port 0 means any free port, see {@link #address()}
     * @throws IOException if the address can't be bound or the device is exhausted
     */
    public static RdmaRpcServer open(
            Device device,
            InetSocketAddress address,
            ListenOptions listenOptions,
            RpcDispatcher dispatcher,
            TransportOptions options,
            TransportEvents events)
            throws IOException {
        return new RdmaRpcServer(device, address, listenOptions, dispatcher, options, events);
    }

    /** Starts to serve with default options and without events. */
    public static RdmaRpcServer open(Device device, InetSocketAddress address, RpcDispatcher dispatcher)
            throws IOException {
        return open(
                device,
                address,
                ListenOptions.defaults(),
                dispatcher,
                TransportOptions.defaults(),
                TransportEvents.NONE);
    }

    /** The address that it listens on, with the real port. */
    public InetSocketAddress address() {
        return port.address();
    }

    /** Whether connections can come: not after the close, nor while its address or device is gone. */
    public boolean isListening() {
        return port.isListening();
    }

    /** How it is sized. */
    public TransportOptions options() {
        return options;
    }

    /** Connections that exist now (gauge). */
    public int connections() {
        return connections.size();
    }

    /** The endpoints of the connections that exist now, oldest first. */
    List<Endpoint> endpoints() {
        List<ServerConnection> sorted = new ArrayList<>(connections);
        sorted.sort(Comparator.comparingLong(ServerConnection::id));
        List<Endpoint> endpoints = new ArrayList<>();
        for (ServerConnection connection : sorted) {
            Endpoint endpoint = connection.endpoint();
            if (endpoint != null) {
                endpoints.add(endpoint);
            }
        }
        return endpoints;
    }

    /** Pieces of registered memory that connections and programs hold now (gauge). */
    public long buffersOutstanding() {
        return pool.outstanding();
    }

    /** Bytes registered for this server now (gauge). */
    public long registeredBytes() {
        return pool.registeredBytes();
    }

    RpcDispatcher dispatcher() {
        return dispatcher;
    }

    HeaderLimits limits() {
        return limits;
    }

    FailedReads failedReads() {
        return failedReads;
    }

    private void onConnectRequest(Connection request) {
        InetSocketAddress local = request.localAddress();
        var connection = new ServerConnection(
                this, connectionIds.incrementAndGet(), request.remoteAddress(), local == null ? port.address() : local);
        if (closed) {
            request.reject(NO_PRIVATE_DATA);
            return;
        }
        if (request.requested().outboundReads() == 0) {
            // RFC 8166 has the responder pull every chunk: a peer that serves no Reads can't be served.
            events.on(TracePoint.INITDEPTH_ERR, 0, connection.id(), 0, 0);
            LOG.info("{}: refused: the client serves no RDMA Reads (IRD 0)", connection);
            request.reject(NO_PRIVATE_DATA);
            return;
        }
        try {
            accept(request, connection);
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}: refused: {}", connection, e.getMessage());
            Endpoint endpoint = connection.endpoint();
            if (endpoint == null) {
                // Endpoint.open has closed the connection, which tells the client at once.
                connections.remove(connection);
            } else {
                endpoint.scheduleClose("accepting failed: " + e.getMessage());
            }
        }
    }

    private void accept(Connection request, ServerConnection connection) throws IOException {
        ConnectionParameters ours =
                new ConnectionParameters(options.inlineBytes(), options.inlineBytes(), options.remoteInvalidation());
        byte[] privateData = new byte[ConnectionParameters.ENCODED_BYTES];
        ours.encode(MemorySegment.ofArray(privateData), 0);
        ConnectionParameters theirs = ConnectionParameters.parse(
                MemorySegment.ofArray(request.requested().privateData()));
        boolean invalidate = options.remoteInvalidation() && theirs.remoteInvalidation();
        connections.add(connection);
        int vector =
                Math.floorMod(nextVector.getAndIncrement(), device.attributes().completionVectors());
        Endpoint endpoint = Endpoint.open(
                request,
                pool,
                options,
                events,
                created -> new Responder(created, this, connection, invalidate),
                vector);
        connection.setEndpoint(endpoint);
        endpoint.setSendLimit(ours.inlineThresholdTo(theirs));
        request.setListener((source, event) -> onEvent(connection, endpoint, event));
        request.accept(new io.rpcrdma4j.verbs.ConnectionParameters(0, options.readsMax(), privateData));
    }

    private void onEvent(ServerConnection connection, Endpoint endpoint, ConnectionEvent event) {
        switch (event) {
            case ConnectionEvent.Established established -> {
                endpoint.setEstablished();
                events.on(
                        TracePoint.ACCEPT,
                        endpoint.queuePair().number(),
                        connection.id(),
                        endpoint.sendLimit(),
                        options.inlineBytes());
                connection.onEstablished("inline " + endpoint.sendLimit() + " bytes to the client, "
                        + established.parameters().outboundReads() + " reads");
            }
            case ConnectionEvent.Rejected rejected -> endpoint.scheduleClose("rejected");
            case ConnectionEvent.Failed failed ->
                endpoint.scheduleClose(String.valueOf(failed.cause().getMessage()));
            case ConnectionEvent.Disconnected disconnected -> endpoint.scheduleClose(disconnected.reason());
        }
    }

    void onConnectionClosed(ServerConnection connection) {
        connections.remove(connection);
        lock.lock();
        try {
            connectionClosed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Starts to close: stops listening, and all connections are being torn down. Does not wait. Idempotent. */
    public void shutdown() {
        if (!closed) {
            closed = true;
            port.close();
            connections.forEach(ServerConnection::close);
        }
    }

    /** Whether no connection is left, so that {@link #close} will not wait. */
    public boolean isTerminated() {
        return closed && connections.isEmpty();
    }

    /**
     * Stops listening, ends all connections and gives back all memory. Waits until everything posted has been flushed,
     * at most five seconds; calls that programs never answered keep theirs, which is logged. Idempotent.
     */
    @Override
    public void close() {
        if (released.getAndSet(true)) {
            return;
        }
        shutdown();
        awaitNoConnections();
        if (connections.isEmpty() && pool.outstanding() == 0) {
            pool.close();
            domain.close();
        } else {
            LOG.warn(
                    "Closed with {} connections and {} buffers still in use by calls without an answer",
                    connections.size(),
                    pool.outstanding());
        }
    }

    private void awaitNoConnections() {
        long left = DRAIN_TIME.toNanos();
        lock.lock();
        try {
            while (!connections.isEmpty() && left > 0) {
                left = connectionClosed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
