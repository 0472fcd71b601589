package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Arguments of MKDIR (RFC 1813 §3.3.9).
 *
 * @param where where the new directory goes, and its name
 * @param attributes what to set
 */
public record MkdirArgs(DirOpArgs where, Sattr3 attributes) {
    /** Reads the arguments. */
    public static MkdirArgs read(XdrReader reader) throws XdrException {
        return new MkdirArgs(DirOpArgs.read(reader), Sattr3.read(reader));
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        where.write(writer);
        attributes.write(writer);
    }
}
