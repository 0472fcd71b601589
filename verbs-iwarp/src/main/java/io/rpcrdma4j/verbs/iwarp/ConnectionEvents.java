package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.ConnectionListener;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of a connection on their way to its listener: one at a time, in order, none after {@link #stop()}.
 *
 * <p><b>Threading:</b> any thread. The lock is held while the listener is called, so that {@link #stop()} can wait for
 * it; it guards nothing else.
 */
final class ConnectionEvents {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionEvents.class);

    private final ConcurrentLinkedQueue<ConnectionEvent> waiting = new ConcurrentLinkedQueue<>();
    private final ReentrantLock delivery = new ReentrantLock();
    private volatile @Nullable ConnectionListener listener;
    private volatile boolean isStopped;

    void setListener(ConnectionListener newListener) {
        listener = newListener;
    }

    void add(ConnectionEvent event) {
        waiting.add(event);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Calls the listener for each that waits, unless this thread is doing it already. */
    void deliver(Connection connection) {
        if (delivery.isHeldByCurrentThread()) {
            return;
        }
        delivery.lock();
        try {
            for (ConnectionEvent event = waiting.poll(); event != null; event = waiting.poll()) {
                ConnectionListener l = listener;
                if (l != null && !isStopped) {
                    l.onEvent(connection, event);
                }
            }
        } catch (RuntimeException e) {
            LOG.error("{}: a connection listener failed", connection, e);
        } finally {
            delivery.unlock();
        }
    }

    /** Sees to it that the listener is not called any more, and waits until it isn't; not for itself, inside it. */
    void stop() {
        isStopped = true;
        delivery.lock();
        try {
            waiting.clear();
        } finally {
            delivery.unlock();
        }
    }
}
