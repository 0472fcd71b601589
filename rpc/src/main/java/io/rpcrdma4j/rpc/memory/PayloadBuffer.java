package io.rpcrdma4j.rpc.memory;

import java.lang.foreign.MemorySegment;

/**
 * A piece of memory that a transport can send from and receive into without a copy: registered memory on RDMA, plain
 * native memory on TCP.
 *
 * <p>It has one owner. Whoever owns it calls {@link #release()} exactly once and touches neither the buffer nor its
 * segment afterwards. Implementations may be used from any thread, by one thread at a time.
 */
public interface PayloadBuffer {

    /**
     * The memory itself, a native segment that may be accessed by any thread. The same object on every call. It may be
     * longer than what was asked for, and its content is whatever an earlier owner left there.
     */
    MemorySegment segment();

    /**
     * Gives the memory back to where it came from.
     *
     * @throws IllegalStateException if it was released before
     */
    void release();
}
