package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.FileNode;
import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.vfs.FileTreeException;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.HandleBuffer;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.concurrent.locks.ReentrantLock;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes and checks file handles. Nobody who lacks the key can make one that is accepted.
 *
 * <pre>
 *   version 1 | length of the key 1 | 0 2 | export 4 | key of the node 1..40 | MAC 16
 * </pre>
 *
 * The MAC is the first half of an HMAC-SHA-256 over all that is before it.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread.
 */
final class FileHandles {
    private static final byte VERSION = 1;
    private static final int HEADER_BYTES = 8;
    private static final int MAC_BYTES = 16;
    private static final int MAC_FULL_BYTES = 32;
    /** Handles that were checked or made lately, by hash; a power of two. */
    private static final int RECENT = 4_096;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private final int export;
    private final FileTree tree;
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by {@link #lock}. */
    private final Mac mac;
    /** Guarded by {@link #lock}. */
    private final byte[] macOutput = new byte[MAC_FULL_BYTES];

    /**
     * Written without a lock: handles are immutable, and one that another thread does not see yet costs a new check.
     */
    private final @Nullable FileHandle[] recent = new @Nullable FileHandle[RECENT];

    /**
     * Makes a codec.
     *
     * @param export number of the export, in every handle
     * @param tree what the handles lead to
     * @param secret key of the MAC
     */
    FileHandles(int export, FileTree tree, byte[] secret) {
        this.export = export;
        this.tree = tree;
        try {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    /** The handle of a node. */
    FileHandle of(FileNode node) {
        int keyLength = node.keyLength();
        byte[] bytes = new byte[HEADER_BYTES + keyLength + MAC_BYTES];
        bytes[0] = VERSION;
        bytes[1] = (byte) keyLength;
        INT.set(bytes, 4, export);
        node.copyKey(bytes, HEADER_BYTES);
        int signed = HEADER_BYTES + keyLength;
        int slot = slot(bytes, signed);
        FileHandle known = recent[slot];
        if (known != null && known.length() == bytes.length && known.startsWith(bytes, signed)) {
            return known;
        }
        sign(bytes, signed);
        FileHandle handle = FileHandle.of(bytes);
        recent[slot] = handle;
        return handle;
    }

    /**
     * The node of a handle.
     *
     * @throws FileTreeException NFS3ERR_BADHANDLE if this server did not make it; NFS3ERR_STALE if the file is gone
     */
    FileNode resolve(HandleBuffer handle) throws FileTreeException {
        return resolve(handle.bytes(), handle.length());
    }

    /** As {@link #resolve(HandleBuffer)}. */
    FileNode resolve(FileHandle handle) throws FileTreeException {
        return resolve(handle.toByteArray(), handle.length());
    }

    private FileNode resolve(byte[] bytes, int length) throws FileTreeException {
        int signed = length - MAC_BYTES;
        int keyLength = signed - HEADER_BYTES;
        if (keyLength < 1
                || bytes[0] != VERSION
                || bytes[1] != keyLength
                || bytes[2] != 0
                || bytes[3] != 0
                || !isGenuine(bytes, length)) {
            throw new FileTreeException(NfsStatus.NFS3ERR_BADHANDLE, "a handle that is not from here");
        }
        if ((int) INT.get(bytes, 4) != export) {
            throw new FileTreeException(NfsStatus.NFS3ERR_STALE, "a handle of another export");
        }
        return tree.find(bytes, HEADER_BYTES, keyLength);
    }

    private boolean isGenuine(byte[] bytes, int length) {
        int signed = length - MAC_BYTES;
        int slot = slot(bytes, signed);
        FileHandle known = recent[slot];
        if (known != null && known.length() == length && known.startsWith(bytes, length)) {
            return true;
        }
        byte[] signedAnew = new byte[length];
        System.arraycopy(bytes, 0, signedAnew, 0, signed);
        sign(signedAnew, signed);
        FileHandle genuine = FileHandle.of(signedAnew);
        if (!genuine.startsWith(bytes, length)) {
            return false;
        }
        recent[slot] = genuine;
        return true;
    }

    /** Writes the MAC of the first {@code signed} bytes behind them. */
    private void sign(byte[] bytes, int signed) {
        lock.lock();
        try {
            mac.update(bytes, 0, signed);
            mac.doFinal(macOutput, 0);
            System.arraycopy(macOutput, 0, bytes, signed, MAC_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a MAC of 32 bytes", e);
        } finally {
            lock.unlock();
        }
    }

    private static int slot(byte[] bytes, int signed) {
        int hash = 1;
        for (int i = HEADER_BYTES; i < signed; i++) {
            hash = 31 * hash + bytes[i];
        }
        return (hash ^ (hash >>> 16)) & (RECENT - 1);
    }
}
