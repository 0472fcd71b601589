package io.rpcrdma4j.nfs.vfs;

/**
 * A file of a {@link FileTree}: not its name but the file itself, whatever it is called. It may be gone by now; the
 * operations say so.
 *
 * <p>Immutable towards its users; may be used from any thread, for as long as one likes.
 */
public interface FileNode {
    /** Number of the file in its file system, an unsigned 64-bit value; what {@code stat} shows as inode. */
    long fileid();

    /** Length in bytes of the key: 1 to {@link FileTree#KEY_BYTES_MAX}. */
    int keyLength();

    /**
     * Copies the key to {@code target} from index {@code offset} on. The key names this very file towards
     * {@link FileTree#find}, across restarts, and never another one that takes its number later.
     */
    void copyKey(byte[] target, int offset);
}
