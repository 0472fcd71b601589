package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.iwarp.engine.EngineBuffers;
import io.rpcrdma4j.verbs.iwarp.engine.StagingBuffer;
import io.rpcrdma4j.verbs.iwarp.engine.TransmitBatch;
import java.util.ArrayDeque;

/**
 * Keeps the buffers that streams need only now and then. An idle connection holds none.
 *
 * <p><b>Threading:</b> any thread.
 */
final class BufferPool implements EngineBuffers {

    /** No more than this many of each kind are kept when they are given back. */
    static final int KEPT = 64;

    private final ArrayDeque<StagingBuffer> stagings = new ArrayDeque<>();
    private final ArrayDeque<TransmitBatch> batches = new ArrayDeque<>();
    private int stagingsOut;
    private int batchesOut;

    @Override
    public StagingBuffer takeStaging() {
        synchronized (stagings) {
            stagingsOut++;
            StagingBuffer kept = stagings.pollFirst();
            if (kept != null) {
                return kept;
            }
        }
        return new StagingBuffer();
    }

    @Override
    public void giveStaging(StagingBuffer staging) {
        synchronized (stagings) {
            stagingsOut--;
            if (stagings.size() < KEPT) {
                stagings.addFirst(staging);
            }
        }
    }

    @Override
    public TransmitBatch takeBatch() {
        synchronized (batches) {
            batchesOut++;
            TransmitBatch kept = batches.pollFirst();
            if (kept != null) {
                return kept;
            }
        }
        return new TransmitBatch();
    }

    @Override
    public void giveBatch(TransmitBatch batch) {
        synchronized (batches) {
            batchesOut--;
            if (batches.size() < KEPT) {
                batches.addFirst(batch);
            }
        }
    }

    /** Staging buffers that are lent (gauge). */
    int stagingsOut() {
        synchronized (stagings) {
            return stagingsOut;
        }
    }

    /** Batches that are lent (gauge). */
    int batchesOut() {
        synchronized (batches) {
            return batchesOut;
        }
    }
}
