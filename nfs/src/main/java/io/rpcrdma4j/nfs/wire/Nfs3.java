package io.rpcrdma4j.nfs.wire;

/** Numbers of NFS version 3 (RFC 1813 §2.3, §3.3). */
public final class Nfs3 {
    /** Program number of NFS. */
    public static final int PROGRAM = 100_003;

    /** The version of the protocol. */
    public static final int VERSION = 3;

    /** Most bytes of a file handle ({@code NFS3_FHSIZE}). */
    public static final int HANDLE_BYTES_MAX = 64;

    /**
     * Most bytes of a name that is read. RFC 1813 sets no bound; a server answers NFS3ERR_NAMETOOLONG to what its file
     * system does not take, and a name longer than this one is malformed.
     */
    public static final int NAME_BYTES_MAX = 4_096;

    /** Most bytes of a symbolic link's text that is read; file systems take no more than 4,096. */
    public static final int PATH_BYTES_MAX = 8_192;

    /** Length in bytes of an encoded {@code fattr3}. */
    public static final int FATTR_BYTES = 84;

    /** ACCESS: read data, or list a directory (RFC 1813 §3.3.4). */
    public static final int ACCESS3_READ = 0x0001;

    /** ACCESS: look up a name in a directory. */
    public static final int ACCESS3_LOOKUP = 0x0002;

    /** ACCESS: rewrite existing data or entries. */
    public static final int ACCESS3_MODIFY = 0x0004;

    /** ACCESS: write new data or add entries. */
    public static final int ACCESS3_EXTEND = 0x0008;

    /** ACCESS: delete an entry of a directory. */
    public static final int ACCESS3_DELETE = 0x0010;

    /** ACCESS: execute a file. */
    public static final int ACCESS3_EXECUTE = 0x0020;

    /** FSINFO: hard links are supported (RFC 1813 §3.3.19). */
    public static final int FSF3_LINK = 0x0001;

    /** FSINFO: symbolic links are supported. */
    public static final int FSF3_SYMLINK = 0x0002;

    /** FSINFO: PATHCONF is the same for every file. */
    public static final int FSF3_HOMOGENEOUS = 0x0008;

    /** FSINFO: SETATTR sets times with the server's resolution. */
    public static final int FSF3_CANSETTIME = 0x0010;

    private Nfs3() {}
}
