package io.rpcrdma4j.verbs;

/** Why a request was not posted. */
public enum PostStatus {
    /** It was posted. */
    POSTED,
    /** The queue is full ({@code ENOMEM}). */
    QUEUE_FULL,
    /** The queue pair is not in a state that takes it ({@code EINVAL}). */
    INVALID_STATE,
    /** The request can't be right: too many segments, unknown operation for this transport ({@code EINVAL}). */
    INVALID_REQUEST,
    /** The device refused it ({@code EIO}). */
    DEVICE_ERROR
}
