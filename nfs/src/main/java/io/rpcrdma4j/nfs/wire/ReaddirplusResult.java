package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Results of READDIRPLUS (RFC 1813 §3.3.17).
 *
 * @param status how it ended
 * @param directoryAttributes of the directory, in either case
 * @param verifier to be sent with the cookies, 8 bytes; 0 unless it succeeded
 * @param entries in the order of the reply
 * @param atEnd whether the last entry is the directory's last
 */
public record ReaddirplusResult(
        NfsStatus status, Optional<Fattr3> directoryAttributes, long verifier, List<Entry> entries, boolean atEnd) {

    /**
     * A name in a directory.
     *
     * @param fileid number of the file
     * @param name its name
     * @param cookie where to go on behind this entry
     * @param attributes of the file, if the server says
     * @param object the file, {@link FileHandle#NONE} if the server does not say
     */
    public record Entry(long fileid, FileName name, long cookie, Optional<Fattr3> attributes, FileHandle object) {}

    /** Copies the entries. */
    public ReaddirplusResult {
        entries = List.copyOf(entries);
    }

    /** Reads the results. */
    public static ReaddirplusResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        Optional<Fattr3> attributes = Fattr3.readOptional(reader);
        if (!status.isOk()) {
            return new ReaddirplusResult(status, attributes, 0, List.of(), false);
        }
        long verifier = reader.readLong();
        List<Entry> entries = new ArrayList<>();
        while (reader.readBoolean()) {
            entries.add(new Entry(
                    reader.readLong(),
                    FileName.read(reader),
                    reader.readLong(),
                    Fattr3.readOptional(reader),
                    FileHandle.readOptional(reader)));
        }
        return new ReaddirplusResult(status, attributes, verifier, entries, reader.readBoolean());
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        Fattr3.writeOptional(writer, directoryAttributes);
        if (status.isOk()) {
            writer.writeLong(verifier);
            for (Entry entry : entries) {
                ReaddirResult.writeEntry(writer, entry.fileid(), entry.name(), entry.cookie());
                Fattr3.writeOptional(writer, entry.attributes());
                entry.object().writeOptional(writer);
            }
            writer.writeBoolean(false);
            writer.writeBoolean(atEnd);
        }
    }

    /** Bytes of an encoded entry; {@code handleLength} is 0 if it has no handle. */
    public static int entryBytes(int nameLength, boolean withAttributes, int handleLength) {
        int attributes = withAttributes ? 4 + Nfs3.FATTR_BYTES : 4;
        int handle = handleLength > 0 ? 8 + (handleLength + 3 & ~3) : 4;
        return ReaddirResult.entryBytes(nameLength) + attributes + handle;
    }
}
