package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Results of READDIR (RFC 1813 §3.3.16).
 *
 * @param status how it ended
 * @param directoryAttributes of the directory, in either case
 * @param verifier to be sent with the cookies, 8 bytes; 0 unless it succeeded
 * @param entries in the order of the reply
 * @param atEnd whether the last entry is the directory's last
 */
public record ReaddirResult(
        NfsStatus status, Optional<Fattr3> directoryAttributes, long verifier, List<Entry> entries, boolean atEnd) {

    /** Bytes of an encoded entry without its name: the flag in front of it, fileid, the name's length word, cookie. */
    public static final int ENTRY_BYTES = 24;

    /** Bytes of the results of a successful call without entries and attributes: status, flag, verifier, two flags. */
    public static final int FRAME_BYTES = 24;

    /**
     * A name in a directory.
     *
     * @param fileid number of the file
     * @param name its name
     * @param cookie where to go on behind this entry
     */
    public record Entry(long fileid, FileName name, long cookie) {}

    /** Copies the entries. */
    public ReaddirResult {
        entries = List.copyOf(entries);
    }

    /** Reads the results. */
    public static ReaddirResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        Optional<Fattr3> attributes = Fattr3.readOptional(reader);
        if (!status.isOk()) {
            return new ReaddirResult(status, attributes, 0, List.of(), false);
        }
        long verifier = reader.readLong();
        List<Entry> entries = new ArrayList<>();
        while (reader.readBoolean()) {
            entries.add(new Entry(reader.readLong(), FileName.read(reader), reader.readLong()));
        }
        return new ReaddirResult(status, attributes, verifier, entries, reader.readBoolean());
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        Fattr3.writeOptional(writer, directoryAttributes);
        if (status.isOk()) {
            writer.writeLong(verifier);
            for (Entry entry : entries) {
                writeEntry(writer, entry.fileid(), entry.name(), entry.cookie());
            }
            writer.writeBoolean(false);
            writer.writeBoolean(atEnd);
        }
    }

    /** Writes one entry, with the flag that announces it. */
    public static void writeEntry(XdrWriter writer, long fileid, FileName name, long cookie) {
        writer.writeBoolean(true);
        writer.writeLong(fileid);
        name.write(writer);
        writer.writeLong(cookie);
    }

    /** Bytes of an encoded entry with a name of {@code nameLength} bytes. */
    public static int entryBytes(int nameLength) {
        return ENTRY_BYTES + (nameLength + 3 & ~3);
    }
}
