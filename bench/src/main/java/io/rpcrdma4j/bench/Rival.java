package io.rpcrdma4j.bench;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * One RPC implementation under measurement: a connected client whose server runs in the other process. Calls are made
 * one after the other, each started by the end of the one before, which is the fastest way that each rival has: no
 * thread waits.
 */
interface Rival extends AutoCloseable {

    /** How it is called in the report. */
    String name();

    /** Makes NULL calls, one outstanding, until {@code deadlineNanos}; gives their number. */
    long callNull(long deadlineNanos) throws Exception;

    /** Reads {@code bytes} bytes into memory of the client, one outstanding, until {@code deadlineNanos}. */
    long read(int bytes, long deadlineNanos) throws Exception;

    /** How long a case may take beyond its deadline before the run is given up. */
    long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    @Override
    void close() throws IOException;
}
