package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.FileName;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.locks.Lock;

/** Lists directories for a {@link NioTree}. May be used from any thread. */
final class NioDirectories {
    private static final FileName SELF = FileName.of(".");
    private static final FileName PARENT = FileName.of("..");
    private static final long SELF_COOKIE = 1;
    private static final long PARENT_COOKIE = 2;

    private final NioContext context;
    private final DirectoryListings listings;

    NioDirectories(NioContext context, byte[] cookieKey, int namesMax) {
        this.context = context;
        listings = new DirectoryListings(context.names(), new SipHash(cookieKey), namesMax);
    }

    boolean list(NioNode directory, long cookie, boolean withNodes, DirectoryVisitor visitor) throws FileTreeException {
        try {
            FileAttributes attributes = new FileAttributes();
            long from = cookie;
            while (true) {
                DirectorySnapshot snapshot = snapshot(directory, attributes, from);
                long reached = visit(directory, snapshot, from, withNodes, visitor);
                if (reached < 0) {
                    return false;
                }
                if (snapshot.isComplete()) {
                    return true;
                }
                from = reached;
            }
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        }
    }

    /**
     * Names behind {@code cookie}. The directory is read without the lock, through a stream that was opened with it.
     */
    @SuppressWarnings("StreamResourceLeak") // The listing closes it.
    private DirectorySnapshot snapshot(NioNode directory, FileAttributes attributes, long cookie) throws IOException {
        DirectoryStream<Path> stream;
        Lock lock = context.shared();
        lock.lock();
        try {
            Path path = context.table().locateDirectory(directory, attributes);
            DirectorySnapshot kept = listings.find(attributes, cookie);
            if (kept != null) {
                return kept;
            }
            stream = Files.newDirectoryStream(path);
        } finally {
            lock.unlock();
        }
        return listings.read(attributes, stream, cookie);
    }

    /**
     * Shows the names of a snapshot.
     *
     * @return the cookie of the last one, -1 if one was not taken
     */
    private long visit(
            NioNode directory, DirectorySnapshot snapshot, long cookie, boolean withNodes, DirectoryVisitor visitor)
            throws IOException {
        FileAttributes attributes = new FileAttributes();
        Lock lock = context.shared();
        lock.lock();
        try {
            Path path = context.table().locateDirectory(directory, attributes);
            if (cookie < SELF_COOKIE && !visitor.entry(SELF, SELF_COOKIE, withNodes ? directory : null, attributes)) {
                return -1;
            }
            if (cookie < PARENT_COOKIE && !visitParent(directory, attributes, withNodes, visitor)) {
                return -1;
            }
            long last = cookie;
            boolean taken = true;
            for (int i = snapshot.firstAbove(cookie); taken && i < snapshot.size(); i++) {
                taken = visitName(directory, path, snapshot, i, attributes, withNodes, visitor);
                last = taken ? snapshot.cookieAt(i) : -1;
            }
            return last;
        } finally {
            lock.unlock();
            if (withNodes) {
                context.table().flush();
            }
        }
    }

    private boolean visitParent(
            NioNode directory, FileAttributes attributes, boolean withNodes, DirectoryVisitor visitor)
            throws IOException {
        NioNode parent = context.table().parent(directory);
        context.table().locate(parent, attributes);
        return visitor.entry(PARENT, PARENT_COOKIE, withNodes ? parent : null, attributes);
    }

    /** Shows one name, unless it is gone. */
    private boolean visitName(
            NioNode directory,
            Path directoryPath,
            DirectorySnapshot snapshot,
            int index,
            FileAttributes attributes,
            boolean withNodes,
            DirectoryVisitor visitor)
            throws IOException {
        FileName name = snapshot.nameAt(index);
        NioNode node = null;
        try {
            long birth = context.reader().read(context.names().resolve(directoryPath, name), attributes);
            if (withNodes) {
                node = context.table().register(directory, name, attributes, birth);
            }
        } catch (NoSuchFileException e) {
            return true;
        }
        return visitor.entry(name, snapshot.cookieAt(index), node, attributes);
    }
}
