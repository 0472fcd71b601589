package io.rpcrdma4j.nfs.vfs;

/**
 * Attributes of one file before and after an operation, for weak cache consistency (RFC 1813 §2.6). The tree fills them
 * while it holds other changes off, so that a client may conclude that between them was this operation only. After a
 * failure there may be none, or only those before.
 */
public final class Change {
    private final FileAttributes before = new FileAttributes();
    private final FileAttributes after = new FileAttributes();

    /** Makes an empty one. */
    public Change() {}

    /** What it was. */
    public FileAttributes before() {
        return before;
    }

    /** What it is. */
    public FileAttributes after() {
        return after;
    }

    /** Empties both. */
    public void clear() {
        before.clear();
        after.clear();
    }
}
