package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Results of FSINFO (RFC 1813 §3.3.19).
 *
 * @param status how it ended
 * @param attributes of the file that was asked about, in either case
 * @param figures {@link Figures#NONE} unless it succeeded
 */
public record FsinfoResult(NfsStatus status, Optional<Fattr3> attributes, Figures figures) {

    /**
     * What the server supports. Sizes are bytes, 0 to 2^32-1.
     *
     * @param readMax most bytes of a READ
     * @param readPreferred best size of a READ
     * @param readMultiple what a READ's size should be a multiple of
     * @param writeMax most bytes of a WRITE
     * @param writePreferred best size of a WRITE
     * @param writeMultiple what a WRITE's size should be a multiple of
     * @param directoryPreferred best size of a READDIR
     * @param fileSizeMax size of the largest file, an unsigned 64-bit value
     * @param timeDelta resolution of times
     * @param properties a set of {@code FSF3_} bits
     */
    public record Figures(
            long readMax,
            long readPreferred,
            long readMultiple,
            long writeMax,
            long writePreferred,
            long writeMultiple,
            long directoryPreferred,
            long fileSizeMax,
            NfsTime timeDelta,
            int properties) {
        /** All zero. */
        public static final Figures NONE = new Figures(0, 0, 0, 0, 0, 0, 0, 0, NfsTime.EPOCH, 0);

        /** Writes the figures. */
        public void write(XdrWriter writer) {
            writer.writeUnsignedInt(readMax);
            writer.writeUnsignedInt(readPreferred);
            writer.writeUnsignedInt(readMultiple);
            writer.writeUnsignedInt(writeMax);
            writer.writeUnsignedInt(writePreferred);
            writer.writeUnsignedInt(writeMultiple);
            writer.writeUnsignedInt(directoryPreferred);
            writer.writeLong(fileSizeMax);
            timeDelta.write(writer);
            writer.writeInt(properties);
        }
    }

    /** Reads the results. */
    public static FsinfoResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        Optional<Fattr3> attributes = Fattr3.readOptional(reader);
        if (!status.isOk()) {
            return new FsinfoResult(status, attributes, Figures.NONE);
        }
        Figures figures = new Figures(
                reader.readUnsignedInt(),
                reader.readUnsignedInt(),
                reader.readUnsignedInt(),
                reader.readUnsignedInt(),
                reader.readUnsignedInt(),
                reader.readUnsignedInt(),
                reader.readUnsignedInt(),
                reader.readLong(),
                NfsTime.read(reader),
                reader.readInt());
        return new FsinfoResult(status, attributes, figures);
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
