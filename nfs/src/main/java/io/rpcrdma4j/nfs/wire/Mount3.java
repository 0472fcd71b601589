package io.rpcrdma4j.nfs.wire;

/** Numbers of the MOUNT protocol, version 3 (RFC 1813 §5.1). */
public final class Mount3 {
    /** Program number of MOUNT. */
    public static final int PROGRAM = 100_005;

    /** The version that goes with NFS version 3. */
    public static final int VERSION = 3;

    /** Does nothing. */
    public static final int NULL = 0;

    /** Gets the handle of a directory (RFC 1813 §5.2.1). */
    public static final int MNT = 1;

    /** Lists who has mounted what (RFC 1813 §5.2.2). */
    public static final int DUMP = 2;

    /** Says that a directory is no longer mounted (RFC 1813 §5.2.3). */
    public static final int UMNT = 3;

    /** Says that the caller has nothing mounted any more (RFC 1813 §5.2.4). */
    public static final int UMNTALL = 4;

    /** Lists what is exported (RFC 1813 §5.2.5). */
    public static final int EXPORT = 5;

    /** Most bytes of a directory's path ({@code MNTPATHLEN}). */
    public static final int PATH_BYTES_MAX = 1_024;

    /** Most bytes of a name of a machine or group ({@code MNTNAMLEN}). */
    public static final int NAME_BYTES_MAX = 255;

    private Mount3() {}
}
