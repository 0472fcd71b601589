package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.FileName;
import java.util.Optional;

/**
 * A name in a directory.
 *
 * @param name the name
 * @param file what has this name, if that was asked for
 */
public record NfsEntry(FileName name, Optional<NfsFile> file) {
    /** The name in printable form; see {@link NfsPath#printable}. */
    @Override
    public String toString() {
        return NfsPath.printable(name);
    }
}
