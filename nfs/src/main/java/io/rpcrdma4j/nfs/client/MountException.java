package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.MountStatus;
import java.io.IOException;

/** The server does not let a directory be mounted. The text has the directory, the status, and what it means. */
public final class MountException extends IOException {
    private static final long serialVersionUID = 1;

    private final MountStatus status;

    MountException(String where, MountStatus status) {
        super(where + ": " + status + " " + words(status));
        this.status = status;
    }

    /** What the server answered. */
    public MountStatus status() {
        return status;
    }

    private static String words(MountStatus status) {
        return switch (status) {
            case MNT3_OK -> "no error";
            case MNT3ERR_PERM, MNT3ERR_ACCES -> "the server does not let this machine mount it";
            case MNT3ERR_NOENT -> "no such directory on the server";
            case MNT3ERR_IO -> "the server's storage failed";
            case MNT3ERR_NOTDIR -> "not a directory";
            case MNT3ERR_INVAL -> "the server does not understand the path";
            case MNT3ERR_NAMETOOLONG -> "the path is too long for the server";
            case MNT3ERR_NOTSUPP -> "the server does not support this";
            case MNT3ERR_SERVERFAULT -> "the server failed";
        };
    }
}
