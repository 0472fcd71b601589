package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.SharedReceiveQueue;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A protection domain of the fabric. */
final class FabricDomain implements ProtectionDomain {

    private static final long PAGE_BYTES = 4096;
    private static final Thread OTHER_THREAD = new Thread(() -> {});

    final FabricDevice device;
    final Set<FabricRegion> regions = new LinkedHashSet<>();
    final Set<FabricWindow> windows = new LinkedHashSet<>();
    final Set<FabricSharedReceiveQueue> sharedReceives = new LinkedHashSet<>();
    final Set<FabricQueuePair> queuePairs = new LinkedHashSet<>();
    private long registeredBytes;
    private boolean open = true;

    FabricDomain(FabricDevice device) {
        this.device = device;
    }

    boolean isOpen() {
        return open;
    }

    @Override
    public Device device() {
        return device;
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
        if (!memory.isAccessibleBy(OTHER_THREAD)) {
            throw new IllegalArgumentException("memory confined to one thread can't be registered");
        }
        return register(memory, access, null);
    }

    @Override
    @SuppressWarnings("MustBeClosedChecker") // the region closes the arena
    public MemoryRegion allocate(long bytes, int access) throws IOException {
        Access.check(access);
        if (bytes < 1) {
            throw new IllegalArgumentException("a region has 1 or more bytes, not " + bytes);
        }
        device.checkRegistration(bytes);
        Arena arena = Arena.ofShared();
        try {
            return register(arena.allocate(bytes, PAGE_BYTES), access, arena);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private MemoryRegion register(MemorySegment memory, int access, @Nullable Arena arena) throws IOException {
        FabricRegion region;
        device.scheduler.lock.lock();
        try {
            checkOpen();
            device.failIfUnavailable(FaultPoint.REGISTER, 0, memory.byteSize());
            device.reserve(memory.byteSize());
            region = new FabricRegion(this, memory, access, device.nextAddress(memory.byteSize()), arena);
            regions.add(region);
            registeredBytes += memory.byteSize();
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
        return region;
    }

    /** With the lock held. */
    void onRegionReleased(FabricRegion region) {
        if (regions.remove(region)) {
            registeredBytes -= region.length();
            device.unreserve(region.length());
        }
    }

    @Override
    public MemoryWindow allocateWindow() throws IOException {
        device.scheduler.lock.lock();
        try {
            checkOpen();
            device.failIfUnavailable(FaultPoint.ALLOCATE_WINDOW, 0, 1);
            var window = new FabricWindow(this);
            windows.add(window);
            return window;
        } finally {
            device.scheduler.lock.unlock();
        }
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int segmentsMax) throws IOException {
        if (depth < 1 || segmentsMax < 1) {
            throw new IllegalArgumentException("depth " + depth + " or segmentsMax " + segmentsMax + " is below 1");
        }
        device.scheduler.lock.lock();
        try {
            checkOpen();
            device.failIfUnavailable(FaultPoint.CREATE_SHARED_RECEIVE_QUEUE, 0, depth);
            device.checkLimit(
                    "shared receive queue depth", depth, device.attributes().receiveQueueDepthMax());
            device.checkLimit("segments", segmentsMax, device.attributes().segmentsPerRequestMax());
            var queue = new FabricSharedReceiveQueue(this, depth, segmentsMax);
            sharedReceives.add(queue);
            return queue;
        } finally {
            device.scheduler.lock.unlock();
        }
    }

    private void checkOpen() throws IOException {
        device.checkUsable();
        if (!open) {
            throw new IllegalStateException("the protection domain is closed");
        }
    }

    @Override
    public long registeredBytes() {
        device.scheduler.lock.lock();
        try {
            return registeredBytes;
        } finally {
            device.scheduler.lock.unlock();
        }
    }

    @Override
    public void close() {
        device.scheduler.lock.lock();
        try {
            if (!open) {
                return;
            }
            int left = regions.size() + windows.size() + sharedReceives.size() + queuePairs.size();
            if (left > 0) {
                throw new IllegalStateException("still open in the protection domain: " + regions.size() + " regions, "
                        + windows.size() + " windows, " + sharedReceives.size() + " shared receive queues, "
                        + queuePairs.size() + " queue pairs");
            }
            release();
        } finally {
            device.scheduler.lock.unlock();
        }
    }

    /** With the lock held. */
    void release() {
        open = false;
        device.domains.remove(this);
    }
}
