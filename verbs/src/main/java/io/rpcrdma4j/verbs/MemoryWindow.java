package io.rpcrdma4j.verbs;

import java.io.IOException;

/**
 * The exposure of some bytes of a region to the peer of one connection, for some time, under a fresh unpredictable key.
 * Counterpart of a type 2 memory window, and of what fast registration does for a kernel consumer.
 *
 * <p>A window is made once and bound many times. {@link #bind} gives a new {@link #key()}; the exposure ends with
 * {@link #invalidate()}, with the peer's Send-with-Invalidate (reported by {@link WorkCompletion#invalidatedKey()}), or
 * with the connection.
 *
 * <p><b>Threading:</b> one owner at a time; a remote invalidation may happen at any moment while bound.
 */
public interface MemoryWindow extends AutoCloseable {

    /**
     * Exposes {@code length} bytes of {@code region} from {@code offset} to the peer of {@code queuePair}.
     *
     * @param rights {@link Access#REMOTE_READ}, which any region allows, or {@link Access#REMOTE_WRITE}, which needs
     *     {@link Access#LOCAL_WRITE} on the region, or both; the region itself needs no remote right for it
     * @throws IllegalStateException if the window is bound
     * @throws IllegalArgumentException if the range is outside of the region, or the rights need one that the region
     *     lacks
     * @throws IOException if the device has no key left or the connection is gone
     */
    void bind(QueuePair queuePair, MemoryRegion region, long offset, long length, int rights) throws IOException;

    /** The 32-bit key of the current binding, or of the last one when not bound. */
    int key();

    /** The address that the peer gives for the first exposed byte; 64 bits, unsigned. */
    long address();

    /** Whether the peer can use the key now. */
    boolean isBound();

    /**
     * Ends the exposure: when this returns no byte can be read or written by the peer through the key any more, and
     * none is still being placed. Does nothing if not bound (invalidated by the peer, or connection gone).
     */
    void invalidate();

    /** Invalidates and frees. Idempotent. */
    @Override
    void close();
}
