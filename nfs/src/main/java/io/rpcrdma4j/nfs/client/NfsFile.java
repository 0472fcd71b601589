package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FileType;

/**
 * A file, directory or other object of a server, as it was when it was looked up.
 *
 * @param handle what to call it towards the server
 * @param attributes its attributes
 */
public record NfsFile(FileHandle handle, Fattr3 attributes) {
    /** Whether it is a directory. */
    public boolean isDirectory() {
        return attributes.type() == FileType.NF3DIR;
    }

    /** Whether it is a symbolic link. */
    public boolean isLink() {
        return attributes.type() == FileType.NF3LNK;
    }

    /** Whether it is a regular file. */
    public boolean isRegular() {
        return attributes.type() == FileType.NF3REG;
    }
}
