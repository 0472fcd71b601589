package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Results of COMMIT (RFC 1813 §3.3.21).
 *
 * @param status how it ended
 * @param wcc attributes before and after, in either case
 * @param verifier as with WRITE, 8 bytes; 0 unless it succeeded
 */
public record CommitResult(NfsStatus status, WccData wcc, long verifier) {
    /** Reads the results. */
    public static CommitResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        WccData wcc = WccData.read(reader);
        return new CommitResult(status, wcc, status.isOk() ? reader.readLong() : 0);
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        wcc.write(writer);
        if (status.isOk()) {
            writer.writeLong(verifier);
        }
    }
}
