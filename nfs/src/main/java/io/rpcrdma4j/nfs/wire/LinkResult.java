package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Results of LINK (RFC 1813 §3.3.15).
 *
 * @param status how it ended
 * @param attributes of the file, in either case
 * @param directoryWcc of the directory that gets the name, before and after
 */
public record LinkResult(NfsStatus status, Optional<Fattr3> attributes, WccData directoryWcc) {
    /** Reads the results. */
    public static LinkResult read(XdrReader reader) throws XdrException {
        return new LinkResult(NfsStatus.read(reader), Fattr3.readOptional(reader), WccData.read(reader));
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        Fattr3.writeOptional(writer, attributes);
        directoryWcc.write(writer);
    }
}
