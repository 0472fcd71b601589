package io.rpcrdma4j.verbs;

/** Why a request was not posted. */
public enum PostStatus {
    /** It was posted. */
    POSTED(0),
    /** The queue is full ({@code ENOMEM}). */
    QUEUE_FULL(12),
    /** The queue pair is not in a state that takes it ({@code ENOTCONN}). */
    INVALID_STATE(107),
    /** The request can't be right: too many segments, unknown operation for this transport ({@code EINVAL}). */
    INVALID_REQUEST(22),
    /** The device refused it ({@code EIO}). */
    DEVICE_ERROR(5);

    private final int errno;

    PostStatus(int errno) {
        this.errno = errno;
    }

    /** The error number that libibverbs would give, positive; 0 for {@link #POSTED}. */
    public int errno() {
        return errno;
    }
}
