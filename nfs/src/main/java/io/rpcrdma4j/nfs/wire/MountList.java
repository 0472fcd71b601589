package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Results of DUMP (RFC 1813 §5.2.2).
 *
 * @param entries who has mounted what
 */
public record MountList(List<Entry> entries) {
    /**
     * A mount.
     *
     * @param host name of the client, at most 255 bytes
     * @param directory what it has mounted
     */
    public record Entry(FileName host, MountPath directory) {}

    /** Copies the entries. */
    public MountList {
        entries = List.copyOf(entries);
    }

    /** Reads the results. */
    public static MountList read(XdrReader reader) throws XdrException {
        List<Entry> entries = new ArrayList<>();
        while (reader.readBoolean()) {
            entries.add(new Entry(FileName.of(reader.readOpaque(Mount3.NAME_BYTES_MAX)), MountPath.read(reader)));
        }
        return new MountList(entries);
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        for (Entry entry : entries) {
            writer.writeBoolean(true);
            entry.host().write(writer);
            entry.directory().write(writer);
        }
        writer.writeBoolean(false);
    }
}
