package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairState;
import java.io.IOException;

/** A window of the fabric. */
final class FabricWindow implements MemoryWindow {

    private final FabricDomain domain;
    private final Exposure exposure = new Exposure(this);
    private boolean open = true;

    FabricWindow(FabricDomain domain) {
        this.domain = domain;
    }

    @Override
    public void bind(QueuePair queuePair, MemoryRegion region, long offset, long length, int rights)
            throws IOException {
        int remote = Access.REMOTE_READ | Access.REMOTE_WRITE;
        if (rights == 0 || (rights & ~remote) != 0) {
            throw new IllegalArgumentException(
                    "a window's rights are REMOTE_READ, REMOTE_WRITE or both, not " + rights);
        }
        FabricDevice device = domain.device;
        device.scheduler.lock.lock();
        try {
            if (!(queuePair instanceof FabricQueuePair at) || at.domain != domain) {
                throw new IllegalArgumentException("the queue pair is not of the window's protection domain");
            }
            if (!(region instanceof FabricRegion target) || target.domain != domain || !target.isOpen()) {
                throw new IllegalArgumentException("the region is not one of the window's protection domain");
            }
            if (offset < 0 || length < 0 || offset > target.length() || length > target.length() - offset) {
                throw new IllegalArgumentException(
                        length + " bytes from " + offset + " are not in a region of " + target.length() + " bytes");
            }
            if ((rights & Access.REMOTE_WRITE) != 0 && (target.access() & Access.LOCAL_WRITE) == 0) {
                throw new IllegalArgumentException("REMOTE_WRITE needs LOCAL_WRITE on the region");
            }
            bindLocked(at, target, offset, length, rights);
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
    }

    private void bindLocked(FabricQueuePair at, FabricRegion target, long offset, long length, int rights)
            throws IOException {
        FabricDevice device = domain.device;
        if (!open) {
            throw new IllegalStateException("the window is closed");
        }
        if (exposure.valid) {
            throw new IllegalStateException("the window is bound");
        }
        device.failIfUnavailable(FaultPoint.BIND_WINDOW, at.number(), length);
        if (at.state() == QueuePairState.ERROR) {
            throw new IOException("queue pair " + at.number() + " is in the error state: no window can be bound to it");
        }
        if (exposure.key != 0) {
            device.keys.remove(exposure);
        }
        exposure.region = target;
        exposure.queuePair = at;
        exposure.offset = offset;
        exposure.length = length;
        exposure.address = target.remoteAddress() + offset;
        exposure.rights = rights;
        device.keys.add(exposure);
        exposure.valid = true;
        target.bound++;
        at.windows.add(this);
    }

    @Override
    public int key() {
        return exposure.key;
    }

    @Override
    public long address() {
        return exposure.address;
    }

    @Override
    public boolean isBound() {
        domain.device.scheduler.lock.lock();
        try {
            return exposure.valid;
        } finally {
            domain.device.scheduler.lock.unlock();
        }
    }

    @Override
    public void invalidate() {
        domain.device.scheduler.lock.lock();
        try {
            unbind();
        } finally {
            domain.device.scheduler.lock.unlock();
        }
    }

    /** With the lock held; does nothing if not bound. Data is placed with the lock held, so none is under way. */
    void unbind() {
        if (!exposure.valid) {
            return;
        }
        exposure.valid = false;
        FabricRegion region = exposure.region;
        FabricQueuePair queuePair = exposure.queuePair;
        if (region != null) {
            region.bound--;
        }
        if (queuePair != null) {
            queuePair.windows.remove(this);
        }
        exposure.region = null;
    }

    @Override
    public void close() {
        domain.device.scheduler.lock.lock();
        try {
            release();
        } finally {
            domain.device.scheduler.lock.unlock();
        }
    }

    /** With the lock held. */
    void release() {
        if (open) {
            unbind();
            open = false;
            if (exposure.key != 0) {
                domain.device.keys.remove(exposure);
            }
            domain.windows.remove(this);
        }
    }
}
