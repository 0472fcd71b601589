package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Registered memory of the fabric. */
final class FabricRegion implements MemoryRegion {

    final FabricDomain domain;
    private final MemorySegment segment;
    private final int access;
    private final int localKey;
    private final long remoteAddress;
    private final @Nullable Arena arena;
    private @Nullable Exposure exposure;
    private boolean open = true;

    /** Requests that name it and have not been given back. */
    int posted;

    /** Windows bound to it. */
    int bound;

    FabricRegion(FabricDomain domain, MemorySegment segment, int access, long remoteAddress, @Nullable Arena arena) {
        this.domain = domain;
        this.segment = segment;
        this.access = access;
        this.remoteAddress = remoteAddress;
        this.arena = arena;
        localKey = domain.device.nextLocalKey();
    }

    boolean isOpen() {
        return open;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public int access() {
        return access;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public int localKey() {
        return localKey;
    }

    @Override
    public int remoteKey() {
        if ((access & (Access.REMOTE_READ | Access.REMOTE_WRITE)) == 0) {
            throw new IllegalStateException("the region has no remote right");
        }
        Scheduler scheduler = domain.device.scheduler;
        scheduler.lock.lock();
        try {
            if (!open) {
                throw new IllegalStateException("the region is closed");
            }
            if (exposure == null) {
                exposure = expose();
            }
            return exposure.key;
        } finally {
            scheduler.lock.unlock();
        }
    }

    private Exposure expose() {
        var made = new Exposure(null);
        made.region = this;
        made.valid = true;
        made.rights = access;
        made.address = remoteAddress;
        made.length = length();
        domain.device.keys.add(made);
        return made;
    }

    @Override
    public long remoteAddress() {
        return remoteAddress;
    }

    @Override
    public void close() {
        Scheduler scheduler = domain.device.scheduler;
        scheduler.lock.lock();
        try {
            if (!open) {
                return;
            }
            if (posted > 0 || bound > 0) {
                throw new IllegalStateException("the region is named by " + posted
                        + " requests not yet given back and by " + bound + " bound windows");
            }
            release();
        } finally {
            scheduler.lock.unlock();
        }
        freeMemory();
    }

    /** With the lock held: ends the registration, whoever still names it. */
    void release() {
        if (open) {
            open = false;
            if (exposure != null) {
                exposure.valid = false;
                domain.device.keys.remove(exposure);
            }
            domain.onRegionReleased(this);
        }
    }

    /** After {@link #release}; without the lock. */
    void freeMemory() {
        if (arena != null && arena.scope().isAlive()) {
            arena.close();
        }
    }
}
