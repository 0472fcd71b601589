package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.SharedReceiveQueue;
import io.rpcrdma4j.verbs.iwarp.engine.KeyTable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** A protection domain, which knows what was made from it. <b>Threading:</b> any thread. */
final class Domain implements ProtectionDomain {

    private static final int PAGE_BYTES = 4096;

    private final IwarpDevice device;
    private final AtomicLong registeredBytes = new AtomicLong();
    private final Set<Region> regions = new HashSet<>();
    private final Set<Window> windows = new HashSet<>();
    private final Set<SharedReceives> shared = new HashSet<>();
    private final Set<IwarpQueuePair> queuePairs = new HashSet<>();
    private boolean isClosed;

    Domain(IwarpDevice device) {
        this.device = device;
    }

    @Override
    public Device device() {
        return device;
    }

    KeyTable keys() {
        return device.keys();
    }

    @Override
    public MemoryRegion register(MemorySegment memory, int access) throws IOException {
        Access.check(access);
        if (!memory.isNative()) {
            throw new IllegalArgumentException("memory on the heap can't be registered");
        }
        if (memory.isReadOnly() && (access & (Access.LOCAL_WRITE | Access.REMOTE_WRITE)) != 0) {
            throw new IllegalArgumentException("read-only memory can't be registered for writing");
        }
        reserve(memory.byteSize());
        return add(new Region(this, memory, access, null));
    }

    @Override
    @SuppressWarnings("MustBeClosed") // closed with the region
    public MemoryRegion allocate(long bytes, int access) throws IOException {
        Access.check(access);
        if (bytes < 1) {
            throw new IllegalArgumentException("a region has 1 byte or more, not " + bytes);
        }
        reserve(bytes);
        Arena arena = Arena.ofShared();
        MemorySegment memory;
        try {
            memory = arena.allocate(bytes, PAGE_BYTES);
        } catch (OutOfMemoryError e) {
            arena.close();
            unreserve(bytes);
            throw new IOException("no memory for a region of " + bytes + " bytes", e);
        }
        return add(new Region(this, memory, access, arena));
    }

    private void reserve(long bytes) throws IOException {
        if (bytes > IwarpDevice.REGION_BYTES_MAX) {
            throw new IOException("a region of " + bytes + " bytes, more than " + IwarpDevice.REGION_BYTES_MAX);
        }
        device.reserve(bytes);
        registeredBytes.addAndGet(bytes);
    }

    private void unreserve(long bytes) {
        registeredBytes.addAndGet(-bytes);
        device.unreserve(bytes);
    }

    private MemoryRegion add(Region region) throws IOException {
        boolean isAdded;
        synchronized (this) {
            isAdded = !isClosed;
            if (isAdded) {
                regions.add(region);
            }
        }
        if (!isAdded) {
            region.close();
            throw new IOException("the protection domain is closed");
        }
        return region;
    }

    void forget(Region region) {
        synchronized (this) {
            regions.remove(region);
        }
        unreserve(region.length());
    }

    @Override
    public MemoryWindow allocateWindow() throws IOException {
        var window = new Window(this, device.keys());
        synchronized (this) {
            requireOpen();
            windows.add(window);
        }
        return window;
    }

    synchronized void forget(Window window) {
        windows.remove(window);
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int segmentsMax) throws IOException {
        IwarpDevice.checkDepth("shared receive queue depth", depth, IwarpDevice.QUEUE_DEPTH_MAX);
        IwarpDevice.checkDepth("segments", segmentsMax, IwarpDevice.SEGMENTS_MAX);
        var queue = new SharedReceives(this, depth, segmentsMax);
        synchronized (this) {
            requireOpen();
            shared.add(queue);
        }
        return queue;
    }

    synchronized void forget(SharedReceives queue) {
        shared.remove(queue);
    }

    synchronized void add(IwarpQueuePair queuePair) throws IOException {
        requireOpen();
        queuePairs.add(queuePair);
    }

    synchronized void forget(IwarpQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    private void requireOpen() throws IOException {
        if (isClosed) {
            throw new IOException("the protection domain is closed");
        }
    }

    @Override
    public long registeredBytes() {
        return registeredBytes.get();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            if (!regions.isEmpty() || !windows.isEmpty() || !shared.isEmpty() || !queuePairs.isEmpty()) {
                throw new IllegalStateException("the protection domain is in use: " + regions.size() + " regions, "
                        + windows.size() + " windows, " + shared.size() + " shared receive queues, "
                        + queuePairs.size() + " queue pairs");
            }
            isClosed = true;
        }
        device.forget(this);
    }

    /** Ends all queue pairs, because the device is gone. */
    void failQueuePairs(String why) {
        IwarpQueuePair[] all;
        synchronized (this) {
            all = queuePairs.toArray(new IwarpQueuePair[0]);
        }
        for (IwarpQueuePair each : all) {
            each.fail(why);
        }
    }

    /** Frees everything, because the device closes; no queue pair is at work any more. */
    void closeAll() {
        Region[] allRegions;
        Window[] allWindows;
        SharedReceives[] allShared;
        synchronized (this) {
            allRegions = regions.toArray(new Region[0]);
            allWindows = windows.toArray(new Window[0]);
            allShared = shared.toArray(new SharedReceives[0]);
            queuePairs.clear();
            isClosed = true;
        }
        for (Window each : allWindows) {
            each.close();
        }
        for (SharedReceives each : allShared) {
            each.abandon();
        }
        for (Region each : allRegions) {
            each.close();
        }
    }
}
