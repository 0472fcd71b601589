package io.rpcrdma4j.nfs.wire;

import org.jspecify.annotations.Nullable;

/** The procedures of NFS version 3 (RFC 1813 §3.3). */
public enum NfsProcedure {
    /** Does nothing. */
    NULL,
    /** Gets attributes. */
    GETATTR,
    /** Sets attributes. */
    SETATTR,
    /** Looks a name up in a directory. */
    LOOKUP,
    /** Asks which accesses would be granted. */
    ACCESS,
    /** Reads the text of a symbolic link. */
    READLINK,
    /** Reads from a file. */
    READ,
    /** Writes to a file. */
    WRITE,
    /** Creates a regular file. */
    CREATE,
    /** Creates a directory. */
    MKDIR,
    /** Creates a symbolic link. */
    SYMLINK,
    /** Creates a special file. */
    MKNOD,
    /** Removes a name of a file. */
    REMOVE,
    /** Removes a directory. */
    RMDIR,
    /** Renames a file or directory. */
    RENAME,
    /** Gives a file another name. */
    LINK,
    /** Lists a directory. */
    READDIR,
    /** Lists a directory, with attributes and handles. */
    READDIRPLUS,
    /** Gets the figures of a file system that change. */
    FSSTAT,
    /** Gets the figures of a file system that do not. */
    FSINFO,
    /** Gets POSIX limits. */
    PATHCONF,
    /** Brings data that was written to stable storage. */
    COMMIT;

    private static final NfsProcedure[] VALUES = values();

    /** The procedure's number on the wire. */
    public int number() {
        return ordinal();
    }

    /** The procedure with this number, or null if there is none. */
    public static @Nullable NfsProcedure of(int number) {
        return number >= 0 && number < VALUES.length ? VALUES[number] : null;
    }

    /** Whether doing it twice could have another outcome than doing it once. */
    public boolean isNonIdempotent() {
        return switch (this) {
            case SETATTR, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME, LINK -> true;
            case NULL,
                    GETATTR,
                    LOOKUP,
                    ACCESS,
                    READLINK,
                    READ,
                    WRITE,
                    READDIR,
                    READDIRPLUS,
                    FSSTAT,
                    FSINFO,
                    PATHCONF,
                    COMMIT -> false;
        };
    }
}
