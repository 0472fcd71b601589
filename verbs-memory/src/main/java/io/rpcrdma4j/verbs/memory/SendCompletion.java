package io.rpcrdma4j.verbs.memory;

/** When a Send or Write completes; all three are correct, and a program must bear each. */
public enum SendCompletion {

    /** When it has left the device, before the peer has seen it: as on iWARP, where TCP holds the bytes. */
    ON_TRANSMIT,

    /** When it was placed at the peer; until then its memory is read: as with an acknowledgement on InfiniBand. */
    ON_DELIVERY,

    /** The fabric's seed decides for each. */
    RANDOM
}
