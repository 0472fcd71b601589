package io.rpcrdma4j.verbs.memory;

/** The moments at which a {@link FaultPlan} is asked. {@link Fault.RemoveDevice} fits everywhere but at COMPLETE. */
public enum FaultPoint {

    /** A request of a chain is about to enter the send queue: Refuse, Flush, Disconnect, Drop. */
    POST_SEND,

    /**
     * A Receive of a chain is about to enter its queue: Refuse; on a queue pair's own queue also Flush, Disconnect,
     * Drop.
     */
    POST_RECEIVE,

    /** A send-queue request is about to start: Fail, Flush, Disconnect, Drop, Delay. */
    TRANSMIT,

    /** A message is about to arrive; the site is the receiving end: Flush, Disconnect, Drop, Delay. */
    DELIVER,

    /**
     * An RDMA Read is about to be answered; the site is the end whose memory is read: Fail (the Read is refused as a
     * remote access error, whatever the status), Flush, Disconnect, Drop, Delay.
     */
    READ_RESPONSE,

    /** A completion is about to appear on its queue: Delay. */
    COMPLETE,

    /** Memory is about to be registered: Unavailable. */
    REGISTER,

    /** A window is about to be made: Unavailable. */
    ALLOCATE_WINDOW,

    /** A window is about to be bound: Unavailable. */
    BIND_WINDOW,

    /** A protection domain is about to be made: Unavailable. */
    ALLOCATE_DOMAIN,

    /** A completion queue is about to be made; the amount is its depth: Unavailable. */
    CREATE_COMPLETION_QUEUE,

    /** A shared receive queue is about to be made; the amount is its depth: Unavailable. */
    CREATE_SHARED_RECEIVE_QUEUE,

    /** A queue pair is about to be made; the amount is the larger depth: Unavailable. */
    CREATE_QUEUE_PAIR,

    /** A listener is about to be made: Unavailable. */
    LISTEN,

    /** A connect request is on its way: Unavailable (a Failed event), Delay. */
    CONNECT,

    /** A connect request is about to be accepted: Unavailable. */
    ACCEPT;

    /** Whether a fault can happen here. */
    public boolean accepts(Fault fault) {
        return switch (fault) {
            case Fault.Refuse _ -> this == POST_SEND || this == POST_RECEIVE;
            case Fault.Fail _ -> this == TRANSMIT || this == READ_RESPONSE;
            case Fault.Flush _ -> isOnQueuePair();
            case Fault.Disconnect _ -> isOnQueuePair();
            case Fault.Drop _ -> isOnQueuePair();
            case Fault.Delay _ ->
                this == TRANSMIT || this == DELIVER || this == READ_RESPONSE || this == COMPLETE || this == CONNECT;
            case Fault.Unavailable _ -> compareTo(REGISTER) >= 0;
            case Fault.RemoveDevice _ -> this != COMPLETE;
        };
    }

    private boolean isOnQueuePair() {
        return compareTo(READ_RESPONSE) <= 0;
    }
}
