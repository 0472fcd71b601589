package io.rpcrdma4j.verbs;

/** How a work request ended; the codes are those of {@code enum ibv_wc_status}. */
public enum CompletionStatus {
    /** Done. */
    SUCCESS(0),
    /** The message was longer than the Receive, or a request longer than allowed. */
    LOCAL_LENGTH_ERROR(1),
    /** The request was inconsistent. */
    LOCAL_QP_OPERATION_ERROR(2),
    /** A local segment lies outside of its region, has the wrong rights or belongs to another protection domain. */
    LOCAL_PROTECTION_ERROR(4),
    /** The queue pair was in, or went to, the error state before the request was done. */
    FLUSHED(5),
    /** A memory window could not be bound. */
    WINDOW_BIND_ERROR(6),
    /** The peer answered something that was not asked. */
    BAD_RESPONSE(7),
    /** Local access error while receiving. */
    LOCAL_ACCESS_ERROR(8),
    /** The peer rejected the request as invalid. */
    REMOTE_INVALID_REQUEST(9),
    /** The peer's memory may not be used this way. */
    REMOTE_ACCESS_ERROR(10),
    /** The peer could not do it. */
    REMOTE_OPERATION_ERROR(11),
    /** The peer no longer answers. */
    RETRY_EXCEEDED(12),
    /** The peer had no Receive posted, however often it was asked. */
    RNR_RETRY_EXCEEDED(13),
    /** The peer ended the operation. */
    REMOTE_ABORTED(16),
    /** The device failed. */
    FATAL_ERROR(19),
    /** No answer in time. */
    RESPONSE_TIMEOUT(20),
    /** Anything else. */
    GENERAL_ERROR(21);

    private final int code;

    CompletionStatus(int code) {
        this.code = code;
    }

    /** The value of {@code enum ibv_wc_status}. */
    public int code() {
        return code;
    }
}
