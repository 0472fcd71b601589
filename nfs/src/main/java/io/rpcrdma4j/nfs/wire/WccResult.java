package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Results of SETATTR (about the file), REMOVE and RMDIR (about the directory) (RFC 1813 §3.3.2, §3.3.12, §3.3.13).
 *
 * @param status how it ended
 * @param wcc attributes before and after, in either case
 */
public record WccResult(NfsStatus status, WccData wcc) {
    /** Reads the results. */
    public static WccResult read(XdrReader reader) throws XdrException {
        return new WccResult(NfsStatus.read(reader), WccData.read(reader));
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        wcc.write(writer);
    }
}
