package io.rpcrdma4j.verbs.iwarp.engine;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a stream has to write: a batch of FPDUs while it is open, a few last bytes when it closes.
 *
 * <h2>Operation</h2>
 *
 * {@link #fresh} lends a batch to fill; {@link #cut} or {@link #discard} frees it of all registered memory;
 * {@link #close} sets the last bytes.
 *
 * <h2>Buffer ownership</h2>
 *
 * The batch is borrowed from the pool while it has bytes.
 *
 * <h2>Threading</h2>
 *
 * The stream's owner.
 *
 * <h2>Errors</h2>
 *
 * None.
 */
final class Output {

    private final EngineBuffers pool;
    private final ByteBuffer[] last = {ByteBuffer.allocate(0)};
    private @Nullable TransmitBatch batch;

    Output(EngineBuffers pool) {
        this.pool = pool;
    }

    /** The batch under way, if there is one. */
    @Nullable
    TransmitBatch batch() {
        return batch;
    }

    /** An empty batch to fill. */
    TransmitBatch fresh(boolean crc) {
        TransmitBatch b = batch;
        if (b == null) {
            b = pool.takeBatch();
            batch = b;
        }
        b.reset(crc);
        return b;
    }

    /** Gives the batch back; it must be empty. */
    void giveBack() {
        TransmitBatch b = batch;
        if (b != null) {
            batch = null;
            pool.giveBatch(b);
        }
    }

    /** Drops what is framed, but for the rest of an FPDU that is half sent: that is what it returns, as a copy. */
    ByteBuffer cut() {
        TransmitBatch b = batch;
        if (b == null) {
            return ByteBuffer.allocate(0);
        }
        ByteBuffer rest = b.cut();
        giveBack();
        return rest;
    }

    /** Drops everything. */
    void discard() {
        TransmitBatch b = batch;
        if (b != null) {
            b.discard();
            giveBack();
        }
        last[0] = ByteBuffer.allocate(0);
    }

    /** There is no batch any more: these are the last bytes. */
    void close(ByteBuffer bytes) {
        last[0] = bytes;
    }

    /** Whether last bytes are left. */
    boolean hasLast() {
        return last[0].hasRemaining();
    }

    ByteBuffer[] buffers() {
        TransmitBatch b = batch;
        return b == null ? last : b.buffers();
    }

    int first() {
        TransmitBatch b = batch;
        return b == null ? 0 : b.first();
    }

    int count() {
        TransmitBatch b = batch;
        return b == null ? 1 : b.count();
    }
}
