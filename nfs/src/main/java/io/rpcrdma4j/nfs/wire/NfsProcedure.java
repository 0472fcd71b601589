package io.rpcrdma4j.nfs.wire;

import org.jspecify.annotations.Nullable;

/** The procedures of NFS version 3 (RFC 1813 §3.3). */
public enum NfsProcedure {
    /** Does nothing. */
    NULL(0),
    /** Gets attributes. */
    GETATTR(1),
    /** Sets attributes. */
    SETATTR(2),
    /** Looks a name up in a directory. */
    LOOKUP(3),
    /** Asks which accesses would be granted. */
    ACCESS(4),
    /** Reads the text of a symbolic link. */
    READLINK(5),
    /** Reads from a file. */
    READ(6),
    /** Writes to a file. */
    WRITE(7),
    /** Creates a regular file. */
    CREATE(8),
    /** Creates a directory. */
    MKDIR(9),
    /** Creates a symbolic link. */
    SYMLINK(10),
    /** Creates a special file. */
    MKNOD(11),
    /** Removes a name of a file. */
    REMOVE(12),
    /** Removes a directory. */
    RMDIR(13),
    /** Renames a file or directory. */
    RENAME(14),
    /** Gives a file another name. */
    LINK(15),
    /** Lists a directory. */
    READDIR(16),
    /** Lists a directory, with attributes and handles. */
    READDIRPLUS(17),
    /** Gets the figures of a file system that change. */
    FSSTAT(18),
    /** Gets the figures of a file system that do not. */
    FSINFO(19),
    /** Gets POSIX limits. */
    PATHCONF(20),
    /** Brings data that was written to stable storage. */
    COMMIT(21);

    private static final NfsProcedure[] VALUES = values();

    private final int number;

    NfsProcedure(int number) {
        this.number = number;
    }

    /** The procedure's number on the wire. */
    public int number() {
        return number;
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
