package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.FileName;
import org.jspecify.annotations.Nullable;

/** Takes the entries of a directory. */
@FunctionalInterface
public interface DirectoryVisitor {
    /**
     * Takes an entry.
     *
     * @param name its name
     * @param cookie where to go on behind it: more than 0, less than 2^63
     * @param node the file, or null if the listing is without nodes
     * @param attributes of the file; borrowed until return
     * @return whether it was taken; else the listing ends before it
     */
    boolean entry(FileName name, long cookie, @Nullable FileNode node, FileAttributes attributes);
}
