package io.rpcrdma4j.verbs;

/**
 * Rights on registered memory: bits of an {@code int}, with the values of {@code enum ibv_access_flags}. Reading by the
 * local device is always allowed.
 */
public final class Access {

    /** The local device may write: needed for Receives and, except on iWARP, enough for the sink of an RDMA Read. */
    public static final int LOCAL_WRITE = 1;

    /** The peer may write. Requires {@link #LOCAL_WRITE}. On iWARP also needed for the sink of an RDMA Read. */
    public static final int REMOTE_WRITE = 1 << 1;

    /** The peer may read. */
    public static final int REMOTE_READ = 1 << 2;

    private static final int ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ;

    private Access() {}

    /**
     * Checks a set of rights.
     *
     * @return {@code access}
     * @throws IllegalArgumentException if a bit is unknown or {@link #REMOTE_WRITE} comes without {@link #LOCAL_WRITE}
     */
    public static int check(int access) {
        if ((access & ~ALL) != 0) {
            throw new IllegalArgumentException("unknown access bits 0x" + Integer.toHexString(access & ~ALL));
        }
        if ((access & REMOTE_WRITE) != 0 && (access & LOCAL_WRITE) == 0) {
            throw new IllegalArgumentException("REMOTE_WRITE requires LOCAL_WRITE");
        }
        return access;
    }
}
