package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.vfs.NioNode.NodeLink;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which file is where, over restarts: for each file that a handle was given out for, its generation and the
 * names that it has.
 *
 * <p>Used by one thread at a time.
 */
interface NodeStore extends Closeable {
    /**
     * What is known of a file.
     *
     * @param generation tells it from other files that had or will have its number
     * @param birth when it was made, or 0
     * @param links its names, the one that was added last in front; at least one
     */
    record Entry(long generation, long birth, List<NodeLink> links) {}

    /** What is known of the file with this number, or null. */
    @Nullable
    Entry find(long fileid) throws IOException;

    /**
     * Says where a file is.
     *
     * @param alone whether it has no other name: what was known before is forgotten
     */
    void add(long fileid, long generation, long birth, NodeLink link, boolean alone) throws IOException;

    /** Takes a name of a file back; if it was the last, all is forgotten. */
    void remove(long fileid, NodeLink link) throws IOException;

    /** Forgets a file. */
    void forget(long fileid) throws IOException;

    /** Hands what was said to the operating system: from here on it survives the end of this process. */
    void flush() throws IOException;

    /** Number of files that are known. */
    long size();
}
