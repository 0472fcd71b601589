package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Results of ACCESS (RFC 1813 §3.3.4).
 *
 * @param status how it ended
 * @param attributes of the file, in either case
 * @param access what would be granted, a set of {@code ACCESS3_} bits; 0 unless it succeeded
 */
public record AccessResult(NfsStatus status, Optional<Fattr3> attributes, int access) {
    /** Reads the results. */
    public static AccessResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        return new AccessResult(status, Fattr3.readOptional(reader), status.isOk() ? reader.readInt() : 0);
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        Fattr3.writeOptional(writer, attributes);
        if (status.isOk()) {
            writer.writeInt(access);
        }
    }
}
