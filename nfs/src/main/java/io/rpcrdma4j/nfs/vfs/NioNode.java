package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.FileName;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file of a {@link NioTree}: its number, its generation, and where it was last seen.
 *
 * <p>The key is number and generation, 8 bytes each. Where it was seen is written under the lock of {@link NodeTable}
 * and read there; the path is computed from it again and again, since a directory above may be renamed at any time.
 */
final class NioNode implements FileNode {
    static final int KEY_BYTES = 16;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final long fileid;
    private final long generation;
    private final long birth;

    /** Names under which the file was seen, the one to try first in front; guarded by the lock of the table. */
    private NodeLink[] links;

    /** The path as computed last, and the number of directory renames at that time. */
    private volatile @Nullable PathAt path;

    /** A path and when it was right. */
    record PathAt(Path path, long renames) {}

    // What the cache keeps here; guarded by the lock of the table.
    @Nullable
    NioNode hashNext;

    @Nullable
    NioNode newer;

    @Nullable
    NioNode older;

    NioNode(long fileid, long generation, long birth, NodeLink[] links) {
        this.fileid = fileid;
        this.generation = generation;
        this.birth = birth;
        this.links = links;
    }

    static long fileidOf(byte[] key, int offset) {
        return (long) LONG.get(key, offset);
    }

    static long generationOf(byte[] key, int offset) {
        return (long) LONG.get(key, offset + 8);
    }

    @Override
    public long fileid() {
        return fileid;
    }

    long generation() {
        return generation;
    }

    /** When the file was made, in nanoseconds of some clock; 0 if that is not known. */
    long birth() {
        return birth;
    }

    NodeLink[] links() {
        return links;
    }

    void links(NodeLink[] newLinks) {
        links = newLinks;
        path = null;
    }

    @Nullable
    PathAt path() {
        return path;
    }

    void path(PathAt computed) {
        path = computed;
    }

    @Override
    public int keyLength() {
        return KEY_BYTES;
    }

    @Override
    public void copyKey(byte[] target, int offset) {
        LONG.set(target, offset, fileid);
        LONG.set(target, offset + 8, generation);
    }

    @Override
    public String toString() {
        return "file " + Long.toUnsignedString(fileid);
    }

    /**
     * A name in a directory.
     *
     * @param parent number of the directory
     * @param name the name
     */
    record NodeLink(long parent, FileName name) {}
}
