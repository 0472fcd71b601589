package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** What kind of object it is ({@code ftype3}, RFC 1813 §2.5). */
public enum FileType {
    /** A regular file. */
    NF3REG(1),
    /** A directory. */
    NF3DIR(2),
    /** A block device. */
    NF3BLK(3),
    /** A character device. */
    NF3CHR(4),
    /** A symbolic link. */
    NF3LNK(5),
    /** A socket. */
    NF3SOCK(6),
    /** A named pipe. */
    NF3FIFO(7);

    private static final FileType[] VALUES = values();

    private final int number;

    FileType(int number) {
        this.number = number;
    }

    /** The 32-bit word on the wire. */
    public int number() {
        return number;
    }

    /**
     * Reads a type.
     *
     * @throws XdrException if RFC 1813 does not define the value
     */
    public static FileType read(XdrReader reader) throws XdrException {
        int number = reader.readInt();
        if (number < 1 || number > VALUES.length) {
            throw XdrException.badValue("a file type", number);
        }
        return VALUES[number - 1];
    }

    /** Writes the type. */
    public void write(XdrWriter writer) {
        writer.writeInt(number);
    }
}
