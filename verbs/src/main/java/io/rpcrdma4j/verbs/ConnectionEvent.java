package io.rpcrdma4j.verbs;

import java.io.IOException;

/** What happens to a {@link Connection}. */
public sealed interface ConnectionEvent {

    /**
     * Both sides agreed; Sends may be posted. The parameters are the peer's private data and the read limits that hold.
     */
    record Established(ConnectionParameters parameters) implements ConnectionEvent {}

    /** The peer refused. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Rejected(byte[] privateData) implements ConnectionEvent {}

    /** No connection came about: unreachable, refused, timed out, or the peer broke the protocol. */
    record Failed(IOException cause) implements ConnectionEvent {}

    /**
     * The connection is over.
     *
     * @param orderly whether it was ended by a disconnect of either side rather than by a fault
     * @param reason in plain words, for the log
     */
    record Disconnected(boolean orderly, String reason) implements ConnectionEvent {}
}
