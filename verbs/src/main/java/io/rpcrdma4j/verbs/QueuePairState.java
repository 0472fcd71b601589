package io.rpcrdma4j.verbs;

/** The states of a queue pair that a program can see. */
public enum QueuePairState {
    /** Receives may be posted, Sends not yet. */
    INIT,
    /** Ready to send: connected. */
    RTS,
    /** Everything posted, before or from now on, completes as {@link CompletionStatus#FLUSHED}. */
    ERROR
}
