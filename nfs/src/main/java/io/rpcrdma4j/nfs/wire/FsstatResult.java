package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Results of FSSTAT (RFC 1813 §3.3.18).
 *
 * @param status how it ended
 * @param attributes of the file that was asked about, in either case
 * @param figures {@link Figures#NONE} unless it succeeded
 */
public record FsstatResult(NfsStatus status, Optional<Fattr3> attributes, Figures figures) {

    /**
     * Space, in bytes and in files; all unsigned 64-bit values but the last.
     *
     * @param totalBytes size of the file system
     * @param freeBytes free bytes
     * @param availableBytes free bytes that the caller may use
     * @param totalFiles number of files that there can be
     * @param freeFiles number of files that there can be more
     * @param availableFiles number of files that the caller may add
     * @param invariantSeconds how long the figures will hold: 0 to 2^32-1
     */
    public record Figures(
            long totalBytes,
            long freeBytes,
            long availableBytes,
            long totalFiles,
            long freeFiles,
            long availableFiles,
            long invariantSeconds) {
        /** All zero. */
        public static final Figures NONE = new Figures(0, 0, 0, 0, 0, 0, 0);

        /** Writes the figures. */
        public void write(XdrWriter writer) {
            writer.writeLong(totalBytes);
            writer.writeLong(freeBytes);
            writer.writeLong(availableBytes);
            writer.writeLong(totalFiles);
            writer.writeLong(freeFiles);
            writer.writeLong(availableFiles);
            writer.writeUnsignedInt(invariantSeconds);
        }
    }

    /** Reads the results. */
    public static FsstatResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        Optional<Fattr3> attributes = Fattr3.readOptional(reader);
        if (!status.isOk()) {
            return new FsstatResult(status, attributes, Figures.NONE);
        }
        Figures figures = new Figures(
                reader.readLong(),
                reader.readLong(),
                reader.readLong(),
                reader.readLong(),
                reader.readLong(),
                reader.readLong(),
                reader.readUnsignedInt());
        return new FsstatResult(status, attributes, figures);
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        Fattr3.writeOptional(writer, attributes);
        if (status.isOk()) {
            figures.write(writer);
        }
    }
}
