package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SharedReceiveQueue;
import io.rpcrdma4j.verbs.iwarp.engine.ReceiveRing;
import org.jspecify.annotations.Nullable;

/** A shared receive queue. <b>Threading:</b> any thread. */
final class SharedReceives implements SharedReceiveQueue {

    private final Domain domain;
    private final ReceiveRing ring;
    private int users;
    private boolean isClosed;
    private volatile int limit;
    private volatile @Nullable Runnable limitListener;

    SharedReceives(Domain domain, int depth, int segmentsMax) {
        this.domain = domain;
        this.ring = new ReceiveRing(depth, segmentsMax);
    }

    ReceiveRing ring() {
        return ring;
    }

    Domain domain() {
        return domain;
    }

    @Override
    public @Nullable ReceiveRequest postReceive(ReceiveRequest first) {
        return ring.post(first);
    }

    @Override
    public int depth() {
        return ring.depth();
    }

    @Override
    public int posted() {
        return ring.count();
    }

    @Override
    public void armLimit(int newLimit, Runnable listener) {
        synchronized (this) {
            limit = newLimit;
            limitListener = listener;
        }
        checkLimit();
    }

    /** Tells the listener if the limit is passed. Call without locks. */
    void checkLimit() {
        if (limitListener == null || ring.count() >= limit) {
            return;
        }
        Runnable listener;
        synchronized (this) {
            listener = limitListener;
            limitListener = null;
        }
        if (listener != null) {
            listener.run();
        }
    }

    synchronized void attach() {
        if (isClosed) {
            throw new IllegalStateException("the shared receive queue is closed");
        }
        users++;
    }

    synchronized void detach() {
        users--;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            if (users > 0) {
                throw new IllegalStateException(users + " queue pairs still use the shared receive queue");
            }
            isClosed = true;
        }
        ring.stopAccepting();
        ring.abandon();
        domain.forget(this);
    }

    /** Closes it because the device does. */
    void abandon() {
        ring.abandon();
    }
}
