package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Arguments of MKNOD (RFC 1813 §3.3.11). What a type does not have is 0 or {@link Sattr3#NOTHING}.
 *
 * @param where where the new object goes, and its name
 * @param type what to make
 * @param attributes what to set, for devices, sockets and pipes
 * @param deviceMajor major number, for devices
 * @param deviceMinor minor number, for devices
 */
public record MknodArgs(DirOpArgs where, FileType type, Sattr3 attributes, int deviceMajor, int deviceMinor) {
    /** Reads the arguments. */
    public static MknodArgs read(XdrReader reader) throws XdrException {
        DirOpArgs where = DirOpArgs.read(reader);
        FileType type = FileType.read(reader);
        return switch (type) {
            case NF3CHR, NF3BLK -> new MknodArgs(where, type, Sattr3.read(reader), reader.readInt(), reader.readInt());
            case NF3SOCK, NF3FIFO -> new MknodArgs(where, type, Sattr3.read(reader), 0, 0);
            case NF3REG, NF3DIR, NF3LNK -> new MknodArgs(where, type, Sattr3.NOTHING, 0, 0);
        };
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        where.write(writer);
        type.write(writer);
        switch (type) {
            case NF3CHR, NF3BLK -> {
                attributes.write(writer);
                writer.writeInt(deviceMajor);
                writer.writeInt(deviceMinor);
            }
            case NF3SOCK, NF3FIFO -> attributes.write(writer);
            case NF3REG, NF3DIR, NF3LNK -> {
                // RFC 1813 §3.3.11: "default: void"
            }
        }
    }
}
