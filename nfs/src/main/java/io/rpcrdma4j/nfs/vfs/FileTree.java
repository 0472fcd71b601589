package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.FsstatResult;
import io.rpcrdma4j.nfs.wire.LinkText;
import io.rpcrdma4j.nfs.wire.MknodArgs;
import io.rpcrdma4j.nfs.wire.NfsTime;
import io.rpcrdma4j.nfs.wire.PathconfResult;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.StableHow;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A directory tree that is served.
 *
 * <h2>Operation</h2>
 *
 * Files are {@link FileNode}s. One begins at {@link #root()}, walks with {@link #lookup}, and comes back later, after a
 * restart too, with {@link #find}. No operation leaves the tree: symbolic links are never followed, and a name is one
 * component. {@code .} and {@code ..} can be looked up and nothing else; the root's parent is the root.
 *
 * <h2>Buffer ownership</h2>
 *
 * {@link #read} fills and {@link #write} takes memory of the caller, during the call only.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread. Operations block as long as the storage does.
 *
 * <h2>Errors</h2>
 *
 * {@link FileTreeException} with the status for the client. A node whose file is gone is NFS3ERR_STALE everywhere.
 */
public interface FileTree extends AutoCloseable {
    /** Most bytes of a node's key: what a file handle of 64 bytes has room for. */
    int KEY_BYTES_MAX = 40;

    /** The directory at the top. */
    FileNode root();

    /**
     * The file with this key.
     *
     * @throws FileTreeException NFS3ERR_STALE if it is gone or never was; NFS3ERR_BADHANDLE if it is no key of this
     *     tree
     */
    FileNode find(byte[] key, int offset, int length) throws FileTreeException;

    /**
     * The file with a name in a directory.
     *
     * @param object gets the attributes of what was found
     * @param directoryAttributes gets those of the directory, also if there is no such name
     */
    FileNode lookup(FileNode directory, FileName name, FileAttributes object, FileAttributes directoryAttributes)
            throws FileTreeException;

    /** Gets attributes. */
    void attributes(FileNode node, FileAttributes into) throws FileTreeException;

    /**
     * Sets attributes.
     *
     * @param guard the change time that the file must have, else NFS3ERR_NOT_SYNC
     * @param change gets the attributes before and after
     */
    void setAttributes(FileNode node, Sattr3 wanted, Optional<NfsTime> guard, Change change) throws FileTreeException;

    /**
     * Which accesses the server's own user has.
     *
     * @param wanted a set of {@code ACCESS3_} bits
     * @param into gets the attributes
     * @return those of {@code wanted} that would be granted
     */
    int access(FileNode node, int wanted, FileAttributes into) throws FileTreeException;

    /** The text of a symbolic link. */
    LinkText readLink(FileNode node) throws FileTreeException;

    /**
     * Reads from a regular file.
     *
     * @param position where in the file to begin, 0 to 2^63-1
     * @param target where the bytes go
     * @param offset where in {@code target} the first goes
     * @param length how many to read
     * @param into gets the attributes after the read
     * @return how many were read; fewer than {@code length} only at the end of the file
     */
    int read(FileNode file, long position, MemorySegment target, long offset, int length, FileAttributes into)
            throws FileTreeException;

    /**
     * Writes to a regular file, all of it.
     *
     * @param position where in the file the first byte goes, 0 to 2^63-1
     * @param source where the bytes are
     * @param offset where in {@code source} they begin
     * @param length how many
     * @param stable how safe they must be when this returns
     * @param into gets the attributes after the write
     */
    void write(
            FileNode file,
            long position,
            MemorySegment source,
            long offset,
            int length,
            StableHow stable,
            FileAttributes into)
            throws FileTreeException;

    /**
     * Brings all that was written to a regular file to stable storage.
     *
     * @param into gets the attributes after it
     */
    void commit(FileNode file, FileAttributes into) throws FileTreeException;

    /**
     * Creates a regular file, or takes the one that is there if {@code how} allows it.
     *
     * @param object gets the attributes of the file
     * @param change gets those of the directory before and after
     */
    FileNode create(FileNode directory, FileName name, CreateHow how, FileAttributes object, Change change)
            throws FileTreeException;

    /**
     * Creates a directory.
     *
     * @param object gets the attributes of the new directory
     * @param change gets those of the directory that it is in, before and after
     */
    FileNode makeDirectory(FileNode directory, FileName name, Sattr3 wanted, FileAttributes object, Change change)
            throws FileTreeException;

    /**
     * Creates a symbolic link.
     *
     * @param object gets the attributes of the link
     * @param change gets those of the directory before and after
     */
    FileNode makeSymbolicLink(FileNode directory, FileName name, LinkText text, FileAttributes object, Change change)
            throws FileTreeException;

    /**
     * Creates a special file: a socket or a pipe, where the tree supports it. Devices are always refused.
     *
     * @param what type and attributes; its handle is not looked at
     * @param object gets the attributes of the new file
     * @param change gets those of the directory before and after
     */
    FileNode makeSpecial(FileNode directory, FileName name, MknodArgs what, FileAttributes object, Change change)
            throws FileTreeException;

    /**
     * Removes a name of anything but a directory.
     *
     * @param change gets the attributes of the directory before and after
     */
    void remove(FileNode directory, FileName name, Change change) throws FileTreeException;

    /**
     * Removes an empty directory.
     *
     * @param change gets the attributes of the directory that it is in, before and after
     */
    void removeDirectory(FileNode directory, FileName name, Change change) throws FileTreeException;

    /**
     * Renames, replacing what has the new name, in one step.
     *
     * @param fromChange gets the attributes of the directory that it is in, before and after
     * @param toChange gets those of the directory that it goes to
     */
    void rename(
            FileNode fromDirectory,
            FileName fromName,
            FileNode toDirectory,
            FileName toName,
            Change fromChange,
            Change toChange)
            throws FileTreeException;

    /**
     * Gives a file another name.
     *
     * @param object gets the attributes of the file
     * @param change gets those of the directory before and after
     */
    void link(FileNode file, FileNode directory, FileName name, FileAttributes object, Change change)
            throws FileTreeException;

    /**
     * Lists a directory. The order is that of the cookies, which belong to the names: they mean the same after changes
     * of the directory and after a restart, so a name that is there all the time is listed once.
     *
     * @param cookie where to go on, as an entry gave it; 0 to begin
     * @param withNodes whether the visitor wants nodes, which must then be found again by their keys
     * @param visitor takes the entries
     * @return whether the end was reached; false if the visitor did not take one
     */
    boolean list(FileNode directory, long cookie, boolean withNodes, DirectoryVisitor visitor) throws FileTreeException;

    /** Space and number of files. What is not known is 0. */
    FsstatResult.Figures space(FileNode node) throws FileTreeException;

    /** POSIX limits. */
    PathconfResult.Limits limits();

    /** Size in bytes of the largest file. */
    long fileSizeMax();

    /** Closes files and stores. No operation may be in progress. */
    @Override
    void close() throws IOException;
}
