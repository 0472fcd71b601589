package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.IOException;

/**
 * The server did what was asked of it and says that it failed. The text has the file, the status, and what it means.
 */
public final class NfsException extends IOException {
    private static final long serialVersionUID = 1;

    private final NfsStatus status;

    /**
     * Makes one.
     *
     * @param where the file, or the procedure if no file is known
     * @param status not {@link NfsStatus#NFS3_OK}
     */
    public NfsException(String where, NfsStatus status) {
        super(where + ": " + status + " " + words(status));
        this.status = status;
    }

    /** What the server answered. */
    public NfsStatus status() {
        return status;
    }

    /** The same failure, of a file that is named. */
    NfsException at(String where) {
        NfsException named = new NfsException(where, status);
        named.initCause(this);
        return named;
    }

    /** What a status means, in a few plain words. */
    static String words(NfsStatus status) {
        return switch (status) {
            case NFS3_OK -> "no error";
            case NFS3ERR_PERM -> "not permitted";
            case NFS3ERR_NOENT -> "no such file or directory";
            case NFS3ERR_IO -> "the server's storage failed";
            case NFS3ERR_NXIO, NFS3ERR_NODEV -> "no such device";
            case NFS3ERR_ACCES -> "permission denied";
            case NFS3ERR_EXIST -> "exists already";
            case NFS3ERR_XDEV -> "source and target are on different file systems";
            case NFS3ERR_NOTDIR -> "not a directory";
            case NFS3ERR_ISDIR -> "is a directory";
            case NFS3ERR_INVAL -> "invalid argument, or not a kind of file that can do this";
            case NFS3ERR_FBIG -> "too large for the server's file system";
            case NFS3ERR_NOSPC -> "no space left on the server";
            case NFS3ERR_ROFS -> "the export is read-only";
            case NFS3ERR_MLINK -> "too many hard links";
            case NFS3ERR_NAMETOOLONG -> "the name is too long for the server";
            case NFS3ERR_NOTEMPTY -> "the directory is not empty";
            case NFS3ERR_DQUOT -> "the quota is exhausted";
            case NFS3ERR_STALE -> "the file was removed, or is not exported any more";
            case NFS3ERR_REMOTE -> "too many levels of remote path";
            case NFS3ERR_BADHANDLE -> "the server does not know this file handle";
            case NFS3ERR_NOT_SYNC -> "the file was changed meanwhile";
            case NFS3ERR_BAD_COOKIE -> "the directory was changed while it was listed";
            case NFS3ERR_NOTSUPP -> "the server does not support this";
            case NFS3ERR_TOOSMALL -> "the request is too small for the server";
            case NFS3ERR_SERVERFAULT -> "the server failed";
            case NFS3ERR_BADTYPE -> "the server does not support this type of file";
            case NFS3ERR_JUKEBOX -> "the server is busy and asks to try later";
        };
    }
}
