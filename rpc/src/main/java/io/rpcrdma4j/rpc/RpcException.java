package io.rpcrdma4j.rpc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A call failed. {@link #kind()} says who is to blame and whether the call may have been executed. Carries no stack
 * trace of its own: it is made where the failure was noticed, which is never where the call was started.
 */
public final class RpcException extends IOException {
    private static final long serialVersionUID = 1;

    /** What went wrong. */
    public enum Kind {
        /** No connection could be made. The call was not sent. */
        CONNECT_FAILED,
        /** The connection was lost while the call was under way; it may or may not have been executed. */
        TRANSPORT_LOST,
        /** The deadline passed; the call may or may not have been executed, or may yet be. */
        TIMED_OUT,
        /** The caller cancelled; as with a timeout, it may have been executed. */
        CANCELLED,
        /** The transport was closed by its owner. */
        CLOSED,
        /** The server denied the call (MSG_DENIED); see {@link RpcException#rejectStatus()}. Not executed. */
        DENIED,
        /** The server accepted but did not execute the call; see {@link RpcException#acceptStatus()}. */
        NOT_EXECUTED,
        /** The peer answered RDMA_ERROR with ERR_CHUNK (RFC 8166 §4.5.3): permanent, no resend helps. */
        CHUNK_ERROR,
        /** The peer answered RDMA_ERROR with ERR_VERS (RFC 8166 §4.5.1). */
        VERSION_ERROR,
        /** The reply cannot be decoded. The call was executed. */
        GARBAGE_REPLY,
        /** The call could not be encoded or sent for want of a local resource, or is too long. It was not sent. */
        NOT_SENT
    }

    private final Kind kind;
    private final @Nullable AcceptStatus acceptStatus;
    private final @Nullable RejectStatus rejectStatus;
    private final @Nullable AuthStatus authStatus;

    /**
     * Makes a failure of a kind that needs no status.
     *
     * @param kind what went wrong
     * @param message the operation, the address, the fact
     * @param cause what it follows from, or null
     */
    public RpcException(Kind kind, String message, @Nullable Throwable cause) {
        this(kind, message, cause, null, null, null);
    }

    /** Makes a failure without cause. */
    public RpcException(Kind kind, String message) {
        this(kind, message, null);
    }

    private RpcException(
            Kind kind,
            String message,
            @Nullable Throwable cause,
            @Nullable AcceptStatus acceptStatus,
            @Nullable RejectStatus rejectStatus,
            @Nullable AuthStatus authStatus) {
        super(message, cause);
        this.kind = kind;
        this.acceptStatus = acceptStatus;
        this.rejectStatus = rejectStatus;
        this.authStatus = authStatus;
    }

    static RpcException notExecuted(AcceptStatus status) {
        return new RpcException(Kind.NOT_EXECUTED, "the server answered " + status, null, status, null, null);
    }

    static RpcException programMismatch(long low, long high) {
        String message = "the server answered PROG_MISMATCH: it has versions " + low + " to " + high;
        return new RpcException(Kind.NOT_EXECUTED, message, null, AcceptStatus.PROG_MISMATCH, null, null);
    }

    static RpcException rpcMismatch(long low, long high) {
        String message = "the server answered RPC_MISMATCH: it has RPC versions " + low + " to " + high;
        return new RpcException(Kind.DENIED, message, null, null, RejectStatus.RPC_MISMATCH, null);
    }

    static RpcException authError(int number) {
        AuthStatus status = AuthStatus.of(number);
        String name = status == null ? "auth_stat " + Integer.toUnsignedString(number) : status.toString();
        String message = "the server denied the call: " + name;
        return new RpcException(Kind.DENIED, message, null, null, RejectStatus.AUTH_ERROR, status);
    }

    /** What went wrong. */
    public Kind kind() {
        return kind;
    }

    /** The server's status if {@link #kind()} is {@link Kind#NOT_EXECUTED}, else null. */
    public @Nullable AcceptStatus acceptStatus() {
        return acceptStatus;
    }

    /** The server's status if {@link #kind()} is {@link Kind#DENIED}, else null. */
    public @Nullable RejectStatus rejectStatus() {
        return rejectStatus;
    }

    /** The reason of an AUTH_ERROR, or null if it was none or its number is unknown. */
    public @Nullable AuthStatus authStatus() {
        return authStatus;
    }

    /** Returns this: a stack trace would name the transport's thread, not the caller. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
