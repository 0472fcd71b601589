package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Arguments of LINK (RFC 1813 §3.3.15).
 *
 * @param file the file that gets another name
 * @param link where the name goes, and the name
 */
public record LinkArgs(FileHandle file, DirOpArgs link) {
    /** Reads the arguments. */
    public static LinkArgs read(XdrReader reader) throws XdrException {
        return new LinkArgs(FileHandle.read(reader), DirOpArgs.read(reader));
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        file.write(writer);
        link.write(writer);
    }
}
