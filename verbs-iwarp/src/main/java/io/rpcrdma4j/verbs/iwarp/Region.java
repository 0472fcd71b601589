package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.iwarp.engine.RegisteredMemory;
import io.rpcrdma4j.verbs.iwarp.engine.RemoteKey;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Registered memory, the caller's or our own. <b>Threading:</b> any thread. */
final class Region extends RegisteredMemory {

    private final Domain domain;
    private final @Nullable Arena arena;
    private final RemoteKey key = new RemoteKey(false);
    private boolean isPublished;
    private final AtomicBoolean isForgotten = new AtomicBoolean();

    /** @param arena closed with the region, or null if the memory is the caller's */
    Region(Domain domain, MemorySegment memory, int access, @Nullable Arena arena) {
        super(memory, access);
        this.domain = domain;
        this.arena = arena;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public int localKey() {
        return 0;
    }

    @Override
    public int remoteKey() {
        return published().stag();
    }

    @Override
    public long remoteAddress() {
        return published().address();
    }

    /** Makes the region's own key valid when it is first asked for: a key that nobody was told can't be guessed. */
    private synchronized RemoteKey published() {
        int remote = access() & (Access.REMOTE_READ | Access.REMOTE_WRITE);
        if (remote == 0) {
            throw new IllegalStateException("the region has no remote right");
        }
        if (!isPublished) {
            if (isClosed()) {
                throw new IllegalStateException("the region is closed");
            }
            key.describe(this, domain, null, 0, length(), remote);
            if (!domain.keys().insert(key)) {
                throw new IllegalStateException("the device has no key left");
            }
            isPublished = true;
        }
        return key;
    }

    @Override
    public void close() {
        if (!tryClose()) {
            throw new IllegalStateException(
                    "the region is named by posted requests, " + retained() + " segments in all");
        }
        if (!isForgotten.compareAndSet(false, true)) {
            return;
        }
        domain.keys().revokeAllOf(this, Quiet::await);
        if (arena != null) {
            arena.close();
        }
        domain.forget(this);
    }
}
