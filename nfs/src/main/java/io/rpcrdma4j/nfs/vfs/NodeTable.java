package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.vfs.NioNode.NodeLink;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Knows which file is where: the nodes in use in memory, all others in a {@link NodeStore}.
 *
 * <h2>Operation</h2>
 *
 * {@link #register} is told what was found at a name and gives the node. {@link #locate} gives the path of a node and
 * proves it: what is at the path has the node's number, and was made when it was. So a path that leads elsewhere
 * meanwhile (a directory above was exchanged for a symbolic link, a name was taken by another file) is never used. If
 * it does not hold, the other known names are tried, then the directory is searched, and then the file is gone.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread; holds its own lock, and does not while it reads attributes. Its caller sees to it that
 * clients do not rename or remove meanwhile.
 *
 * <h2>Errors</h2>
 *
 * {@link FileTreeException}; what the file system throws while attributes are read passes through.
 */
final class NodeTable implements Closeable {
    /** Most names of one file that are kept in memory. */
    private static final int LINKS_MAX = 8;
    /** Deepest tree that is served. */
    private static final int DEPTH_MAX = 1_024;
    /** Most entries of a directory that are looked at to find a file again that somebody else renamed. */
    private static final int SEARCH_MAX = 100_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final NodeStore store;
    private final NodeCache cache;
    private final NioAttributes reader;
    private final NioNames names;
    private final NioNode root;
    private final SecureRandom random = new SecureRandom();
    /** Counts renames of directories: paths that were computed before are void. */
    private final AtomicLong renames = new AtomicLong();

    NodeTable(Path rootPath, NodeStore store, NioAttributes reader, NioNames names, int nodesMax) throws IOException {
        this.store = store;
        this.reader = reader;
        this.names = names;
        cache = new NodeCache(nodesMax);
        FileAttributes attributes = new FileAttributes();
        reader.read(rootPath, attributes);
        if (!attributes.isDirectory()) {
            throw new IOException(rootPath + " is not a directory");
        }
        // The root is what the export says, whichever directory that is: its generation is fixed.
        root = new NioNode(attributes.fileid(), 0, 0, new NodeLink[0]);
        root.path(new NioNode.PathAt(rootPath, Long.MAX_VALUE));
    }

    NioNode root() {
        return root;
    }

    /** The node with this number and generation. */
    NioNode find(long fileid, long generation) throws FileTreeException {
        NioNode node = known(fileid);
        if (node == null || node.generation() != generation) {
            throw new FileTreeException(NfsStatus.NFS3ERR_STALE, "file " + Long.toUnsignedString(fileid) + " is gone");
        }
        return node;
    }

    /**
     * The node of a file that was just seen.
     *
     * @param directory where it was seen
     * @param attributes what was read there
     * @param birth as {@link NioAttributes#read} gave it
     */
    NioNode register(NioNode directory, FileName name, FileAttributes attributes, long birth) throws FileTreeException {
        long fileid = attributes.fileid();
        if (fileid == root.fileid()) {
            return root;
        }
        NodeLink link = new NodeLink(directory.fileid(), name);
        boolean alone = attributes.isDirectory() || attributes.links() <= 1;
        lock.lock();
        try {
            NioNode node = knownLocked(fileid);
            if (node != null && isSame(node, birth)) {
                if (!node.links()[0].equals(link)) {
                    addLink(node, link, alone, attributes.isDirectory());
                }
                return node;
            }
            if (node != null) {
                cache.remove(fileid);
            }
            node = new NioNode(fileid, newGeneration(), birth, new NodeLink[] {link});
            store.add(fileid, node.generation(), birth, link, true);
            cache.put(node);
            return node;
        } catch (IOException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    /** Makes what was registered outlive this process. Comes before a key is given out. */
    void flush() throws FileTreeException {
        lock.lock();
        try {
            store.flush();
        } catch (IOException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    /** Says that a name is gone, and whether it was the file's last. */
    void removed(NioNode node, NioNode directory, FileName name, boolean last) throws FileTreeException {
        lock.lock();
        try {
            NodeLink link = new NodeLink(directory.fileid(), name);
            NodeLink[] left = without(node.links(), link);
            if (last) {
                store.forget(node.fileid());
                cache.remove(node.fileid());
            } else if (left.length > 0) {
                store.remove(node.fileid(), link);
                node.links(left);
            } else if (allLinks(node).length > 1) {
                store.remove(node.fileid(), link);
                cache.remove(node.fileid());
            }
            // Else its other names were never seen: where it was is where the search for them begins.
        } catch (IOException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    /** Says that a directory has another path now, and so has all below it. */
    void directoryMoved() {
        lock.lock();
        try {
            renames.incrementAndGet();
        } finally {
            lock.unlock();
        }
    }

    /** The directory that a directory is in; of the root, itself. */
    NioNode parent(NioNode directory) throws FileTreeException {
        if (directory == root) {
            return root;
        }
        NioNode parent = known(directory.links()[0].parent());
        if (parent == null) {
            throw stale(directory);
        }
        return parent;
    }

    /**
     * The path of a file, proven.
     *
     * @param into gets the attributes of what is there
     * @throws FileTreeException NFS3ERR_STALE if it is gone
     */
    Path locate(NioNode node, FileAttributes into) throws IOException {
        return locate(node, into, 0);
    }

    private Path locate(NioNode node, FileAttributes into, int depth) throws IOException {
        Path path = pathOf(node, depth);
        if (path != null && isAt(node, path, into)) {
            return path;
        }
        if (node == root || depth == DEPTH_MAX) {
            throw stale(node);
        }
        path = relocate(node, into, depth);
        if (path == null) {
            lock.lock();
            try {
                store.forget(node.fileid());
                cache.remove(node.fileid());
            } finally {
                lock.unlock();
            }
            throw stale(node);
        }
        return path;
    }

    /** As {@link #locate}, of a file that must be a directory. */
    Path locateDirectory(NioNode node, FileAttributes into) throws IOException {
        Path path = locate(node, into);
        if (!into.isDirectory()) {
            throw new FileTreeException(NfsStatus.NFS3ERR_NOTDIR, node + " is not a directory");
        }
        return path;
    }

    /** Number of nodes in memory. */
    int cached() {
        lock.lock();
        try {
            return cache.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            store.close();
        } finally {
            lock.unlock();
        }
    }

    private boolean isAt(NioNode node, Path path, FileAttributes into) throws IOException {
        try {
            long birth = reader.read(path, into);
            return into.fileid() == node.fileid() && (node == root || isSame(node, birth));
        } catch (FileSystemException e) {
            FileTreeException failure = NioErrors.translate(e);
            if (failure.status() == NfsStatus.NFS3ERR_NOENT
                    || failure.status() == NfsStatus.NFS3ERR_NOTDIR
                    || failure.status() == NfsStatus.NFS3ERR_INVAL) {
                return false;
            }
            throw failure;
        }
    }

    private boolean isSame(NioNode node, long birth) {
        return reader.isSameBirth(node.birth(), birth);
    }

    /**
     * Tries all names that are known, in directories that are looked for in the same way if need be, then all names in
     * those directories.
     */
    private @Nullable Path relocate(NioNode node, FileAttributes into, int depth) throws IOException {
        NodeLink[] links = allLinks(node);
        @Nullable Path[] directories = new @Nullable Path[links.length];
        for (int i = 0; i < links.length; i++) {
            directories[i] = directory(links, i, directories, depth);
            Path directory = directories[i];
            Path path = directory == null ? null : names.resolve(directory, links[i].name());
            if (path != null && isAt(node, path, into)) {
                found(node, links[i]);
                return path;
            }
        }
        for (int i = 0; i < links.length; i++) {
            Path directory = directories[i];
            Path path = directory == null || isSearched(directories, i) ? null : search(node, directory, into);
            if (path != null) {
                found(node, new NodeLink(links[i].parent(), names.nameOf(path)));
                return path;
            }
        }
        return null;
    }

    /** The proven path of the directory of a link, null if it is gone too. */
    private @Nullable Path directory(NodeLink[] links, int index, @Nullable Path[] before, int depth)
            throws IOException {
        for (int i = 0; i < index; i++) {
            if (links[i].parent() == links[index].parent()) {
                return before[i];
            }
        }
        NioNode directory = known(links[index].parent());
        FileAttributes attributes = new FileAttributes();
        try {
            Path path = directory == null ? null : locate(directory, attributes, depth + 1);
            return path != null && attributes.isDirectory() ? path : null;
        } catch (FileTreeException e) {
            if (e.status() == NfsStatus.NFS3ERR_STALE) {
                return null;
            }
            throw e;
        }
    }

    private static boolean isSearched(@Nullable Path[] directories, int index) {
        return Arrays.asList(directories).subList(0, index).contains(directories[index]);
    }

    private @Nullable Path search(NioNode node, Path directory, FileAttributes into) throws IOException {
        int looked = 0;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (isAt(node, entry, into)) {
                    return entry;
                }
                if (++looked == SEARCH_MAX) {
                    break;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return null;
    }

    private void found(NioNode node, NodeLink link) throws IOException {
        lock.lock();
        try {
            store.add(node.fileid(), node.generation(), node.birth(), link, false);
            store.flush();
            node.links(inFront(node.links(), link));
            renames.incrementAndGet();
        } finally {
            lock.unlock();
        }
    }

    private NodeLink[] allLinks(NioNode node) throws IOException {
        lock.lock();
        try {
            NodeStore.Entry entry = store.find(node.fileid());
            return entry == null || entry.generation() != node.generation()
                    ? new NodeLink[0]
                    : entry.links().toArray(NodeLink[]::new);
        } finally {
            lock.unlock();
        }
    }

    /** The path of a node as far as is known, not proven; null if a directory above is not known. */
    private @Nullable Path pathOf(NioNode node, int depth) throws FileTreeException {
        NioNode.PathAt computed = node.path();
        if (computed != null && (node == root || computed.renames() == renames.get())) {
            return computed.path();
        }
        long now = renames.get();
        Path path = pathOf(firstLink(node), depth);
        if (path != null) {
            node.path(new NioNode.PathAt(path, now));
        }
        return path;
    }

    private @Nullable Path pathOf(NodeLink link, int depth) throws FileTreeException {
        NioNode directory = depth == DEPTH_MAX ? null : known(link.parent());
        Path directoryPath = directory == null ? null : pathOf(directory, depth + 1);
        return directoryPath == null ? null : names.resolve(directoryPath, link.name());
    }

    private NodeLink firstLink(NioNode node) {
        lock.lock();
        try {
            return node.links()[0];
        } finally {
            lock.unlock();
        }
    }

    private @Nullable NioNode known(long fileid) throws FileTreeException {
        lock.lock();
        try {
            return knownLocked(fileid);
        } catch (IOException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable NioNode knownLocked(long fileid) throws IOException {
        if (fileid == root.fileid()) {
            return root;
        }
        NioNode node = cache.get(fileid);
        if (node == null) {
            NodeStore.Entry entry = store.find(fileid);
            if (entry != null) {
                int count = Math.min(LINKS_MAX, entry.links().size());
                NodeLink[] links = entry.links().subList(0, count).toArray(NodeLink[]::new);
                node = new NioNode(fileid, entry.generation(), entry.birth(), links);
                cache.put(node);
            }
        }
        return node;
    }

    private void addLink(NioNode node, NodeLink link, boolean alone, boolean isDirectory) throws IOException {
        boolean isKnown = Arrays.asList(node.links()).contains(link);
        if (!isKnown || alone) {
            store.add(node.fileid(), node.generation(), node.birth(), link, alone);
        }
        node.links(alone ? new NodeLink[] {link} : inFront(node.links(), link));
        if (isDirectory) {
            renames.incrementAndGet();
        }
    }

    private static NodeLink[] inFront(NodeLink[] links, NodeLink first) {
        NodeLink[] rest = without(links, first);
        NodeLink[] all = new NodeLink[Math.min(LINKS_MAX, rest.length + 1)];
        all[0] = first;
        System.arraycopy(rest, 0, all, 1, all.length - 1);
        return all;
    }

    private static NodeLink[] without(NodeLink[] links, NodeLink gone) {
        return Arrays.stream(links).filter(link -> !link.equals(gone)).toArray(NodeLink[]::new);
    }

    private long newGeneration() {
        long generation = random.nextLong();
        return generation == 0 ? 1 : generation;
    }

    private static FileTreeException stale(NioNode node) {
        return new FileTreeException(NfsStatus.NFS3ERR_STALE, node + " is gone");
    }
}
