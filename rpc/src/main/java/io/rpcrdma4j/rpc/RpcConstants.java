package io.rpcrdma4j.rpc;

/** Numbers of RFC 5531 that more than one class needs. */
public final class RpcConstants {
    /** The version of the RPC protocol (RFC 5531 §9, {@code rpcvers}). */
    public static final int RPC_VERSION = 2;

    /** {@code msg_type}: a call. */
    public static final int CALL = 0;

    /** {@code msg_type}: a reply. */
    public static final int REPLY = 1;

    /** {@code reply_stat}: the call was accepted. */
    public static final int MSG_ACCEPTED = 0;

    /** {@code reply_stat}: the call was denied. */
    public static final int MSG_DENIED = 1;

    /** Auth flavor AUTH_NONE (RFC 5531 §10.1). */
    public static final int AUTH_NONE = 0;

    /** Auth flavor AUTH_SYS (RFC 5531, appendix A). */
    public static final int AUTH_SYS = 1;

    /** Auth flavor AUTH_SHORT (RFC 5531, appendix A). */
    public static final int AUTH_SHORT = 2;

    /** Auth flavor RPCSEC_GSS (RFC 2203). */
    public static final int RPCSEC_GSS = 6;

    /** Most bytes of a credential's or a verifier's body (RFC 5531 §8.2). */
    public static final int AUTH_BODY_BYTES_MAX = 400;

    /** Length in bytes of an accepted reply's header with a verifier of AUTH_NONE. */
    public static final int REPLY_HEADER_BYTES = 24;

    private RpcConstants() {}
}
