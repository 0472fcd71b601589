package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.iwarp.engine.KeyTable;
import io.rpcrdma4j.verbs.iwarp.engine.RemoteKey;
import io.rpcrdma4j.verbs.iwarp.engine.Stream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A memory window: one key, made valid again and again under fresh STags. <b>Threading:</b> as the interface says. */
final class Window implements MemoryWindow {

    private final Domain domain;
    private final KeyTable keys;
    private final RemoteKey remoteKey = new RemoteKey(true);
    private @Nullable Stream stream;
    private boolean isClosed;

    Window(Domain domain, KeyTable keys) {
        this.domain = domain;
        this.keys = keys;
    }

    @Override
    public void bind(QueuePair queuePair, MemoryRegion region, long offset, long length, int rights)
            throws IOException {
        if (isClosed) {
            throw new IllegalStateException("the window is closed");
        }
        if (isBound()) {
            throw new IllegalStateException("the window is bound, under key 0x" + Integer.toHexString(key()));
        }
        if (!(queuePair instanceof IwarpQueuePair pair) || !(region instanceof Region memory)) {
            throw new IllegalArgumentException("queue pair or region of another provider");
        }
        if (memory.protectionDomain() != domain || pair.options().protectionDomain() != domain) {
            throw new IllegalArgumentException("queue pair, region and window are not of one protection domain");
        }
        if (offset < 0 || length < 0 || offset > memory.length() - length) {
            throw new IllegalArgumentException("offset " + offset + ", length " + length
                    + " lie outside of the region of " + memory.length() + " bytes");
        }
        checkRights(rights, memory.access());
        Stream target = pair.stream();
        if (target.isFailed()) {
            throw new IOException("the connection of queue pair " + pair.number() + " is gone");
        }
        if (memory.isClosed()) {
            throw new IllegalArgumentException("the region is closed");
        }
        end();
        remoteKey.describe(memory, domain, target, offset, length, rights);
        if (!keys.insert(remoteKey)) {
            throw new IOException("the device has no key left");
        }
        stream = target;
    }

    private static void checkRights(int rights, int access) {
        if ((rights & ~(Access.REMOTE_READ | Access.REMOTE_WRITE)) != 0 || rights == 0) {
            throw new IllegalArgumentException(
                    "a window's rights are REMOTE_READ and REMOTE_WRITE, not 0x" + Integer.toHexString(rights));
        }
        if ((rights & Access.REMOTE_WRITE) != 0 && (access & Access.LOCAL_WRITE) == 0) {
            throw new IllegalArgumentException("a window can't be written through: the region lacks LOCAL_WRITE");
        }
    }

    @Override
    public int key() {
        return remoteKey.stag();
    }

    @Override
    public long address() {
        return remoteKey.address();
    }

    @Override
    public boolean isBound() {
        Stream target = stream;
        return target != null && remoteKey.isValid() && !target.isFailed();
    }

    @Override
    public void invalidate() {
        end();
    }

    private void end() {
        Stream target = stream;
        if (remoteKey.revoke()) {
            keys.remove(remoteKey);
            if (target != null) {
                target.revokedKeys().add(remoteKey.stag());
            }
        }
        Quiet.await(remoteKey);
        stream = null;
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            end();
            domain.forget(this);
        }
    }
}
