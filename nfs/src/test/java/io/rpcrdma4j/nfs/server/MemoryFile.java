package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.Change;
import io.rpcrdma4j.nfs.vfs.DirectoryVisitor;
import io.rpcrdma4j.nfs.vfs.FileAttributes;
import io.rpcrdma4j.nfs.vfs.FileNode;
import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.vfs.FileTreeException;
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
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A tree that is one file of 1 MiB in memory: what a file system is at its fastest. */
final class MemoryFile implements FileTree {
    private static final int SIZE = 1 << 20;

    private final MemorySegment content = MemorySegment.ofArray(new byte[SIZE]);
    private final FileNode node = new Node();

    private static final class Node implements FileNode {
        @Override
        public long fileid() {
            return 1;
        }

        @Override
        public int keyLength() {
            return 1;
        }

        @Override
        public void copyKey(byte[] target, int offset) {
            target[offset] = 1;
        }
    }

    @Override
    public FileNode root() {
        return node;
    }

    @Override
    public FileNode find(byte[] key, int offset, int length) {
        return node;
    }

    @Override
    public void attributes(FileNode file, FileAttributes into) {
        into.setType(FileType.NF3REG, 0644, 1);
        into.setSize(SIZE, SIZE);
    }

    @Override
    public int read(FileNode file, long position, MemorySegment target, long offset, int length, FileAttributes into) {
        MemorySegment.copy(content, position, target, offset, length);
        attributes(file, into);
        return length;
    }

    @Override
    public void write(
            FileNode file,
            long position,
            MemorySegment source,
            long offset,
            int length,
            StableHow stable,
            FileAttributes into) {
        MemorySegment.copy(source, offset, content, position, length);
        attributes(file, into);
    }

    @Override
    public long fileSizeMax() {
        return SIZE;
    }

    @Override
    public PathconfResult.Limits limits() {
        return PathconfResult.Limits.NONE;
    }

    @Override
    public void close() {}

    private static FileTreeException none() {
        return new FileTreeException(NfsStatus.NFS3ERR_NOTSUPP, "one file is all there is");
    }

    @Override
    public FileNode lookup(FileNode directory, FileName name, FileAttributes object, FileAttributes attributes)
            throws FileTreeException {
        throw none();
    }

    @Override
    public void setAttributes(FileNode file, Sattr3 wanted, Optional<NfsTime> guard, Change change)
            throws FileTreeException {
        throw none();
    }

    @Override
    public int access(FileNode file, int wanted, FileAttributes into) throws FileTreeException {
        throw none();
    }

    @Override
    public LinkText readLink(FileNode link) throws FileTreeException {
        throw none();
    }

    @Override
    public void commit(FileNode file, FileAttributes into) {
        attributes(file, into);
    }

    @Override
    public FileNode create(FileNode directory, FileName name, CreateHow how, FileAttributes object, Change change)
            throws FileTreeException {
        throw none();
    }

    @Override
    public FileNode makeDirectory(
            FileNode directory, FileName name, Sattr3 wanted, FileAttributes object, Change change)
            throws FileTreeException {
        throw none();
    }

    @Override
    public FileNode makeSymbolicLink(
            FileNode directory, FileName name, LinkText text, FileAttributes object, Change change)
            throws FileTreeException {
        throw none();
    }

    @Override
    public FileNode makeSpecial(FileNode directory, FileName name, MknodArgs what, FileAttributes object, Change change)
            throws FileTreeException {
        throw none();
    }

    @Override
    public void remove(FileNode directory, FileName name, Change change) throws FileTreeException {
        throw none();
    }

    @Override
    public void removeDirectory(FileNode directory, FileName name, Change change) throws FileTreeException {
        throw none();
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
        throw none();
    }

    @Override
    public void link(FileNode file, FileNode directory, FileName name, FileAttributes object, Change change)
            throws FileTreeException {
        throw none();
    }

    @Override
    public boolean list(FileNode directory, long cookie, boolean withNodes, DirectoryVisitor visitor)
            throws FileTreeException {
        throw none();
    }

    @Override
    public FsstatResult.Figures space(FileNode file) throws FileTreeException {
        throw none();
    }
}
