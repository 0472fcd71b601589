package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * A directory and a name in it ({@code diropargs3}): the arguments of LOOKUP, REMOVE and RMDIR (RFC 1813 §3.3.3,
 * §3.3.12, §3.3.13), and a part of others.
 *
 * @param directory the directory
 * @param name the name, valid or not
 */
public record DirOpArgs(FileHandle directory, FileName name) {
    /** Reads the arguments. */
    public static DirOpArgs read(XdrReader reader) throws XdrException {
        return new DirOpArgs(FileHandle.read(reader), FileName.read(reader));
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        directory.write(writer);
        name.write(writer);
    }
}
