package io.rpcrdma4j.verbs;

/** What a send-queue request does, or what a completion is of. */
public enum Opcode {
    /** Message into a Receive of the peer. */
    SEND,
    /** The same, and the peer's device invalidates one of the peer's keys before it reports the Receive. */
    SEND_WITH_INVALIDATE,
    /** Local memory into memory of the peer. */
    RDMA_WRITE,
    /** Memory of the peer into local memory. */
    RDMA_READ,
    /** Ends the exposure of a bound {@link MemoryWindow} in send-queue order. */
    LOCAL_INVALIDATE,
    /** Completion of a Receive; not a request. */
    RECEIVE
}
