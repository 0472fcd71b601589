package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** How a procedure ended ({@code nfsstat3}, RFC 1813 §2.6). */
public enum NfsStatus {
    /** It succeeded. */
    NFS3_OK(0),
    /** Not the owner. */
    NFS3ERR_PERM(1),
    /** No such file or directory. */
    NFS3ERR_NOENT(2),
    /** A hard error of the storage. */
    NFS3ERR_IO(5),
    /** No such device. */
    NFS3ERR_NXIO(6),
    /** The caller lacks the permission. */
    NFS3ERR_ACCES(13),
    /** The file exists. */
    NFS3ERR_EXIST(17),
    /** A hard link across file systems. */
    NFS3ERR_XDEV(18),
    /** No such device. */
    NFS3ERR_NODEV(19),
    /** Not a directory. */
    NFS3ERR_NOTDIR(20),
    /** A directory, where none may be. */
    NFS3ERR_ISDIR(21),
    /** An invalid or unsupported argument. */
    NFS3ERR_INVAL(22),
    /** The file would become too large. */
    NFS3ERR_FBIG(27),
    /** No space left. */
    NFS3ERR_NOSPC(28),
    /** A read-only file system. */
    NFS3ERR_ROFS(30),
    /** Too many hard links. */
    NFS3ERR_MLINK(31),
    /** The name is too long. */
    NFS3ERR_NAMETOOLONG(63),
    /** The directory is not empty. */
    NFS3ERR_NOTEMPTY(66),
    /** The quota is exhausted. */
    NFS3ERR_DQUOT(69),
    /** The file that the handle refers to is gone. */
    NFS3ERR_STALE(70),
    /** Too many levels of remote path. */
    NFS3ERR_REMOTE(71),
    /** The handle is malformed, or was not issued by this server. */
    NFS3ERR_BADHANDLE(10_001),
    /** The file changed since the time that the caller gave as guard. */
    NFS3ERR_NOT_SYNC(10_002),
    /** The cookie of a listing is not valid any more. */
    NFS3ERR_BAD_COOKIE(10_003),
    /** The operation is not supported. */
    NFS3ERR_NOTSUPP(10_004),
    /** A buffer or a request is too small. */
    NFS3ERR_TOOSMALL(10_005),
    /** The server failed in a way that no other status describes. */
    NFS3ERR_SERVERFAULT(10_006),
    /** A type of object that the server does not support. */
    NFS3ERR_BADTYPE(10_007),
    /** The server needs longer; try again later with a new transaction id. */
    NFS3ERR_JUKEBOX(10_008);

    private static final int FIRST_LARGE = 10_001;
    private static final NfsStatus[] SMALL = new NfsStatus[72];
    private static final NfsStatus[] LARGE = new NfsStatus[8];

    static {
        for (NfsStatus status : values()) {
            if (status.number < FIRST_LARGE) {
                SMALL[status.number] = status;
            } else {
                LARGE[status.number - FIRST_LARGE] = status;
            }
        }
    }

    private final int number;

    NfsStatus(int number) {
        this.number = number;
    }

    /** The 32-bit word on the wire. */
    public int number() {
        return number;
    }

    /** Whether the procedure succeeded. */
    public boolean isOk() {
        return this == NFS3_OK;
    }

    /**
     * Reads a status.
     *
     * @throws XdrException if RFC 1813 does not define the value
     */
    public static NfsStatus read(XdrReader reader) throws XdrException {
        int number = reader.readInt();
        NfsStatus status = null;
        if (number >= 0 && number < SMALL.length) {
            status = SMALL[number];
        } else if (number >= FIRST_LARGE && number < FIRST_LARGE + LARGE.length) {
            status = LARGE[number - FIRST_LARGE];
        }
        if (status == null) {
            throw XdrException.badValue("an NFS status", number);
        }
        return status;
    }

    /** Writes the status. */
    public void write(XdrWriter writer) {
        writer.writeInt(number);
    }
}
