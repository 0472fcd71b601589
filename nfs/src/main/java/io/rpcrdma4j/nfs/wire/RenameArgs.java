package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Arguments of RENAME (RFC 1813 §3.3.14).
 *
 * @param from where it is, and its name
 * @param to where it goes, and its new name
 */
public record RenameArgs(DirOpArgs from, DirOpArgs to) {
    /** Reads the arguments. */
    public static RenameArgs read(XdrReader reader) throws XdrException {
        return new RenameArgs(DirOpArgs.read(reader), DirOpArgs.read(reader));
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        from.write(writer);
        to.write(writer);
    }
}
