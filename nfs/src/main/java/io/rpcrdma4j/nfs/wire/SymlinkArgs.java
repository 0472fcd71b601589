package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Arguments of SYMLINK (RFC 1813 §3.3.10).
 *
 * @param where where the new link goes, and its name
 * @param attributes what to set
 * @param text what the link says
 */
public record SymlinkArgs(DirOpArgs where, Sattr3 attributes, LinkText text) {
    /** Reads the arguments. */
    public static SymlinkArgs read(XdrReader reader) throws XdrException {
        return new SymlinkArgs(DirOpArgs.read(reader), Sattr3.read(reader), LinkText.read(reader));
    }

    /** Writes the arguments, the text inline. */
    public void write(XdrWriter writer) {
        where.write(writer);
        attributes.write(writer);
        text.write(writer);
    }

    /**
     * Writes the arguments, the text so that it may be placed directly.
     *
     * @param buffer gets the text; its ownership moves to the message
     */
    public void writePayload(XdrWriter writer, PayloadBuffer buffer) {
        where.write(writer);
        attributes.write(writer);
        text.writePayload(writer, buffer);
    }
}
