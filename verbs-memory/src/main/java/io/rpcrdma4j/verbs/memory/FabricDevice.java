package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.CompletionListener;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.ConnectRequestHandler;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionListener;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceAttributes;
import io.rpcrdma4j.verbs.DeviceEvent;
import io.rpcrdma4j.verbs.DeviceEventListener;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.QueuePairOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A device of the fabric. Package-private methods are called with the lock held where nothing else is said. */
final class FabricDevice implements Device {

    final MemoryFabric fabric;
    final Scheduler scheduler;
    final KeyTable keys;
    final Set<FabricDomain> domains = new LinkedHashSet<>();
    final Set<FabricCompletionQueue> completionQueues = new LinkedHashSet<>();
    final Set<FabricConnection> connections = new LinkedHashSet<>();
    final Set<FabricListener> listeners = new LinkedHashSet<>();
    private final DeviceAttributes attributes;
    private final DeviceSettings settings;
    private final long registeredBytesMax;
    private final List<Worker> workers = new ArrayList<>();
    private final List<DeviceEventListener> eventListeners = new ArrayList<>();
    private final CallLane events;
    private final ArrayDeque<Cqe> freeCqes = new ArrayDeque<>();
    private final Map<FaultPoint, Long> occurrences = new EnumMap<>(FaultPoint.class);
    private long registeredBytes;
    private int nextLocalKey = 1;
    private int nextWorker;
    private int nextPort = 32_768;
    private boolean removed;
    private boolean closed;

    FabricDevice(MemoryFabric fabric, DeviceOptions options, String name) {
        this.fabric = fabric;
        scheduler = fabric.scheduler();
        settings = DeviceSettings.of(options);
        attributes = settings.attributes(name, options.completionVectors());
        registeredBytesMax = options.registeredBytesMax();
        keys = new KeyTable(fabric::nextKey);
        if (scheduler.mode == ExecutionMode.THREADED) {
            for (int i = 0; i < options.completionVectors(); i++) {
                workers.add(new Worker(scheduler, name + "-" + i));
            }
        }
        events = new CallLane(scheduler, worker(0));
    }

    /** Without the lock. */
    void start() {
        workers.forEach(Worker::start);
    }

    final @Nullable Worker worker(int vector) {
        return workers.isEmpty() ? null : workers.get(vector);
    }

    @Nullable
    Worker nextWorker() {
        return workers.isEmpty() ? null : workers.get(nextWorker++ % workers.size());
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    Duration connectTimeout() {
        return settings.connectTimeout();
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() throws IOException {
        scheduler.lock.lock();
        try {
            failIfUnavailable(FaultPoint.ALLOCATE_DOMAIN, 0, 1);
            var domain = new FabricDomain(this);
            domains.add(domain);
            return domain;
        } finally {
            scheduler.lock.unlock();
        }
    }

    @Override
    public CompletionQueue createCompletionQueue(int depth, int vector, CompletionListener listener)
            throws IOException {
        if (depth < 1 || vector < 0 || vector >= attributes.completionVectors()) {
            throw new IllegalArgumentException("depth " + depth + " is below 1, or vector " + vector + " is not one of "
                    + attributes.completionVectors());
        }
        scheduler.lock.lock();
        try {
            failIfUnavailable(FaultPoint.CREATE_COMPLETION_QUEUE, 0, depth);
            checkLimit("completion queue depth", depth, attributes.completionQueueDepthMax());
            var queue = new FabricCompletionQueue(this, depth, worker(vector), listener);
            completionQueues.add(queue);
            return queue;
        } finally {
            scheduler.lock.unlock();
        }
    }

    @Override
    public Listener listen(InetSocketAddress address, ListenOptions options, ConnectRequestHandler handler)
            throws IOException {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("unresolved address " + address);
        }
        scheduler.lock.lock();
        try {
            failIfUnavailable(FaultPoint.LISTEN, 0, 1);
            return fabric.bind(this, address, options, handler);
        } finally {
            scheduler.lock.unlock();
        }
    }

    @Override
    public Connection createConnection(InetSocketAddress remote, ConnectionListener listener) throws IOException {
        if (remote.isUnresolved()) {
            throw new IllegalArgumentException("unresolved address " + remote);
        }
        scheduler.lock.lock();
        try {
            checkUsable();
            var connection = new FabricConnection(this, nextWorker(), remote, listener);
            connections.add(connection);
            return connection;
        } finally {
            scheduler.lock.unlock();
        }
    }

    FabricQueuePair makeQueuePair(FabricConnection connection, QueuePairOptions options) throws IOException {
        if (options.sendDepth() < 1 || (options.sharedReceives() == null && options.receiveDepth() < 1)) {
            throw new IllegalArgumentException("queue depths are 1 or more: " + options);
        }
        checkLimit("send queue depth", options.sendDepth(), attributes.sendQueueDepthMax());
        checkLimit("receive queue depth", options.receiveDepth(), attributes.receiveQueueDepthMax());
        checkLimit("segments of a send", options.sendSegmentsMax(), attributes.segmentsPerRequestMax());
        checkLimit("segments of a Receive", options.receiveSegmentsMax(), attributes.segmentsPerRequestMax());
        if (!(options.protectionDomain() instanceof FabricDomain domain) || domain.device != this || !domain.isOpen()) {
            throw new IllegalArgumentException("the protection domain is not an open one of this device");
        }
        if (!(options.sendQueue() instanceof FabricCompletionQueue sendQueue)
                || sendQueue.device() != this
                || !sendQueue.isOpen()
                || !(options.receiveQueue() instanceof FabricCompletionQueue receiveQueue)
                || receiveQueue.device() != this
                || !receiveQueue.isOpen()) {
            throw new IllegalArgumentException("the completion queues are not open ones of this device");
        }
        FabricSharedReceiveQueue shared = null;
        if (options.sharedReceives() != null) {
            if (!(options.sharedReceives() instanceof FabricSharedReceiveQueue given)
                    || given.domain != domain
                    || !given.isOpen()) {
                throw new IllegalArgumentException("the shared receive queue is not an open one of the domain");
            }
            shared = given;
        }
        return new FabricQueuePair(connection, options, domain, sendQueue, receiveQueue, shared);
    }

    void checkLimit(String what, int wanted, int limit) throws IOException {
        if (wanted > limit) {
            throw new IOException(what + " " + wanted + " exceeds the limit of " + attributes.name() + ", " + limit);
        }
    }

    /** Without the lock. */
    void checkPrivateData(byte[] privateData) {
        if (privateData.length > attributes.privateDataBytesMax()) {
            throw new IllegalArgumentException(
                    "private data of " + privateData.length + " bytes exceeds " + attributes.privateDataBytesMax());
        }
    }

    ConnectionParameters clamp(ConnectionParameters wish) {
        return new ConnectionParameters(
                Math.min(wish.inboundReads(), attributes.inboundReadsMax()),
                Math.min(wish.outboundReads(), attributes.outboundReadsMax()),
                wish.privateData());
    }

    void checkUsable() throws IOException {
        if (closed || removed) {
            throw new IOException("the device " + attributes.name() + " is " + (closed ? "closed" : "removed"));
        }
    }

    /** Asks the fault plan whether something can be made. */
    void failIfUnavailable(FaultPoint point, int queuePairNumber, long amount) throws IOException {
        checkUsable();
        if (!fabric.hasFaults()) {
            return;
        }
        switch (fabric.consult(point, this, queuePairNumber, null, 0, amount)) {
            case Fault.Unavailable unavailable -> throw new IOException(unavailable.reason());
            case Fault.RemoveDevice remove -> {
                removeLocked(remove.reason());
                checkUsable();
            }
            case null, default -> {}
        }
    }

    long nextOccurrence(FaultPoint point) {
        return occurrences.merge(point, 1L, Long::sum);
    }

    /** Without the lock. */
    void checkRegistration(long bytes) throws IOException {
        scheduler.lock.lock();
        try {
            checkUsable();
            reserve(bytes);
            unreserve(bytes);
        } finally {
            scheduler.lock.unlock();
        }
    }

    void reserve(long bytes) throws IOException {
        if (bytes > attributes.regionBytesMax()) {
            throw new IOException("a region of " + bytes + " bytes exceeds the limit of " + attributes.name() + ", "
                    + attributes.regionBytesMax());
        }
        if (bytes > registeredBytesMax - registeredBytes) {
            throw new IOException("registering " + bytes + " bytes exceeds the ceiling of " + registeredBytesMax
                    + " on " + attributes.name() + ", where " + registeredBytes + " are registered");
        }
        registeredBytes += bytes;
    }

    void unreserve(long bytes) {
        registeredBytes -= bytes;
    }

    int nextLocalKey() {
        return nextLocalKey++;
    }

    long nextAddress(long bytes) {
        return fabric.nextAddress(bytes);
    }

    InetSocketAddress nextLocalAddress() {
        int port = nextPort;
        nextPort = port == 60_999 ? 32_768 : port + 1;
        return new InetSocketAddress(settings.address(), port);
    }

    Cqe obtainCqe() {
        Cqe cqe = freeCqes.poll();
        return cqe == null ? new Cqe() : cqe;
    }

    void recycle(Cqe cqe) {
        cqe.clear();
        freeCqes.add(cqe);
    }

    /** Gives up a completion that nobody will poll. */
    void discard(Cqe cqe) {
        if (cqe.receive != null) {
            Copies.hold(cqe.receive, -1);
        }
        recycle(cqe);
    }

    @Override
    public void addEventListener(DeviceEventListener listener) {
        scheduler.lock.lock();
        try {
            eventListeners.add(listener);
        } finally {
            scheduler.lock.unlock();
        }
    }

    @Override
    public void removeEventListener(DeviceEventListener listener) {
        scheduler.lock.lock();
        try {
            eventListeners.remove(listener);
            scheduler.awaitQuiet(events);
        } finally {
            scheduler.lock.unlock();
        }
    }

    void emit(DeviceEvent event) {
        for (DeviceEventListener listener : List.copyOf(eventListeners)) {
            events.add(() -> {
                if (isListening(listener)) {
                    listener.onEvent(this, event);
                }
            });
        }
    }

    private boolean isListening(DeviceEventListener listener) {
        scheduler.lock.lock();
        try {
            return eventListeners.contains(listener);
        } finally {
            scheduler.lock.unlock();
        }
    }

    /** The device goes away; its objects stay to be closed. */
    void removeLocked(String reason) {
        if (removed || closed) {
            return;
        }
        removed = true;
        emit(new DeviceEvent.Removed(reason));
        List.copyOf(listeners).forEach(FabricListener::release);
        for (FabricConnection connection : List.copyOf(connections)) {
            connection.tearDown("device " + attributes.name() + " removed: " + reason);
        }
    }

    @Override
    public long registeredBytes() {
        scheduler.lock.lock();
        try {
            return registeredBytes;
        } finally {
            scheduler.lock.unlock();
        }
    }

    @Override
    public void close() {
        List<FabricRegion> regions = new ArrayList<>();
        List<FabricConnection> ended;
        scheduler.lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            List.copyOf(listeners).forEach(FabricListener::release);
            ended = List.copyOf(connections);
            for (FabricConnection connection : ended) {
                connection.tearDown("device " + attributes.name() + " closed");
                connection.release();
            }
            List.copyOf(completionQueues).forEach(FabricCompletionQueue::release);
            for (FabricDomain domain : List.copyOf(domains)) {
                List.copyOf(domain.windows).forEach(FabricWindow::release);
                List.copyOf(domain.sharedReceives).forEach(FabricSharedReceiveQueue::release);
                regions.addAll(domain.regions);
                List.copyOf(domain.regions).forEach(FabricRegion::release);
                domain.release();
            }
            eventListeners.clear();
            events.clear();
            for (FabricConnection connection : ended) {
                scheduler.awaitQuiet(connection.events());
            }
            fabric.forget(this);
            workers.forEach(Worker::stop);
        } finally {
            scheduler.lock.unlock();
        }
        scheduler.settle();
        workers.forEach(Worker::join);
        regions.forEach(FabricRegion::freeMemory);
    }
}
