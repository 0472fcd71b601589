package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * What the parts of a {@link NioTree} share.
 *
 * <p>Locks are taken in this order: the tree's ({@link #shared} or {@link #exclusive}), then one file's or directory's
 * ({@link #sharedOf} or {@link #exclusiveOf}), then those inside the table and the caches.
 */
final class NioContext {
    private static final int STRIPES = 64;
    private static final int SET_ID_BITS = 06000;
    private static final PosixFilePermission[] PERMISSIONS = {
        PosixFilePermission.OTHERS_EXECUTE,
        PosixFilePermission.OTHERS_WRITE,
        PosixFilePermission.OTHERS_READ,
        PosixFilePermission.GROUP_EXECUTE,
        PosixFilePermission.GROUP_WRITE,
        PosixFilePermission.GROUP_READ,
        PosixFilePermission.OWNER_EXECUTE,
        PosixFilePermission.OWNER_WRITE,
        PosixFilePermission.OWNER_READ
    };

    private final NodeTable table;
    private final NioAttributes reader;
    private final NioNames names;
    private final boolean readOnly;
    private final boolean syncNames;
    private final long uid;
    /** Shared by all that use a path, exclusive for what could make a path lead elsewhere. */
    private final ReadWriteLock tree = new ReentrantReadWriteLock();

    private final ReadWriteLock[] stripes = new ReadWriteLock[STRIPES];

    NioContext(NodeTable table, NioAttributes reader, NioNames names, boolean readOnly, boolean syncNames, long uid) {
        this.table = table;
        this.reader = reader;
        this.names = names;
        this.readOnly = readOnly;
        this.syncNames = syncNames;
        this.uid = uid;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new ReentrantReadWriteLock();
        }
    }

    NodeTable table() {
        return table;
    }

    NioAttributes reader() {
        return reader;
    }

    NioNames names() {
        return names;
    }

    /** The user that this process runs as. */
    long uid() {
        return uid;
    }

    boolean isReadOnly() {
        return readOnly;
    }

    void requireWritable() throws FileTreeException {
        if (readOnly) {
            throw new FileTreeException(NfsStatus.NFS3ERR_ROFS, "served read-only");
        }
    }

    Lock shared() {
        return tree.readLock();
    }

    Lock exclusive() {
        return tree.writeLock();
    }

    Lock sharedOf(NioNode node) {
        return stripe(node).readLock();
    }

    Lock exclusiveOf(NioNode node) {
        return stripe(node).writeLock();
    }

    private ReadWriteLock stripe(NioNode node) {
        long h = node.fileid() * 0x9e3779b97f4a7c15L;
        return stripes[(int) (h >>> 58)];
    }

    /** Whether changes of names and attributes are on stable storage when an operation returns. */
    boolean syncsNames() {
        return syncNames;
    }

    /** Brings the names in a directory to stable storage, if that is wanted. */
    void syncDirectory(Path directory) throws IOException {
        if (syncNames) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /**
     * Refuses set-id bits that are not there already.
     *
     * @param wanted the mode that is asked for
     * @param present the mode that there is
     */
    static void requireNoSetId(int wanted, int present) throws FileTreeException {
        if ((wanted & ~present & SET_ID_BITS) != 0) {
            throw new FileTreeException(NfsStatus.NFS3ERR_PERM, "set-id bits are refused");
        }
    }

    /** The nine lowest bits of a mode, for the creation of a file. */
    static FileAttribute<Set<PosixFilePermission>> permissions(int mode) {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        for (int bit = 0; bit < PERMISSIONS.length; bit++) {
            if (((mode >> bit) & 1) != 0) {
                set.add(PERMISSIONS[bit]);
            }
        }
        return PosixFilePermissions.asFileAttribute(set);
    }

    /** The user who owns what is at a path. */
    static long ownerOf(Path path) throws IOException {
        return ((Number) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS)).longValue();
    }
}
