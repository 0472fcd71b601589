package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.CompletionListener;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.ConnectRequestHandler;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionListener;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceAttributes;
import io.rpcrdma4j.verbs.DeviceEvent;
import io.rpcrdma4j.verbs.DeviceEventListener;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.TransportType;
import io.rpcrdma4j.verbs.iwarp.engine.KeyTable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The one device of this provider: event threads, keys and buffers. <b>Threading:</b> any thread. */
final class IwarpDevice implements Device {

    static final String NAME = "iwarp0";
    static final int QUEUE_DEPTH_MAX = 1 << 15;
    static final int COMPLETION_DEPTH_MAX = 1 << 20;
    static final int SEGMENTS_MAX = 64;
    static final int READ_SEGMENTS_MAX = 32;
    static final int INLINE_BYTES_MAX = 256;
    static final int READS_MAX = 128;
    static final int PRIVATE_DATA_BYTES_MAX = 508;
    static final long REGION_BYTES_MAX = 1L << 40;

    private static final long STOP_MILLIS = 5000;

    private final DeviceAttributes attributes;
    private final Settings settings;
    private final long registeredBytesMax;
    private final KeyTable keys = new KeyTable(new SecureInts());
    private final BufferPool buffers = new BufferPool();
    private final EventLoop[] loops;
    private final AtomicLong registeredBytes = new AtomicLong();
    private final AtomicInteger nextNumber = new AtomicInteger(1);
    private final AtomicInteger nextLoop = new AtomicInteger();
    private final Set<Domain> domains = ConcurrentHashMap.newKeySet();
    private final Set<CompletionRing> queues = ConcurrentHashMap.newKeySet();
    private final Set<IwarpListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<IwarpConnection> connections = ConcurrentHashMap.newKeySet();
    private final CopyOnWriteArrayList<DeviceEventListener> eventListeners = new CopyOnWriteArrayList<>();
    private volatile boolean isClosed;
    private volatile boolean isRemoved;

    private IwarpDevice(DeviceOptions options, Settings settings, EventLoop[] loops) {
        this.settings = settings;
        this.loops = loops;
        this.registeredBytesMax = options.registeredBytesMax();
        this.attributes = new DeviceAttributes(
                NAME,
                TransportType.IWARP,
                QUEUE_DEPTH_MAX,
                QUEUE_DEPTH_MAX,
                COMPLETION_DEPTH_MAX,
                SEGMENTS_MAX,
                READ_SEGMENTS_MAX,
                INLINE_BYTES_MAX,
                REGION_BYTES_MAX,
                READS_MAX,
                READS_MAX,
                PRIVATE_DATA_BYTES_MAX,
                loops.length);
    }

    static IwarpDevice open(DeviceOptions options, Settings settings) throws IOException {
        var loops = new EventLoop[options.completionVectors()];
        for (int i = 0; i < loops.length; i++) {
            loops[i] = new EventLoop(i);
        }
        for (EventLoop loop : loops) {
            loop.start();
        }
        return new IwarpDevice(options, settings, loops);
    }

    static void checkDepth(String what, int value, int max) throws IOException {
        if (value < 0) {
            throw new IllegalArgumentException(what + " is negative: " + value);
        }
        if (value > max) {
            throw new IOException(what + " " + value + " exceeds " + max);
        }
    }

    static void checkPrivateData(byte[] privateData) {
        if (privateData.length > IwarpDevice.PRIVATE_DATA_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "private data of " + privateData.length + " bytes, more than " + PRIVATE_DATA_BYTES_MAX);
        }
    }

    Settings settings() {
        return settings;
    }

    KeyTable keys() {
        return keys;
    }

    BufferPool buffers() {
        return buffers;
    }

    EventLoop nextLoop() {
        return loops[(nextLoop.getAndIncrement() & Integer.MAX_VALUE) % loops.length];
    }

    int nextNumber() {
        return nextNumber.getAndIncrement();
    }

    /** Connections that hold a socket (gauge). */
    int connectionCount() {
        return connections.size();
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    void requireOpen() throws IOException {
        if (isClosed || isRemoved) {
            throw new IOException(isClosed ? "the device is closed" : "the device was removed");
        }
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() throws IOException {
        requireOpen();
        var domain = new Domain(this);
        domains.add(domain);
        return domain;
    }

    @Override
    public CompletionQueue createCompletionQueue(int depth, int vector, CompletionListener listener)
            throws IOException {
        requireOpen();
        if (depth < 1 || vector < 0 || vector >= loops.length) {
            throw new IllegalArgumentException("depth " + depth + ", vector " + vector);
        }
        checkDepth("completion queue depth", depth, COMPLETION_DEPTH_MAX);
        var queue = new CompletionRing(this, depth, loops[vector], listener);
        queues.add(queue);
        return queue;
    }

    @Override
    public Listener listen(InetSocketAddress address, ListenOptions options, ConnectRequestHandler handler)
            throws IOException {
        requireOpen();
        IwarpListener listener = IwarpListener.open(this, loops[0], address, options, handler);
        listeners.add(listener);
        return listener;
    }

    @Override
    public Connection createConnection(InetSocketAddress remote, ConnectionListener listener) throws IOException {
        requireOpen();
        if (remote.isUnresolved()) {
            throw new IllegalArgumentException("unresolved address: " + remote.getHostString());
        }
        var connection = new ActiveConnection(this, nextLoop(), remote);
        connection.setListener(listener);
        return connection;
    }

    @Override
    public void addEventListener(DeviceEventListener listener) {
        eventListeners.add(listener);
    }

    @Override
    public void removeEventListener(DeviceEventListener listener) {
        eventListeners.remove(listener);
    }

    void reserve(long bytes) throws IOException {
        requireOpen();
        while (true) {
            long now = registeredBytes.get();
            if (bytes > registeredBytesMax - now) {
                throw new IOException("registering " + bytes + " bytes would pass the ceiling of " + registeredBytesMax
                        + " on registered memory (" + now + " are registered)");
            }
            if (registeredBytes.compareAndSet(now, now + bytes)) {
                return;
            }
        }
    }

    void unreserve(long bytes) {
        registeredBytes.addAndGet(-bytes);
    }

    @Override
    public long registeredBytes() {
        return registeredBytes.get();
    }

    void add(IwarpConnection connection) throws IOException {
        connections.add(connection);
        if (isClosed) {
            connections.remove(connection);
            throw new IOException("the device is closed");
        }
    }

    void forget(IwarpConnection connection) {
        connections.remove(connection);
    }

    void forget(Domain domain) {
        domains.remove(domain);
    }

    void forget(CompletionRing queue) {
        queues.remove(queue);
    }

    void forget(IwarpListener listener) {
        listeners.remove(listener);
    }

    /** Cuts all connections, without a word to the peers. */
    void breakConnections() {
        connections.forEach(each -> each.reset("connection lost"));
    }

    /** Behaves as if the device were gone: everything on it fails, and its listeners of events are told. */
    void remove(String reason) {
        synchronized (this) {
            if (isRemoved) {
                return;
            }
            isRemoved = true;
        }
        loops[0].execute(() -> {
            for (DeviceEventListener each : eventListeners) {
                each.onEvent(this, new DeviceEvent.Removed(reason));
            }
            listeners.forEach(IwarpListener::close);
            connections.forEach(each -> each.abort("the device was removed: " + reason));
            domains.forEach(each -> each.failQueuePairs("the device was removed: " + reason));
        });
    }

    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        listeners.forEach(IwarpListener::close);
        connections.forEach(each -> each.abort("the device was closed"));
        domains.forEach(each -> each.failQueuePairs("the device was closed"));
        for (EventLoop loop : loops) {
            loop.stop(STOP_MILLIS);
        }
        connections.forEach(IwarpConnection::closeSocket);
        connections.clear();
        domains.forEach(Domain::closeAll);
        domains.clear();
        queues.clear();
    }
}
