package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.FileType;
import io.rpcrdma4j.nfs.wire.FsstatResult;
import io.rpcrdma4j.nfs.wire.LinkText;
import io.rpcrdma4j.nfs.wire.MknodArgs;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.NfsTime;
import io.rpcrdma4j.nfs.wire.PathconfResult;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.StableHow;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * A {@link FileTree} over {@link java.nio.file}: a directory of a file system that has the attribute view {@code unix}.
 *
 * <h2>Operation</h2>
 *
 * Everything is done as the user that this process runs as. A path is made of the names that a node was seen under and
 * is proven before each use: what it leads to must be that node ({@link NodeTable#locate}). While a path is in use no
 * client can rename or remove anything (a lock sees to it), so no client can exchange a directory on the way for a
 * symbolic link. Another process of this machine that may write to the tree could, in the moment between proof and use:
 * do not export a directory in which somebody else may rename directories.
 *
 * <p>Set-id bits are refused, and so are device nodes. Sockets and pipes can't be made, since {@link java.nio.file}
 * cannot. Storage in use is reported as the size rounded up to 512.
 *
 * <h2>Buffer ownership</h2>
 *
 * As in {@link FileTree}.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread. Operations that change names in a directory wait for each other; RENAME, REMOVE and
 * RMDIR wait for all operations that use a path, but not for reading and writing data.
 *
 * <h2>Errors</h2>
 *
 * As in {@link FileTree}.
 */
public final class NioTree implements FileTree {
    private static final long FILE_SIZE_MAX = Long.MAX_VALUE;

    private final NioContext context;
    private final NioFiles files;
    private final NioDirectories directories;

    private NioTree(NioContext context, Builder builder) {
        this.context = context;
        files = new NioFiles(context, builder.openFilesMax);
        directories = new NioDirectories(context, builder.cookieKey, builder.listedNamesMax);
    }

    /**
     * Starts to set up a tree.
     *
     * @param root the directory to serve
     * @param store a directory of the caller's own, outside the tree, where the tree keeps which file is where
     */
    public static Builder builder(Path root, Path store) {
        return new Builder(root, store);
    }

    @Override
    public FileNode root() {
        return context.table().root();
    }

    @Override
    public FileNode find(byte[] key, int offset, int length) throws FileTreeException {
        if (length != NioNode.KEY_BYTES) {
            throw new FileTreeException(NfsStatus.NFS3ERR_BADHANDLE, "a key of " + length + " bytes");
        }
        return context.table().find(NioNode.fileidOf(key, offset), NioNode.generationOf(key, offset));
    }

    @Override
    public FileNode lookup(FileNode directory, FileName name, FileAttributes object, FileAttributes directoryAttributes)
            throws FileTreeException {
        NioNode node = (NioNode) directory;
        Lock lock = context.shared();
        lock.lock();
        try {
            Path path = context.table().locateDirectory(node, directoryAttributes);
            if (NioNames.isSelf(name)) {
                object.set(directoryAttributes);
                return node;
            }
            if (NioNames.isParent(name)) {
                NioNode parent = context.table().parent(node);
                context.table().locate(parent, object);
                return parent;
            }
            if (name.length() > NioNames.NAME_BYTES_MAX) {
                throw new FileTreeException(NfsStatus.NFS3ERR_NAMETOOLONG, "a name of " + name.length() + " bytes");
            }
            NioNames.requireComponent(name);
            return seen(node, name, context.names().resolve(path, name), object);
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void attributes(FileNode node, FileAttributes into) throws FileTreeException {
        Lock lock = context.shared();
        lock.lock();
        try {
            context.table().locate((NioNode) node, into);
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void setAttributes(FileNode node, Sattr3 wanted, Optional<NfsTime> guard, Change change)
            throws FileTreeException {
        files.setAttributes((NioNode) node, wanted, guard, change);
    }

    @Override
    public int access(FileNode node, int wanted, FileAttributes into) throws FileTreeException {
        return files.access((NioNode) node, wanted, into);
    }

    @Override
    public LinkText readLink(FileNode node) throws FileTreeException {
        Lock lock = context.shared();
        lock.lock();
        try {
            FileAttributes attributes = new FileAttributes();
            Path path = context.table().locate((NioNode) node, attributes);
            if (attributes.type() != FileType.NF3LNK) {
                throw new FileTreeException(NfsStatus.NFS3ERR_INVAL, node + " is not a symbolic link");
            }
            return context.names().textOf(Files.readSymbolicLink(path));
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read(FileNode file, long position, MemorySegment target, long offset, int length, FileAttributes into)
            throws FileTreeException {
        return files.read((NioNode) file, position, target, offset, length, into);
    }

    @Override
    public void write(
            FileNode file,
            long position,
            MemorySegment source,
            long offset,
            int length,
            StableHow stable,
            FileAttributes into)
            throws FileTreeException {
        context.requireWritable();
        files.write((NioNode) file, position, source, offset, length, stable, into);
    }

    @Override
    public void commit(FileNode file, FileAttributes into) throws FileTreeException {
        files.commit((NioNode) file, into);
    }

    @Override
    public FileNode create(FileNode directory, FileName name, CreateHow how, FileAttributes object, Change change)
            throws FileTreeException {
        return inDirectory(directory, name, change, path -> files.create((NioNode) directory, name, path, how, object));
    }

    @Override
    public FileNode makeDirectory(
            FileNode directory, FileName name, Sattr3 wanted, FileAttributes object, Change change)
            throws FileTreeException {
        int mode = wanted.mode().orElse(0755);
        NioContext.requireNoSetId(mode, 0);
        return inDirectory(directory, name, change, path -> {
            Files.createDirectory(path, NioContext.permissions(mode));
            NioNode made = seen((NioNode) directory, name, path, object);
            files.setNew(path, mode, wanted, object);
            return made;
        });
    }

    @Override
    public FileNode makeSymbolicLink(
            FileNode directory, FileName name, LinkText text, FileAttributes object, Change change)
            throws FileTreeException {
        return inDirectory(directory, name, change, path -> {
            Files.createSymbolicLink(path, context.names().toTarget(path, text));
            return seen((NioNode) directory, name, path, object);
        });
    }

    @Override
    public FileNode makeSpecial(FileNode directory, FileName name, MknodArgs what, FileAttributes object, Change change)
            throws FileTreeException {
        return inDirectory(directory, name, change, path -> {
            throw switch (what.type()) {
                case NF3BLK, NF3CHR -> new FileTreeException(NfsStatus.NFS3ERR_PERM, "device nodes are refused");
                case NF3SOCK, NF3FIFO ->
                    new FileTreeException(NfsStatus.NFS3ERR_NOTSUPP, "sockets and pipes cannot be made here");
                case NF3REG, NF3DIR, NF3LNK ->
                    new FileTreeException(NfsStatus.NFS3ERR_BADTYPE, "no type for MKNOD: " + what.type());
            };
        });
    }

    @Override
    public void remove(FileNode directory, FileName name, Change change) throws FileTreeException {
        removeName(directory, name, change, false);
    }

    @Override
    public void removeDirectory(FileNode directory, FileName name, Change change) throws FileTreeException {
        if (NioNames.isParent(name)) {
            throw new FileTreeException(NfsStatus.NFS3ERR_EXIST, "the parent of a directory is not empty");
        }
        removeName(directory, name, change, true);
    }

    @Override
    public void rename(
            FileNode fromDirectory,
            FileName fromName,
            FileNode toDirectory,
            FileName toName,
            Change fromChange,
            Change toChange)
            throws FileTreeException {
        context.requireWritable();
        NioNames.requireComponent(fromName);
        NioNames.requireComponent(toName);
        NioNode from = (NioNode) fromDirectory;
        NioNode to = (NioNode) toDirectory;
        Lock lock = context.exclusive();
        lock.lock();
        try {
            Path fromPath = context.table().locateDirectory(from, fromChange.before());
            Path toPath = context.table().locateDirectory(to, toChange.before());
            Path source = context.names().resolve(fromPath, fromName);
            Path target = context.names().resolve(toPath, toName);
            FileAttributes attributes = new FileAttributes();
            NioNode moved = seen(from, fromName, source, attributes);
            FileAttributes victimAttributes = new FileAttributes();
            NioNode victim = seenIfThere(to, toName, target, victimAttributes);
            if (victim != null && victim.fileid() == moved.fileid()) {
                // Two names of one file, or one name twice: rename(2) does nothing, and says it worked.
                after(fromPath, toPath, fromChange, toChange);
                return;
            }
            requireReplaceable(attributes, victim == null ? null : victimAttributes);
            Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
            if (victim != null) {
                gone(victim, victimAttributes, to, toName);
            }
            moved(moved, from, fromName, to, toName, attributes);
            context.syncDirectory(fromPath);
            context.syncDirectory(toPath);
            after(fromPath, toPath, fromChange, toChange);
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void link(FileNode file, FileNode directory, FileName name, FileAttributes object, Change change)
            throws FileTreeException {
        inDirectory(directory, name, change, path -> {
            Path existing = context.table().locate((NioNode) file, object);
            if (object.isDirectory()) {
                throw new FileTreeException(NfsStatus.NFS3ERR_PERM, "a directory has one name");
            }
            Files.createLink(path, existing);
            return seen((NioNode) directory, name, path, object);
        });
    }

    @Override
    public boolean list(FileNode directory, long cookie, boolean withNodes, DirectoryVisitor visitor)
            throws FileTreeException {
        return directories.list((NioNode) directory, cookie, withNodes, visitor);
    }

    @Override
    public FsstatResult.Figures space(FileNode node) throws FileTreeException {
        Lock lock = context.shared();
        lock.lock();
        try {
            FileStore store = Files.getFileStore(context.table().locate((NioNode) node, new FileAttributes()));
            return new FsstatResult.Figures(
                    store.getTotalSpace(), store.getUnallocatedSpace(), store.getUsableSpace(), 0, 0, 0, 0);
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public PathconfResult.Limits limits() {
        return new PathconfResult.Limits(32_000, NioNames.NAME_BYTES_MAX, true, true, false, true);
    }

    @Override
    public long fileSizeMax() {
        return FILE_SIZE_MAX;
    }

    /** Number of files that are open now. */
    public int openFiles() {
        return files.openCount();
    }

    /** Number of nodes that are in memory. */
    public int cachedNodes() {
        return context.table().cached();
    }

    @Override
    public void close() throws IOException {
        files.close();
        context.table().close();
    }

    /** Does something at a name of a directory. */
    @FunctionalInterface
    private interface Work {
        NioNode at(Path path) throws IOException;
    }

    /** Makes something in a directory, while no other name in it changes. */
    private FileNode inDirectory(FileNode directory, FileName name, Change change, Work work) throws FileTreeException {
        context.requireWritable();
        NioNode node = (NioNode) directory;
        Lock shared = context.shared();
        Lock own = context.exclusiveOf(node);
        shared.lock();
        own.lock();
        try {
            Path path = context.table().locateDirectory(node, change.before());
            requireNew(name);
            NioNode made = work.at(context.names().resolve(path, name));
            context.table().flush();
            context.syncDirectory(path);
            context.reader().read(path, change.after());
            return made;
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        } finally {
            own.unlock();
            shared.unlock();
        }
    }

    private void removeName(FileNode directory, FileName name, Change change, boolean isDirectory)
            throws FileTreeException {
        context.requireWritable();
        NioNames.requireComponent(name);
        NioNode node = (NioNode) directory;
        Lock lock = context.exclusive();
        lock.lock();
        try {
            Path path = context.table().locateDirectory(node, change.before());
            Path victimPath = context.names().resolve(path, name);
            FileAttributes attributes = new FileAttributes();
            NioNode victim = seen(node, name, victimPath, attributes);
            if (attributes.isDirectory() != isDirectory) {
                throw new FileTreeException(
                        isDirectory ? NfsStatus.NFS3ERR_NOTDIR : NfsStatus.NFS3ERR_ISDIR,
                        victim + " is of another type");
            }
            Files.delete(victimPath);
            gone(victim, attributes, node, name);
            context.syncDirectory(path);
            context.reader().read(path, change.after());
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    /** {@code .} and {@code ..} exist already, whatever is to be made. */
    private static void requireNew(FileName name) throws FileTreeException {
        if (NioNames.isSelf(name) || NioNames.isParent(name)) {
            throw new FileTreeException(NfsStatus.NFS3ERR_EXIST, "\"" + name + "\" exists");
        }
        NioNames.requireComponent(name);
    }

    private static void requireReplaceable(FileAttributes source, @Nullable FileAttributes target)
            throws FileTreeException {
        if (target != null && source.isDirectory() != target.isDirectory()) {
            throw new FileTreeException(
                    source.isDirectory() ? NfsStatus.NFS3ERR_NOTDIR : NfsStatus.NFS3ERR_ISDIR,
                    "a directory and something else");
        }
    }

    /** Registers what is at a path. */
    private NioNode seen(NioNode directory, FileName name, Path path, FileAttributes attributes) throws IOException {
        long birth = context.reader().read(path, attributes);
        NioNode node = context.table().register(directory, name, attributes, birth);
        context.table().flush();
        return node;
    }

    private @Nullable NioNode seenIfThere(NioNode directory, FileName name, Path path, FileAttributes attributes)
            throws IOException {
        try {
            return seen(directory, name, path, attributes);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private void gone(NioNode victim, FileAttributes before, NioNode directory, FileName name)
            throws FileTreeException {
        boolean last = before.isDirectory() || before.links() <= 1;
        if (last) {
            files.forget(victim);
        }
        context.table().removed(victim, directory, name, last);
        context.table().flush();
    }

    private void moved(
            NioNode moved, NioNode from, FileName fromName, NioNode to, FileName toName, FileAttributes attributes)
            throws IOException {
        // The birth is that of the node, so it is the same file to the table, seen somewhere else.
        context.table().register(to, toName, attributes, moved.birth());
        if (!attributes.isDirectory() && attributes.links() > 1) {
            context.table().removed(moved, from, fromName, false);
        }
        context.table().flush();
    }

    private void after(Path fromPath, Path toPath, Change fromChange, Change toChange) throws IOException {
        context.reader().read(fromPath, fromChange.after());
        context.reader().read(toPath, toChange.after());
    }

    /** Sets up a tree. */
    public static final class Builder {
        private final Path root;
        private final Path store;
        private boolean readOnly;
        private boolean syncNames = true;
        private long fsid = 1;
        private byte[] cookieKey = new byte[SipHash.KEY_BYTES];
        private int nodesMax = 65_536;
        private int openFilesMax = 256;
        private int listedNamesMax = DirectoryListings.NAMES_MAX;
        private long compactAtBytes = 1L << 20;

        private Builder(Path root, Path store) {
            this.root = root;
            this.store = store;
        }

        /** Refuses every change with NFS3ERR_ROFS. */
        public Builder readOnly(boolean isReadOnly) {
            readOnly = isReadOnly;
            return this;
        }

        /**
         * Whether a change of names or attributes is on stable storage when the operation returns (RFC 1813 §4.8); on
         * by default. Without it such a change survives the end of this process, but may be lost with the machine's
         * power.
         */
        public Builder syncNames(boolean sync) {
            syncNames = sync;
            return this;
        }

        /** What files report as their file system, an unsigned 64-bit value. The same after a restart. */
        public Builder fsid(long number) {
            fsid = number;
            return this;
        }

        /**
         * Key of the hash that orders listings; secret, and the same after a restart.
         *
         * @param key 16 bytes; copied
         */
        public Builder cookieKey(byte[] key) {
            cookieKey = key.clone();
            return this;
        }

        /** Most nodes in memory; about 200 bytes each. */
        public Builder nodesMax(int max) {
            nodesMax = max;
            return this;
        }

        /** Most files that stay open between operations. */
        public Builder openFilesMax(int max) {
            openFilesMax = max;
            return this;
        }

        /** Most names of a directory that are kept in memory at a time. */
        Builder listedNamesMax(int max) {
            listedNamesMax = max;
            return this;
        }

        /** Smallest size at which the log of the store is written anew. */
        Builder compactAtBytes(long bytes) {
            compactAtBytes = bytes;
            return this;
        }

        /**
         * Opens the tree.
         *
         * @throws IOException if the directory is not there, or the store cannot be used
         */
        public NioTree open() throws IOException {
            Path real = root.toRealPath();
            NioNames names = new NioNames(real);
            NioAttributes reader = new NioAttributes(real, fsid);
            LogNodeStore nodes = new LogNodeStore(store, compactAtBytes);
            try {
                NodeTable table = new NodeTable(real, nodes, reader, names, nodesMax);
                long uid = NioContext.ownerOf(store.resolve(LogNodeStore.FILE_NAME));
                return new NioTree(new NioContext(table, reader, names, readOnly, syncNames, uid), this);
            } catch (IOException | RuntimeException e) {
                nodes.close();
                throw e;
            }
        }
    }
}
