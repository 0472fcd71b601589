package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Results of CREATE, MKDIR, SYMLINK and MKNOD (RFC 1813 §3.3.8 to §3.3.11).
 *
 * @param status how it ended
 * @param object what was made; {@link FileHandle#NONE} if it failed, or the server does not say
 * @param attributes of what was made; only if it succeeded
 * @param directoryWcc of the directory before and after, in either case
 */
public record CreateResult(NfsStatus status, FileHandle object, Optional<Fattr3> attributes, WccData directoryWcc) {
    /** Reads the results. */
    public static CreateResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        boolean ok = status.isOk();
        return new CreateResult(
                status,
                ok ? FileHandle.readOptional(reader) : FileHandle.NONE,
                ok ? Fattr3.readOptional(reader) : Optional.empty(),
                WccData.read(reader));
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        if (status.isOk()) {
            object.writeOptional(writer);
            Fattr3.writeOptional(writer, attributes);
        }
        directoryWcc.write(writer);
    }
}
