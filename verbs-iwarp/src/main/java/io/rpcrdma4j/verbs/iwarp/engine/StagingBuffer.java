package io.rpcrdma4j.verbs.iwarp.engine;

import java.nio.ByteBuffer;

/**
 * Where bytes from the network wait until they are a whole FPDU, or enough of one to know where they belong.
 *
 * <p><b>Threading:</b> one owner. Staging buffers are pooled: a connection holds one only while bytes wait in it.
 */
public final class StagingBuffer {

    /** Holds the longest FPDU with room for some of the next. */
    static final int BYTES = 128 << 10;

    /** The bytes that wait are from position to limit. */
    final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES).limit(0);

    /** Another view of the same memory, to read into. */
    final ByteBuffer in = bytes.duplicate();

    /** An empty one. */
    public StagingBuffer() {}

    /** Drops what waits. */
    void clear() {
        bytes.limit(0);
    }
}
