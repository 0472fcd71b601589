package io.rpcrdma4j.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A group of memory and queue pairs that may work together. A key of one domain used on a connection of another is a
 * protection error.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface ProtectionDomain extends AutoCloseable {

    Device device();

    /**
     * Registers native memory that the caller owns and keeps alive until {@link MemoryRegion#close()}.
     *
     * @param memory native, not read-only if {@code access} has a write bit
     * @param access bits of {@link Access}
     * @throws IOException if the ceiling on registered memory or a limit of the device would be passed
     * @throws IllegalArgumentException if the segment is on the heap, or read-only and to be written
     */
    MemoryRegion register(MemorySegment memory, int access) throws IOException;

    /**
     * Allocates page-aligned, zeroed native memory and registers it; {@link MemoryRegion#close()} frees it.
     *
     * @param bytes 1 or more
     */
    MemoryRegion allocate(long bytes, int access) throws IOException;

    /** Makes an unbound memory window: the reusable handle by which bytes are exposed to the peer for one call. */
    MemoryWindow allocateWindow() throws IOException;

    /**
     * Makes a receive queue that several queue pairs of this domain share.
     *
     * @param depth most Receives posted at a time
     * @param segmentsMax most scatter entries of each
     */
    SharedReceiveQueue createSharedReceiveQueue(int depth, int segmentsMax) throws IOException;

    /** Bytes registered in this domain (gauge). */
    long registeredBytes();

    /**
     * Frees the domain.
     *
     * @throws IllegalStateException if regions, windows, shared receive queues or queue pairs of it are still open; the
     *     text counts them
     */
    @Override
    void close();
}
