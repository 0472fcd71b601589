package io.rpcrdma4j.rpc.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Plain native memory in sizes of powers of two, reused, with a ceiling. For transports that copy (TCP), and for tests.
 *
 * <h2>Operation</h2>
 *
 * {@link #allocate} takes an idle buffer of the smallest size that fits, or makes one. Released buffers stay for reuse
 * until the ceiling forces them out or {@link #close} does.
 *
 * <h2>Buffer ownership</h2>
 *
 * A buffer belongs to whoever allocated it until it is released. {@link #outstanding()} counts those that are out.
 * Buffers that are still out when the allocator is closed stay valid; their memory is freed when they are released.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread.
 *
 * <h2>Errors</h2>
 *
 * {@link RpcResourceException} when the ceiling would be exceeded; a second release of a buffer is an
 * {@link IllegalStateException}.
 */
public final class NativeAllocator implements PayloadAllocator, AutoCloseable {
    /** Ceiling in bytes of an allocator that was given none: 256 MiB. */
    public static final long DEFAULT_CEILING_BYTES = 256L << 20;

    /** Size in bytes of the smallest buffers. */
    public static final int SMALLEST_BYTES = 512;

    /** Size in bytes of the largest buffer. */
    public static final long LARGEST_BYTES = 1L << 30;

    private static final int SMALLEST_SHIFT = Integer.numberOfTrailingZeros(SMALLEST_BYTES);
    private static final int CLASSES = Long.numberOfTrailingZeros(LARGEST_BYTES) - SMALLEST_SHIFT + 1;

    private final ReentrantLock lock = new ReentrantLock();
    private final long ceilingBytes;
    /** Idle buffers by size; guarded by {@link #lock}, as are all fields below. */
    private final ArrayDeque<Pooled>[] idle;

    private long totalBytes;
    private long outstanding;
    private boolean closed;

    /** Makes an allocator with the default ceiling. */
    public NativeAllocator() {
        this(DEFAULT_CEILING_BYTES);
    }

    /**
     * Makes an allocator.
     *
     * @param ceilingBytes most bytes that its buffers have together, those that are out and those that are idle
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // An array of a generic type cannot be made otherwise.
    public NativeAllocator(long ceilingBytes) {
        this.ceilingBytes = ceilingBytes;
        idle = new ArrayDeque[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            idle[i] = new ArrayDeque<>();
        }
    }

    @Override
    public PayloadBuffer allocate(long bytes) {
        int size = sizeClass(bytes);
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the allocator is closed");
            }
            Pooled buffer = idle[size].pollLast();
            if (buffer == null) {
                buffer = grow(size, bytes);
            }
            buffer.out = true;
            outstanding++;
            return buffer;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public PayloadBuffer register(MemorySegment memory, Runnable onRelease) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("not native memory: " + memory);
        }
        lock.lock();
        try {
            outstanding++;
        } finally {
            lock.unlock();
        }
        return new Foreign(memory, onRelease);
    }

    /** Number of buffers that are out: allocated or registered, and not released. */
    public long outstanding() {
        lock.lock();
        try {
            return outstanding;
        } finally {
            lock.unlock();
        }
    }

    /** Bytes of native memory that this allocator holds, in use and idle. */
    public long totalBytes() {
        lock.lock();
        try {
            return totalBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Frees the idle buffers now and the others when they are released. Idempotent. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            trim(0);
        } finally {
            lock.unlock();
        }
    }

    private static int sizeClass(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("negative size " + bytes);
        }
        if (bytes > LARGEST_BYTES) {
            throw new RpcResourceException(
                    "a buffer of " + bytes + " bytes, more than the largest of " + LARGEST_BYTES);
        }
        int log = Long.SIZE - Long.numberOfLeadingZeros(Math.max(bytes, SMALLEST_BYTES) - 1);
        return log - SMALLEST_SHIFT;
    }

    private Pooled grow(int size, long wanted) {
        long bytes = (long) SMALLEST_BYTES << size;
        if (totalBytes + bytes > ceilingBytes) {
            trim(Math.max(0, ceilingBytes - bytes));
        }
        if (totalBytes + bytes > ceilingBytes) {
            throw new RpcResourceException("a buffer of " + wanted + " bytes: " + totalBytes + " of at most "
                    + ceilingBytes + " bytes are in use");
        }
        Pooled buffer = new Pooled(size, bytes);
        totalBytes += bytes;
        return buffer;
    }

    /** Frees idle buffers, the largest first, until at most {@code targetBytes} are left or none is idle. */
    private void trim(long targetBytes) {
        for (int i = CLASSES - 1; i >= 0; i--) {
            while (totalBytes > targetBytes) {
                Pooled buffer = idle[i].pollFirst();
                if (buffer == null) {
                    break;
                }
                free(buffer);
            }
        }
    }

    private void free(Pooled buffer) {
        totalBytes -= buffer.segment.byteSize();
        buffer.arena.close();
    }

    private final class Pooled implements PayloadBuffer {
        private final Arena arena = Arena.ofShared();
        private final int size;
        private final MemorySegment segment;
        private boolean out;

        private Pooled(int size, long bytes) {
            this.size = size;
            segment = arena.allocate(bytes, 64);
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public void release() {
            lock.lock();
            try {
                if (!out) {
                    throw new IllegalStateException("released twice: a buffer of " + segment.byteSize() + " bytes");
                }
                out = false;
                outstanding--;
                if (closed) {
                    free(this);
                } else {
                    idle[size].addLast(this);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private final class Foreign implements PayloadBuffer {
        private final MemorySegment memory;
        private final Runnable onRelease;
        private final AtomicBoolean released = new AtomicBoolean();

        private Foreign(MemorySegment memory, Runnable onRelease) {
            this.memory = memory;
            this.onRelease = onRelease;
        }

        @Override
        public MemorySegment segment() {
            return memory;
        }

        @Override
        public void release() {
            if (!released.compareAndSet(false, true)) {
                throw new IllegalStateException("released twice: a registration of " + memory.byteSize() + " bytes");
            }
            lock.lock();
            try {
                outstanding--;
            } finally {
                lock.unlock();
            }
            onRelease.run();
        }
    }
}
