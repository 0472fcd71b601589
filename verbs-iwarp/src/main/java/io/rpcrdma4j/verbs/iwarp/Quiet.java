package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.iwarp.engine.RemoteKey;
import java.util.concurrent.locks.LockSupport;

/** Waits until nothing is placed or fetched through a revoked key any more: at most one read or write of a socket. */
final class Quiet {

    private static final int SPINS = 200;
    private static final long PARK_NANOS = 5_000;

    private Quiet() {}

    static void await(RemoteKey key) {
        for (int i = 0; !key.isQuiet(); i++) {
            if (i < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PARK_NANOS);
            }
        }
    }
}
