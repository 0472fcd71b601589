package io.rpcrdma4j.rpc.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Where the buffers of a transport come from.
 *
 * <p>May be called from any thread.
 */
public interface PayloadAllocator {

    /**
     * Takes a buffer of at least {@code bytes} bytes. The caller owns it.
     *
     * @param bytes at least 0
     * @return a buffer with arbitrary content
     * @throws RpcResourceException if the configured ceiling of this memory is reached
     */
    PayloadBuffer allocate(long bytes);

    /**
     * Makes existing native memory (a mapped file, a buffer of the application) usable by the transport.
     *
     * <p>The caller owns the buffer that comes back. Its {@link PayloadBuffer#release()} ends the registration and then
     * runs {@code onRelease}, once; only then may the memory be unmapped or used for something else.
     *
     * @param memory native, alive and accessible by any thread until {@code onRelease} has run
     * @param onRelease called on the thread that releases the buffer; must neither block nor throw
     * @throws IOException if the device refuses the registration; {@code onRelease} is not run then
     * @throws RpcResourceException if the configured ceiling of registered memory is reached
     * @throws IllegalArgumentException if {@code memory} is not native
     */
    PayloadBuffer register(MemorySegment memory, Runnable onRelease) throws IOException;
}
