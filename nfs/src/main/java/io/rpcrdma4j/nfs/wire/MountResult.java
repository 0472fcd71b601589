package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Results of MNT (RFC 1813 §5.2.1).
 *
 * @param status how it ended
 * @param directory the directory; {@link FileHandle#NONE} unless it succeeded
 * @param flavors auth flavors that the server takes, best first; empty unless it succeeded
 */
public record MountResult(MountStatus status, FileHandle directory, List<Integer> flavors) {
    /** Most flavors that are read. */
    private static final int FLAVORS_MAX = 64;

    /** Copies the flavors. */
    public MountResult {
        flavors = List.copyOf(flavors);
    }

    /** Results that failed. */
    public static MountResult failed(MountStatus status) {
        return new MountResult(status, FileHandle.NONE, List.of());
    }

    /** Reads the results. */
    public static MountResult read(XdrReader reader) throws XdrException {
        MountStatus status = MountStatus.read(reader);
        if (!status.isOk()) {
            return failed(status);
        }
        FileHandle directory = FileHandle.read(reader);
        int count = reader.readCount(FLAVORS_MAX, 4);
        List<Integer> flavors = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            flavors.add(reader.readInt());
        }
        return new MountResult(status, directory, flavors);
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        if (status.isOk()) {
            directory.write(writer);
            writer.writeInt(flavors.size());
            for (int flavor : flavors) {
                writer.writeInt(flavor);
            }
        }
    }
}
