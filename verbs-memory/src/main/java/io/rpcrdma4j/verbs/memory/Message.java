package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.ConnectionParameters;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Something on the wire from one end of a connection to the other. Guarded by the lock; pooled by {@link Wire}. */
final class Message {

    enum Kind {
        ACCEPT,
        REJECT,
        SEND,
        WRITE,
        READ_REQUEST,
        READ_RESPONSE,
        /** The orderly end. */
        FIN,
        /** The end by a fault; nothing follows. */
        TERMINATE
    }

    Kind kind = Kind.FIN;

    /** The bytes, if they have left the sender's memory; else null, and they are still in {@link #entry}'s. */
    @Nullable
    MemorySegment data;

    /** The sender's request, while its memory is still needed; for a Read and its response the reader's request. */
    @Nullable
    SendEntry entry;

    long length;
    int key;
    long address;
    boolean withInvalidate;
    int invalidateKey;

    /** Of ACCEPT: read limits and private data, from the view of the end that gets it. */
    @Nullable
    ConnectionParameters parameters;

    /** Of TERMINATE and FIN. */
    String reason = "";

    /** Of TERMINATE: a Read of the end that gets it was refused. */
    boolean readRefused;

    /** The fault plan was asked about its arrival. */
    boolean consulted;

    /** The fault plan was asked about the answer to it. */
    boolean answerConsulted;

    void clear() {
        data = null;
        entry = null;
        length = 0;
        withInvalidate = false;
        parameters = null;
        reason = "";
        readRefused = false;
        consulted = false;
        answerConsulted = false;
    }
}
