package io.rpcrdma4j.rpcrdma.wire;

/** What a Responder does with a received message after {@link TransportHeader#parseCall}. */
public enum CallOutcome {
    /** The header is sound: pull the Read chunks, if any, and dispatch. */
    ACCEPT,
    /** Forget the message: no reply, no effect on credits, the connection stays (RFC 8166 section 4.5). */
    DISCARD,
    /** Answer with RDMA_ERROR / ERR_VERS and the version word of the call (RFC 8166 section 4.5.1). */
    ERR_VERS,
    /** Answer with RDMA_ERROR / ERR_CHUNK (RFC 8166 section 4.5.2); no RDMA Read is posted, the connection stays. */
    ERR_CHUNK
}
