package io.rpcrdma4j.bench;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** One RPC implementation under measurement: a connected client whose server runs in the other process. */
interface Rival extends AutoCloseable {

    /** How it is called in the report. */
    String name();

    /** Makes one NULL call and waits for its end. */
    void callNull() throws Exception;

    /** Reads {@code bytes} bytes into memory of the client and waits for the end. */
    void read(int bytes) throws Exception;

    /** How long a call may take before the run is given up. */
    long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    @Override
    void close() throws IOException;
}
