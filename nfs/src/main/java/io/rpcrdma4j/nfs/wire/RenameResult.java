package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Results of RENAME (RFC 1813 §3.3.14).
 *
 * @param status how it ended
 * @param fromWcc of the directory that it was in, before and after
 * @param toWcc of the directory that it goes to, before and after
 */
public record RenameResult(NfsStatus status, WccData fromWcc, WccData toWcc) {
    /** Reads the results. */
    public static RenameResult read(XdrReader reader) throws XdrException {
        return new RenameResult(NfsStatus.read(reader), WccData.read(reader), WccData.read(reader));
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        fromWcc.write(writer);
        toWcc.write(writer);
    }
}
