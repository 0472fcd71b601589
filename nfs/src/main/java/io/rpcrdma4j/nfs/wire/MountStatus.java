package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** How MNT ended ({@code mountstat3}, RFC 1813 §5.1.5). */
public enum MountStatus {
    /** It succeeded. */
    MNT3_OK(0),
    /** Not the owner. */
    MNT3ERR_PERM(1),
    /** No such directory. */
    MNT3ERR_NOENT(2),
    /** A hard error of the storage. */
    MNT3ERR_IO(5),
    /** The caller lacks the permission. */
    MNT3ERR_ACCES(13),
    /** Not a directory. */
    MNT3ERR_NOTDIR(20),
    /** An invalid argument. */
    MNT3ERR_INVAL(22),
    /** The path is too long. */
    MNT3ERR_NAMETOOLONG(63),
    /** The operation is not supported. */
    MNT3ERR_NOTSUPP(10_004),
    /** The server failed in a way that no other status describes. */
    MNT3ERR_SERVERFAULT(10_006);

    private static final MountStatus[] VALUES = values();

    private final int number;

    MountStatus(int number) {
        this.number = number;
    }

    /** The 32-bit word on the wire. */
    public int number() {
        return number;
    }

    /** Whether it succeeded. */
    public boolean isOk() {
        return this == MNT3_OK;
    }

    /**
     * Reads a status.
     *
     * @throws XdrException if RFC 1813 does not define the value
     */
    public static MountStatus read(XdrReader reader) throws XdrException {
        int number = reader.readInt();
        for (MountStatus status : VALUES) {
            if (status.number == number) {
                return status;
            }
        }
        throw XdrException.badValue("a MOUNT status", number);
    }

    /** Writes the status. */
    public void write(XdrWriter writer) {
        writer.writeInt(number);
    }
}
