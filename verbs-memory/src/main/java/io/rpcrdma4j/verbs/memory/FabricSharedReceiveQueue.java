package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SharedReceiveQueue;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A shared receive queue of the fabric. */
final class FabricSharedReceiveQueue implements SharedReceiveQueue {

    final FabricDomain domain;
    private final int depth;
    private final int segmentsMax;
    private final ArrayDeque<ReceiveRequest> posted = new ArrayDeque<>();
    private final CallLane events;
    private int limit;
    private @Nullable Runnable limitListener;
    private boolean open = true;

    /** Queue pairs that use it. */
    int users;

    FabricSharedReceiveQueue(FabricDomain domain, int depth, int segmentsMax) {
        this.domain = domain;
        this.depth = depth;
        this.segmentsMax = segmentsMax;
        events = new CallLane(domain.device.scheduler, domain.device.worker(0));
    }

    boolean isOpen() {
        return open;
    }

    @Override
    public @Nullable ReceiveRequest postReceive(ReceiveRequest first) {
        Scheduler scheduler = domain.device.scheduler;
        ReceiveRequest request = first;
        scheduler.lock.lock();
        try {
            while (request != null) {
                PostStatus status = admit(request);
                request.setPostStatus(status);
                if (status != PostStatus.POSTED) {
                    break;
                }
                ReceiveRequest next = request.next();
                Copies.hold(request, 1);
                posted.add(request);
                request = next;
            }
        } finally {
            scheduler.lock.unlock();
        }
        scheduler.settle();
        return request;
    }

    private PostStatus admit(ReceiveRequest request) {
        if (domain.device.fabric.hasFaults()) {
            Fault fault = domain.device.fabric.consult(
                    FaultPoint.POST_RECEIVE, domain.device, 0, null, request.id(), request.byteLength());
            if (fault instanceof Fault.Refuse refuse) {
                return refuse.status();
            }
        }
        if (!open) {
            return PostStatus.INVALID_STATE;
        }
        if (request.segmentCount() > segmentsMax) {
            return PostStatus.INVALID_REQUEST;
        }
        return posted.size() < depth ? PostStatus.POSTED : PostStatus.QUEUE_FULL;
    }

    /** With the lock held: the Receive for an arriving message. */
    @Nullable
    ReceiveRequest take() {
        ReceiveRequest request = posted.poll();
        checkLimit();
        return request;
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int posted() {
        domain.device.scheduler.lock.lock();
        try {
            return posted.size();
        } finally {
            domain.device.scheduler.lock.unlock();
        }
    }

    @Override
    public void armLimit(int newLimit, Runnable listener) {
        domain.device.scheduler.lock.lock();
        try {
            limit = newLimit;
            limitListener = listener;
            checkLimit();
        } finally {
            domain.device.scheduler.lock.unlock();
        }
        domain.device.scheduler.settle();
    }

    private void checkLimit() {
        Runnable listener = limitListener;
        if (listener != null && posted.size() < limit) {
            limitListener = null;
            events.add(listener);
        }
    }

    @Override
    public void close() {
        Scheduler scheduler = domain.device.scheduler;
        scheduler.lock.lock();
        try {
            if (users > 0) {
                throw new IllegalStateException(users + " queue pairs still use the shared receive queue");
            }
            release();
            scheduler.awaitQuiet(events);
        } finally {
            scheduler.lock.unlock();
        }
    }

    /** With the lock held. */
    void release() {
        if (open) {
            open = false;
            limitListener = null;
            events.clear();
            for (ReceiveRequest request : posted) {
                Copies.hold(request, -1);
            }
            posted.clear();
            domain.sharedReceives.remove(this);
        }
    }
}
