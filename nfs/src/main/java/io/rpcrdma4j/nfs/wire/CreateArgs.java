package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Arguments of CREATE (RFC 1813 §3.3.8).
 *
 * @param where directory and name of the new file
 * @param how what to do if it exists, and what to set
 */
public record CreateArgs(DirOpArgs where, CreateHow how) {
    /** Reads the arguments. */
    public static CreateArgs read(XdrReader reader) throws XdrException {
        return new CreateArgs(DirOpArgs.read(reader), CreateHow.read(reader));
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        where.write(writer);
        how.write(writer);
    }
}
