package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Arguments of ACCESS (RFC 1813 §3.3.4).
 *
 * @param object the file
 * @param access the accesses asked for, a set of {@code ACCESS3_} bits
 */
public record AccessArgs(FileHandle object, int access) {
    /** Reads the arguments. */
    public static AccessArgs read(XdrReader reader) throws XdrException {
        return new AccessArgs(FileHandle.read(reader), reader.readInt());
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        object.write(writer);
        writer.writeInt(access);
    }
}
