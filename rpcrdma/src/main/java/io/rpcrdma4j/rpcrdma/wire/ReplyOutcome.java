package io.rpcrdma4j.rpcrdma.wire;

/** What a Requester does with a received message after {@link TransportHeader#parseReply}. */
public enum ReplyOutcome {
    /**
     * The header is sound: match {@link TransportHeader#xid()} with a pending call. The message may be an RDMA_ERROR,
     * which completes that call with a failure.
     */
    ACCEPT,
    /** Forget the message; its credit word does not count (RFC 8166 section 4.5). */
    DISCARD,
    /**
     * The header is well formed and its XID can be trusted, but no RPC reply can come out of it: the call with this XID
     * fails for good instead of waiting for its deadline. The credit word counts.
     */
    FAIL_CALL
}
