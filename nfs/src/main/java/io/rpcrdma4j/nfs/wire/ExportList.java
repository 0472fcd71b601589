package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Results of EXPORT (RFC 1813 §5.2.5).
 *
 * @param entries what is exported
 */
public record ExportList(List<Entry> entries) {
    /**
     * An export.
     *
     * @param directory what is exported
     * @param groups who may mount it, for people to read; empty: everyone
     */
    public record Entry(MountPath directory, List<FileName> groups) {
        /** Copies the groups. */
        public Entry {
            groups = List.copyOf(groups);
        }
    }

    /** Copies the entries. */
    public ExportList {
        entries = List.copyOf(entries);
    }

    /** Reads the results. */
    public static ExportList read(XdrReader reader) throws XdrException {
        List<Entry> entries = new ArrayList<>();
        while (reader.readBoolean()) {
            MountPath directory = MountPath.read(reader);
            List<FileName> groups = new ArrayList<>();
            while (reader.readBoolean()) {
                groups.add(FileName.of(reader.readOpaque(Mount3.NAME_BYTES_MAX)));
            }
            entries.add(new Entry(directory, groups));
        }
        return new ExportList(entries);
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        for (Entry entry : entries) {
            writer.writeBoolean(true);
            entry.directory().write(writer);
            for (FileName group : entry.groups()) {
                writer.writeBoolean(true);
                group.write(writer);
            }
            writer.writeBoolean(false);
        }
        writer.writeBoolean(false);
    }
}
