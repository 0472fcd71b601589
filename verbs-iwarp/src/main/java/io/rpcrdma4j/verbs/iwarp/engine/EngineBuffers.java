package io.rpcrdma4j.verbs.iwarp.engine;

/** Lends the buffers that a stream needs only now and then. What is taken is given back once, by its owner. */
public interface EngineBuffers {

    /** Lends an empty staging buffer. */
    StagingBuffer takeStaging();

    /** Takes one back. */
    void giveStaging(StagingBuffer staging);

    /** Lends an empty batch. */
    TransmitBatch takeBatch();

    /** Takes one back. */
    void giveBatch(TransmitBatch batch);
}
