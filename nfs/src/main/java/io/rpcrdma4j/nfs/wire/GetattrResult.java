package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Results of GETATTR (RFC 1813 §3.3.1).
 *
 * @param status how it ended
 * @param attributes there if it succeeded
 */
public record GetattrResult(NfsStatus status, Optional<Fattr3> attributes) {
    /** Reads the results. */
    public static GetattrResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        return new GetattrResult(status, status.isOk() ? Optional.of(Fattr3.read(reader)) : Optional.empty());
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        if (status.isOk()) {
            attributes.orElseThrow().write(writer);
        }
    }
}
