package io.rpcrdma4j.rpcrdma.wire;

/** The {@code rdma_proc} word of a transport header (RFC 8166 section 4.2.4). */
public enum MessageType {
    /** The RPC message follows the header inline, apart from the items that travel in chunks. */
    RDMA_MSG(0),
    /** No inline RPC message: a Long Call in its position-zero Read chunk, or a Long Reply in its Reply chunk. */
    RDMA_NOMSG(1),
    /** Padded inline message; forbidden by RFC 8166 section 4.2.4. */
    RDMA_MSGP(2),
    /** Read-complete notice; forbidden by RFC 8166 section 4.2.4, discarded when it arrives. */
    RDMA_DONE(3),
    /** A transport error: {@link TransportHeader#errorCode()} says which. */
    RDMA_ERROR(4),
    /** Any other value; {@link TransportHeader#typeCode()} has it. */
    UNKNOWN(-1);

    private static final MessageType[] BY_CODE = {RDMA_MSG, RDMA_NOMSG, RDMA_MSGP, RDMA_DONE, RDMA_ERROR};

    private final int code;

    MessageType(int code) {
        this.code = code;
    }

    /** The value on the wire; -1 for {@link #UNKNOWN}, which has none. */
    public int code() {
        return code;
    }

    /**
     * The constant for a wire value.
     *
     * @param code unsigned 32-bit value
     * @return the constant, {@link #UNKNOWN} where RFC 8166 names none
     */
    public static MessageType of(long code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[(int) code] : UNKNOWN;
    }
}
