package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.vfs.OpenFiles.OpenFile;
import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.FileType;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.NfsTime;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.nfs.wire.TimeChange;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The content and the attributes of files, for a {@link NioTree}. May be used from any thread.
 *
 * <p>The owner of a file may read and write it whatever its mode, as over NFS a client that had it open before the mode
 * changed must go on: where the operating system refuses, the mode is widened for the moment of opening.
 */
final class NioFiles {
    private static final int OWNER_READ_WRITE = 0600;
    private static final int MODE_BITS = 07777;
    private static final int DEFAULT_FILE_MODE = 0644;
    private static final int EXCLUSIVE_FILE_MODE = 0600;
    /** What of a verifier fits the seconds of two times on any file system. */
    private static final long VERIFIER_MASK = 0x7fff_ffffL;

    private static final Set<FileType> SETS_TIMES = EnumSet.of(FileType.NF3REG, FileType.NF3DIR, FileType.NF3LNK);

    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> READ_WRITE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> CREATE_NEW =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final NioContext context;
    private final OpenFiles open;
    private final OpenFiles.Opener opener = this::open;

    NioFiles(NioContext context, int openFilesMax) {
        this.context = context;
        open = new OpenFiles(openFilesMax);
    }

    int openCount() {
        return open.count();
    }

    void forget(NioNode node) {
        open.forget(node.fileid());
    }

    void close() {
        open.close();
    }

    // ---- content

    int read(NioNode node, long position, MemorySegment target, long offset, int length, FileAttributes into)
            throws FileTreeException {
        try {
            OpenFile file = open.acquire(node, false, opener);
            int done = 0;
            try {
                ByteBuffer buffer = target.asSlice(offset, length).asByteBuffer();
                while (buffer.hasRemaining()) {
                    int n = file.channel().read(buffer, position + done);
                    if (n < 0) {
                        break;
                    }
                    done += n;
                }
            } finally {
                open.release(file);
            }
            attributes(node, into);
            return done;
        } catch (IOException | RuntimeException e) {
            throw translate(e);
        }
    }

    void write(
            NioNode node,
            long position,
            MemorySegment source,
            long offset,
            int length,
            StableHow stable,
            FileAttributes into)
            throws FileTreeException {
        try {
            OpenFile file = open.acquire(node, true, opener);
            // Against a change of size, which here may be a write of its own.
            Lock lock = context.sharedOf(node);
            lock.lock();
            try {
                ByteBuffer buffer = source.asSlice(offset, length).asByteBuffer();
                int done = 0;
                while (buffer.hasRemaining()) {
                    done += file.channel().write(buffer, position + done);
                }
                switch (stable) {
                    case UNSTABLE -> {}
                    case DATA_SYNC -> file.channel().force(false);
                    case FILE_SYNC -> file.channel().force(true);
                }
            } finally {
                lock.unlock();
                open.release(file);
            }
            attributes(node, into);
        } catch (IOException | RuntimeException e) {
            throw translate(e);
        }
    }

    void commit(NioNode node, FileAttributes into) throws FileTreeException {
        try {
            OpenFile file = open.acquire(node, false, opener);
            try {
                file.channel().force(true);
            } finally {
                open.release(file);
            }
            attributes(node, into);
        } catch (IOException | RuntimeException e) {
            throw translate(e);
        }
    }

    private void attributes(NioNode node, FileAttributes into) throws IOException {
        Lock lock = context.shared();
        lock.lock();
        try {
            context.table().locate(node, into);
        } finally {
            lock.unlock();
        }
    }

    private FileChannel open(NioNode node, boolean forWriting) throws IOException {
        FileAttributes attributes = new FileAttributes();
        Lock lock = context.shared();
        lock.lock();
        try {
            Path path = context.table().locate(node, attributes);
            requireRegular(node, attributes);
            return openerAt(path, attributes).open(node, forWriting);
        } finally {
            lock.unlock();
        }
    }

    /** Opens what is at a proven path. */
    private OpenFiles.Opener openerAt(Path path, FileAttributes attributes) {
        return (node, forWriting) ->
                asOwner(path, attributes, () -> FileChannel.open(path, forWriting ? READ_WRITE : READ));
    }

    private static void requireRegular(NioNode node, FileAttributes attributes) throws FileTreeException {
        if (!attributes.isRegular()) {
            throw new FileTreeException(
                    attributes.isDirectory() ? NfsStatus.NFS3ERR_ISDIR : NfsStatus.NFS3ERR_INVAL,
                    node + " is not a regular file");
        }
    }

    /** Opens something, or sets something of it. */
    @FunctionalInterface
    private interface Action<T extends @Nullable Object> {
        T run() throws IOException;
    }

    /**
     * Does what needs read and write permission to a file, and if it is refused to its owner, does it again with them.
     */
    private <T extends @Nullable Object> T asOwner(Path path, FileAttributes attributes, Action<T> action)
            throws IOException {
        try {
            return action.run();
        } catch (AccessDeniedException e) {
            boolean narrow = (attributes.mode() & OWNER_READ_WRITE) != OWNER_READ_WRITE;
            if (!narrow || attributes.uid() != context.uid() || context.isReadOnly()) {
                throw e;
            }
        }
        setMode(path, attributes.mode() | OWNER_READ_WRITE);
        try {
            return action.run();
        } finally {
            setMode(path, attributes.mode());
        }
    }

    // ---- creation

    NioNode create(NioNode directory, FileName name, Path path, CreateHow how, FileAttributes object)
            throws IOException {
        return switch (how) {
            case CreateHow.Exclusive exclusive -> createExclusive(directory, name, path, exclusive.verifier(), object);
            case CreateHow.Guarded guarded -> createNew(directory, name, path, guarded.attributes(), object);
            case CreateHow.Unchecked unchecked -> {
                try {
                    yield createNew(directory, name, path, unchecked.attributes(), object);
                } catch (FileAlreadyExistsException e) {
                    yield takeExisting(directory, name, path, unchecked.attributes(), object);
                }
            }
        };
    }

    private NioNode createNew(NioNode directory, FileName name, Path path, Sattr3 wanted, FileAttributes object)
            throws IOException {
        int mode = wanted.mode().orElse(DEFAULT_FILE_MODE);
        NioContext.requireNoSetId(mode, 0);
        FileChannel channel = FileChannel.open(path, CREATE_NEW, NioContext.permissions(mode));
        NioNode node;
        try {
            node = register(directory, name, path, object);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        // It stays open for writing, whatever the mode says from now on.
        OpenFile file = open.add(node, channel, true);
        try {
            if (wanted.size().isPresent()) {
                setSize(file.channel(), wanted.size().getAsLong());
            }
            setNew(path, mode, wanted, object);
        } finally {
            open.release(file);
        }
        return node;
    }

    private NioNode takeExisting(NioNode directory, FileName name, Path path, Sattr3 wanted, FileAttributes object)
            throws IOException {
        NioNode node = register(directory, name, path, object);
        if (!object.isRegular()) {
            throw new FileTreeException(
                    object.isDirectory() ? NfsStatus.NFS3ERR_ISDIR : NfsStatus.NFS3ERR_EXIST,
                    node + " is there and is not a regular file");
        }
        if (wanted.size().isPresent()) {
            resize(node, path, object, wanted.size().getAsLong());
            context.reader().read(path, object);
        }
        return node;
    }

    /** RFC 1813 §3.3.8: the verifier is kept in the times of the file until the client sets them. */
    private NioNode createExclusive(NioNode directory, FileName name, Path path, long verifier, FileAttributes object)
            throws IOException {
        long first = (verifier >>> 32) & VERIFIER_MASK;
        long second = verifier & VERIFIER_MASK;
        try {
            NioNode node = createNew(directory, name, path, Sattr3.ofMode(EXCLUSIVE_FILE_MODE), object);
            Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setTimes(
                            FileTime.from(Instant.ofEpochSecond(second)),
                            FileTime.from(Instant.ofEpochSecond(first)),
                            null);
            context.reader().read(path, object);
            return node;
        } catch (FileAlreadyExistsException e) {
            NioNode node = register(directory, name, path, object);
            boolean same = object.isRegular()
                    && object.size() == 0
                    && object.accessSeconds() == first
                    && object.modifySeconds() == second
                    && object.accessNanos() == 0
                    && object.modifyNanos() == 0;
            if (!same) {
                throw e;
            }
            return node;
        }
    }

    private NioNode register(NioNode directory, FileName name, Path path, FileAttributes object) throws IOException {
        long birth = context.reader().read(path, object);
        NioNode node = context.table().register(directory, name, object, birth);
        context.table().flush();
        return node;
    }

    /**
     * Sets what creation does not: the bits of the mode that the process's mask took, owner and times.
     *
     * @param object the attributes after creation; gets those after this
     */
    void setNew(Path path, int mode, Sattr3 wanted, FileAttributes object) throws IOException {
        boolean changed = false;
        if (object.mode() != ((mode & MODE_BITS) | (object.mode() & ~01777))) {
            setMode(path, (mode & 01777) | (object.mode() & ~01777));
            changed = true;
        }
        changed |= setOwner(path, wanted, object);
        changed |= setTimes(path, wanted, object);
        if (changed) {
            context.reader().read(path, object);
        }
    }

    // ---- attributes

    void setAttributes(NioNode node, Sattr3 wanted, Optional<NfsTime> guard, Change change) throws FileTreeException {
        context.requireWritable();
        FileAttributes before = change.before();
        Lock shared = context.shared();
        Lock own = context.exclusiveOf(node);
        shared.lock();
        own.lock();
        try {
            Path path = context.table().locate(node, before);
            if (guard.isPresent() && !before.changedAt(guard.get())) {
                throw new FileTreeException(NfsStatus.NFS3ERR_NOT_SYNC, node + " changed since");
            }
            boolean isLink = before.type() == FileType.NF3LNK;
            if (wanted.mode().isPresent()) {
                NioContext.requireNoSetId(wanted.mode().getAsInt(), before.mode());
            }
            if (wanted.size().isPresent()) {
                requireRegular(node, before);
                resize(node, path, before, wanted.size().getAsLong());
            }
            if (wanted.mode().isPresent() && !isLink) {
                setMode(path, wanted.mode().getAsInt() & MODE_BITS);
            }
            setOwner(path, wanted, before);
            setTimes(path, wanted, before);
            sync(node, path, before);
            context.reader().read(path, change.after());
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        } finally {
            own.unlock();
            shared.unlock();
        }
    }

    /** Brings the attributes of a file to stable storage, if that is wanted. */
    private void sync(NioNode node, Path path, FileAttributes attributes) throws IOException {
        if (attributes.isDirectory()) {
            context.syncDirectory(path);
        } else if (attributes.isRegular() && context.syncsNames()) {
            OpenFile file = open.acquire(node, false, openerAt(path, attributes));
            try {
                file.channel().force(true);
            } finally {
                open.release(file);
            }
        }
    }

    int access(NioNode node, int wanted, FileAttributes into) throws FileTreeException {
        Lock lock = context.shared();
        lock.lock();
        try {
            Path path = context.table().locate(node, into);
            int granted = Nfs3.ACCESS3_READ | Nfs3.ACCESS3_LOOKUP | Nfs3.ACCESS3_EXECUTE;
            if (into.type() != FileType.NF3LNK) {
                granted = granted(path, into.isDirectory());
            }
            if (context.isReadOnly()) {
                granted &= ~(Nfs3.ACCESS3_MODIFY | Nfs3.ACCESS3_EXTEND | Nfs3.ACCESS3_DELETE);
            }
            return granted & wanted;
        } catch (IOException | RuntimeException e) {
            throw NioErrors.translate(e);
        } finally {
            lock.unlock();
        }
    }

    private static int granted(Path path, boolean isDirectory) {
        int granted = 0;
        if (Files.isReadable(path)) {
            granted |= Nfs3.ACCESS3_READ;
        }
        if (Files.isWritable(path)) {
            granted |= Nfs3.ACCESS3_MODIFY | Nfs3.ACCESS3_EXTEND | (isDirectory ? Nfs3.ACCESS3_DELETE : 0);
        }
        if (Files.isExecutable(path)) {
            granted |= isDirectory ? Nfs3.ACCESS3_LOOKUP : Nfs3.ACCESS3_EXECUTE;
        }
        return granted;
    }

    private void resize(NioNode node, Path path, FileAttributes attributes, long size) throws IOException {
        OpenFile file = open.acquire(node, true, openerAt(path, attributes));
        try {
            setSize(file.channel(), size);
        } finally {
            open.release(file);
        }
    }

    /** A file grows by a zero byte at its new end; what is between is a hole. */
    private static void setSize(FileChannel channel, long size) throws IOException {
        if (size < 0) {
            throw new FileTreeException(NfsStatus.NFS3ERR_FBIG, "a size of 2^63 or more");
        }
        if (size < channel.size()) {
            channel.truncate(size);
        } else if (size > channel.size()) {
            ByteBuffer zero = ByteBuffer.allocate(1);
            while (zero.hasRemaining()) {
                channel.write(zero, size - 1);
            }
        }
    }

    private static void setMode(Path path, int mode) throws IOException {
        // The path was proven, and it is no symbolic link: there is nothing to follow.
        Files.setAttribute(path, "unix:mode", mode);
    }

    /** Sets owner and group where they differ; whether this user may do so is for the operating system to say. */
    private static boolean setOwner(Path path, Sattr3 wanted, FileAttributes present) throws IOException {
        boolean changed = false;
        if (wanted.gid().isPresent() && wanted.gid().getAsLong() != present.gid()) {
            Files.setAttribute(path, "unix:gid", (int) wanted.gid().getAsLong(), LinkOption.NOFOLLOW_LINKS);
            changed = true;
        }
        if (wanted.uid().isPresent() && wanted.uid().getAsLong() != present.uid()) {
            Files.setAttribute(path, "unix:uid", (int) wanted.uid().getAsLong(), LinkOption.NOFOLLOW_LINKS);
            changed = true;
        }
        return changed;
    }

    private boolean setTimes(Path path, Sattr3 wanted, FileAttributes present) throws IOException {
        FileTime access = time(wanted.accessTime());
        FileTime modify = time(wanted.modifyTime());
        if (access == null && modify == null) {
            return false;
        }
        if (!SETS_TIMES.contains(present.type())) {
            // The platform would open it for that, and a pipe opens only when somebody else opens its other end.
            throw new FileTreeException(NfsStatus.NFS3ERR_NOTSUPP, "times of a " + present.type());
        }
        asOwner(path, present, () -> {
            Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setTimes(modify, access, null);
            return null;
        });
        return true;
    }

    private static @Nullable FileTime time(TimeChange change) throws FileTreeException {
        return switch (change) {
            case TimeChange.Preset preset -> preset == TimeChange.Preset.KEEP ? null : FileTime.from(Instant.now());
            case TimeChange.To to -> {
                if (to.time().nanos() >= 1_000_000_000) {
                    throw new FileTreeException(NfsStatus.NFS3ERR_INVAL, "a time of " + to.time());
                }
                yield FileTime.from(
                        Instant.ofEpochSecond(to.time().seconds(), to.time().nanos()));
            }
        };
    }

    private static FileTreeException translate(Exception failure) {
        if (failure instanceof ClosedChannelException) {
            // A thread was interrupted while it used the file: the client tries again.
            return new FileTreeException(NfsStatus.NFS3ERR_JUKEBOX, failure);
        }
        return NioErrors.translate(failure);
    }
}
