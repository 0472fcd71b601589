package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.ProtectionDomain;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Registered memory in pieces of a few sizes, for all connections of one protection domain.
 *
 * <h2>Operation</h2>
 *
 * {@link #allocate} gives a piece of the smallest size class that holds the bytes asked for: powers of two from 4 KiB
 * to 4 MiB, anything longer in pages. Small pieces are cut from regions of {@value #SLAB_BYTES} bytes, so that
 * registering is rare; each size class has its own lock.
 *
 * <h2>Buffer ownership</h2>
 *
 * A piece belongs to whoever allocated it until {@link RegisteredBuffer#release()}. {@link #outstanding()} counts those
 * out; it is 0 when every connection is closed and every caller has released what it took.
 *
 * <h2>Threading</h2>
 *
 * Any thread.
 *
 * <h2>Errors</h2>
 *
 * When the device's ceiling on registered memory is reached, first the free pieces of other size classes are given up,
 * then the allocation fails with {@link RpcResourceException}; nothing is left half done.
 */
public final class RegisteredPool implements PayloadAllocator, AutoCloseable {

    /** How much memory is registered at a time for size classes below it. */
    static final int SLAB_BYTES = 256 * 1024;

    private static final int SMALLEST_SHIFT = 12;
    private static final int LARGEST_SHIFT = 22;
    private static final int CLASSES = LARGEST_SHIFT - SMALLEST_SHIFT + 1;
    /** Size class of memory that is not pooled: longer than the largest class, or registered for one use. */
    private static final int UNPOOLED = -1;

    private static final int ACCESS = Access.LOCAL_WRITE | Access.REMOTE_WRITE;

    private final ProtectionDomain domain;
    private final SizeClass[] classes = new SizeClass[CLASSES];
    private final AtomicLong outstanding = new AtomicLong();
    private volatile boolean closed;

    /** Makes an empty pool; memory is registered in {@code domain} when it is needed. */
    public RegisteredPool(ProtectionDomain domain) {
        this.domain = domain;
        for (int i = 0; i < CLASSES; i++) {
            classes[i] = new SizeClass(i);
        }
    }

    @Override
    public RegisteredBuffer allocate(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("can't allocate " + bytes + " bytes");
        }
        if (closed) {
            throw new RpcResourceException("the pool of registered memory is closed");
        }
        RegisteredBuffer buffer = bytes > 1L << LARGEST_SHIFT ? allocateUnpooled(bytes) : allocatePooled(bytes);
        buffer.markOut();
        outstanding.incrementAndGet();
        return buffer;
    }

    @Override
    public RegisteredBuffer register(MemorySegment memory, Runnable onRelease) throws IOException {
        MemoryRegion region = domain.register(memory, memory.isReadOnly() ? 0 : ACCESS);
        var buffer = new RegisteredBuffer(region, 0, memory.byteSize(), UNPOOLED, released -> {
            outstanding.decrementAndGet();
            region.close();
            onRelease.run();
        });
        buffer.markOut();
        outstanding.incrementAndGet();
        return buffer;
    }

    /** Pieces allocated and not yet released (gauge). */
    public long outstanding() {
        return outstanding.get();
    }

    /** Bytes registered by the domain's device for this pool and others of the domain (gauge). */
    public long registeredBytes() {
        return domain.registeredBytes();
    }

    /** A window for exposing pieces of this pool. */
    public MemoryWindow allocateWindow() throws IOException {
        return domain.allocateWindow();
    }

    ProtectionDomain domain() {
        return domain;
    }

    /**
     * Ends all registrations.
     *
     * @throws IllegalStateException if pieces are still out; the text counts them
     */
    @Override
    public void close() {
        long out = outstanding.get();
        if (out != 0) {
            throw new IllegalStateException(out + " registered buffers are still in use");
        }
        closed = true;
        for (SizeClass sizeClass : classes) {
            sizeClass.close();
        }
    }

    private RegisteredBuffer allocatePooled(long bytes) {
        int shift = Math.max(SMALLEST_SHIFT, Long.SIZE - Long.numberOfLeadingZeros(Math.max(bytes, 1) - 1));
        SizeClass sizeClass = classes[shift - SMALLEST_SHIFT];
        try {
            return sizeClass.take();
        } catch (IOException ceiling) {
            giveUpFreeRegions();
            try {
                return sizeClass.take();
            } catch (IOException e) {
                throw new RpcResourceException("no registered memory left for " + bytes + " bytes: " + e.getMessage());
            }
        }
    }

    private RegisteredBuffer allocateUnpooled(long bytes) {
        try {
            MemoryRegion region = domain.allocate(bytes, ACCESS);
            return new RegisteredBuffer(region, 0, bytes, UNPOOLED, released -> {
                outstanding.decrementAndGet();
                region.close();
            });
        } catch (IOException e) {
            throw new RpcResourceException("no registered memory left for " + bytes + " bytes: " + e.getMessage());
        }
    }

    private void giveUpFreeRegions() {
        for (SizeClass sizeClass : classes) {
            sizeClass.giveUpFreeRegions();
        }
    }

    private void takeBack(RegisteredBuffer buffer) {
        outstanding.decrementAndGet();
        classes[buffer.sizeClass()].put(buffer);
    }

    /** The free pieces of one size. A region that serves one piece only can be given up while the piece is free. */
    private final class SizeClass {

        private final int index;
        private final int bytes;
        private final ReentrantLock lock = new ReentrantLock();
        private final ArrayDeque<RegisteredBuffer> free = new ArrayDeque<>();
        private final List<MemoryRegion> slabs = new ArrayList<>();

        SizeClass(int index) {
            this.index = index;
            this.bytes = 1 << (index + SMALLEST_SHIFT);
        }

        RegisteredBuffer take() throws IOException {
            lock.lock();
            try {
                RegisteredBuffer buffer = free.pollLast();
                return buffer != null ? buffer : grow();
            } finally {
                lock.unlock();
            }
        }

        private RegisteredBuffer grow() throws IOException {
            if (bytes >= SLAB_BYTES) {
                return new RegisteredBuffer(
                        domain.allocate(bytes, ACCESS), 0, bytes, index, RegisteredPool.this::takeBack);
            }
            MemoryRegion slab = domain.allocate(SLAB_BYTES, ACCESS);
            slabs.add(slab);
            for (long offset = bytes; offset < SLAB_BYTES; offset += bytes) {
                free.addFirst(new RegisteredBuffer(slab, offset, bytes, index, RegisteredPool.this::takeBack));
            }
            return new RegisteredBuffer(slab, 0, bytes, index, RegisteredPool.this::takeBack);
        }

        void put(RegisteredBuffer buffer) {
            lock.lock();
            try {
                free.addLast(buffer);
            } finally {
                lock.unlock();
            }
        }

        void giveUpFreeRegions() {
            if (bytes < SLAB_BYTES) {
                return;
            }
            lock.lock();
            try {
                free.forEach(buffer -> buffer.region().close());
                free.clear();
            } finally {
                lock.unlock();
            }
        }

        void close() {
            giveUpFreeRegions();
            lock.lock();
            try {
                free.clear();
                slabs.forEach(MemoryRegion::close);
                slabs.clear();
            } finally {
                lock.unlock();
            }
        }
    }
}
