package io.rpcrdma4j.rpcrdma.server;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Remembers the calls whose chunks could not be read, so that a client that sends the same broken call again and again
 * is told (RFC 8166 section 4.5.3) instead of losing one connection after the other.
 *
 * <p>The first failure ends the connection and the call's resend is served; after the second in a row the next resend
 * is answered ERR_CHUNK. <b>Limit:</b> {@value #MAX} calls; the oldest are forgotten. <b>Threading:</b> any thread.
 */
final class FailedReads {

    static final int MAX = 1024;

    private static final int TOLERATED = 2;

    private record Key(InetAddress address, int xid) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Key, Integer> failures = new LinkedHashMap<>();
    /** Whether anything is remembered; read without the lock on the common path. */
    private volatile boolean any;

    /** Notes a failure. */
    void failed(InetAddress address, int xid) {
        lock.lock();
        try {
            failures.merge(new Key(address, xid), 1, Integer::sum);
            if (failures.size() > MAX) {
                failures.remove(failures.keySet().iterator().next());
            }
            any = true;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a call whose chunks could be read. */
    void succeeded(InetAddress address, int xid) {
        if (any) {
            take(address, xid);
        }
    }

    /** Whether the call has failed too often; if so it is forgotten, to be told now. */
    boolean isHopeless(InetAddress address, int xid) {
        if (!any) {
            return false;
        }
        lock.lock();
        try {
            var key = new Key(address, xid);
            if (failures.getOrDefault(key, 0) < TOLERATED) {
                return false;
            }
            failures.remove(key);
            any = !failures.isEmpty();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void take(InetAddress address, int xid) {
        lock.lock();
        try {
            failures.remove(new Key(address, xid));
            any = !failures.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
