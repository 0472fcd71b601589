package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Arguments of READDIR (RFC 1813 §3.3.16).
 *
 * @param directory the directory
 * @param cookie where to go on, as an entry gave it; 0 at first
 * @param verifier as the first reply gave it, 8 bytes; 0 at first
 * @param count most bytes of the results from the status on: 0 to 2^32-1
 */
public record ReaddirArgs(FileHandle directory, long cookie, long verifier, long count) {
    /** Reads the arguments. */
    public static ReaddirArgs read(XdrReader reader) throws XdrException {
        return new ReaddirArgs(FileHandle.read(reader), reader.readLong(), reader.readLong(), reader.readUnsignedInt());
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        directory.write(writer);
        writer.writeLong(cookie);
        writer.writeLong(verifier);
        writer.writeUnsignedInt(count);
    }
}
