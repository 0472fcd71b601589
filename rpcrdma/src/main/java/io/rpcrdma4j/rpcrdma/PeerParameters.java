package io.rpcrdma4j.rpcrdma;

/** Numbers that both ends of an RPC-over-RDMA connection take for granted. */
final class PeerParameters {

    /** The inline threshold of a peer that announces none (RFC 8166 section 3.3.3). */
    static final int DEFAULT_INLINE_BYTES = 1024;

    /** Receives kept for messages of the reverse direction (RFC 8167). */
    static final int REVERSE_CREDITS = 2;

    /** Most segments of a Send or Write: header, and what is gathered behind it. */
    static final int SEND_SEGMENTS = 16;

    private PeerParameters() {}
}
