package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Arguments of SETATTR (RFC 1813 §3.3.2).
 *
 * @param object the file
 * @param attributes what to set
 * @param guard the change time that the file must have, else NFS3ERR_NOT_SYNC
 */
public record SetattrArgs(FileHandle object, Sattr3 attributes, Optional<NfsTime> guard) {
    /** Reads the arguments. */
    public static SetattrArgs read(XdrReader reader) throws XdrException {
        return new SetattrArgs(
                FileHandle.read(reader),
                Sattr3.read(reader),
                reader.readBoolean() ? Optional.of(NfsTime.read(reader)) : Optional.empty());
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        object.write(writer);
        attributes.write(writer);
        writer.writeBoolean(guard.isPresent());
        guard.ifPresent(time -> time.write(writer));
    }
}
