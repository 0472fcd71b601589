package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Results of PATHCONF (RFC 1813 §3.3.20).
 *
 * @param status how it ended
 * @param attributes of the file that was asked about, in either case
 * @param limits {@link Limits#NONE} unless it succeeded
 */
public record PathconfResult(NfsStatus status, Optional<Fattr3> attributes, Limits limits) {

    /**
     * POSIX limits.
     *
     * @param linksMax most names of a file: 0 to 2^32-1
     * @param nameMax most bytes of a name: 0 to 2^32-1
     * @param noTruncation whether longer names are refused, else they are cut
     * @param chownRestricted whether only a privileged user changes the owner
     * @param caseInsensitive whether names that differ in case are the same
     * @param casePreserving whether names keep their case
     */
    public record Limits(
            long linksMax,
            long nameMax,
            boolean noTruncation,
            boolean chownRestricted,
            boolean caseInsensitive,
            boolean casePreserving) {
        /** All zero. */
        public static final Limits NONE = new Limits(0, 0, false, false, false, false);

        /** Writes the limits. */
        public void write(XdrWriter writer) {
            writer.writeUnsignedInt(linksMax);
            writer.writeUnsignedInt(nameMax);
            writer.writeBoolean(noTruncation);
            writer.writeBoolean(chownRestricted);
            writer.writeBoolean(caseInsensitive);
            writer.writeBoolean(casePreserving);
        }
    }

    /** Reads the results. */
    public static PathconfResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        Optional<Fattr3> attributes = Fattr3.readOptional(reader);
        if (!status.isOk()) {
            return new PathconfResult(status, attributes, Limits.NONE);
        }
        Limits limits = new Limits(
                reader.readUnsignedInt(),
                reader.readUnsignedInt(),
                reader.readBoolean(),
                reader.readBoolean(),
                reader.readBoolean(),
                reader.readBoolean());
        return new PathconfResult(status, attributes, limits);
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        Fattr3.writeOptional(writer, attributes);
        if (status.isOk()) {
            limits.write(writer);
        }
    }
}
