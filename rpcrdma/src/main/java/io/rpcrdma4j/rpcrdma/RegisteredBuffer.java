package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Registered memory that messages are built in, received into, read into or written from.
 *
 * <p><b>Buffer ownership:</b> one owner at a time; {@link #release()} ends it, exactly once. <b>Threading:</b> the
 * owner's.
 */
public final class RegisteredBuffer implements PayloadBuffer {

    private final MemoryRegion region;
    private final long offset;
    private final int sizeClass;
    private final MemorySegment segment;
    private final ReleaseAction action;
    private final AtomicBoolean out = new AtomicBoolean();

    /** What happens to the memory when its owner is through with it. */
    @FunctionalInterface
    interface ReleaseAction {
        void onRelease(RegisteredBuffer buffer);
    }

    RegisteredBuffer(MemoryRegion region, long offset, long length, int sizeClass, ReleaseAction action) {
        this.region = region;
        this.offset = offset;
        this.sizeClass = sizeClass;
        this.segment = region.segment().asSlice(offset, length);
        this.action = action;
    }

    /** The registration that covers it. */
    public MemoryRegion region() {
        return region;
    }

    /** Where it starts within {@link #region()}, in bytes. */
    public long offset() {
        return offset;
    }

    /** How long it is, in bytes. */
    public long capacity() {
        return segment.byteSize();
    }

    int sizeClass() {
        return sizeClass;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    void markOut() {
        if (!out.compareAndSet(false, true)) {
            throw new IllegalStateException("the buffer is out already");
        }
    }

    @Override
    public void release() {
        if (!out.compareAndSet(true, false)) {
            throw new IllegalStateException("the buffer was released before");
        }
        action.onRelease(this);
    }
}
