package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Results of LOOKUP (RFC 1813 §3.3.3).
 *
 * @param status how it ended
 * @param object what was found; {@link FileHandle#NONE} unless it succeeded
 * @param attributes of what was found; only if it succeeded
 * @param directoryAttributes of the directory, in either case
 */
public record LookupResult(
        NfsStatus status, FileHandle object, Optional<Fattr3> attributes, Optional<Fattr3> directoryAttributes) {
    /** Reads the results. */
    public static LookupResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        boolean ok = status.isOk();
        return new LookupResult(
                status,
                ok ? FileHandle.read(reader) : FileHandle.NONE,
                ok ? Fattr3.readOptional(reader) : Optional.empty(),
                Fattr3.readOptional(reader));
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        if (status.isOk()) {
            object.write(writer);
            Fattr3.writeOptional(writer, attributes);
        }
        Fattr3.writeOptional(writer, directoryAttributes);
    }
}
