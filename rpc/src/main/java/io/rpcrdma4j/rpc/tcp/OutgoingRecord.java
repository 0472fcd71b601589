package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.xdr.XdrBuffer;

/** A message that is to be sent as a record. */
interface OutgoingRecord {
    /** Room in bytes that the message's head must have in front of it, for the fragment header. */
    int MARK_BYTES = 4;

    /** The message; the same and unchanged until it is written or dropped. */
    XdrBuffer message();

    /** All of it was handed to the socket. */
    void onWritten();

    /** It was not, or not wholly, and will not be. */
    void onDropped();
}
