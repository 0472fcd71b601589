package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.CompletionHandler;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.SendRequest;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An entry of a send queue. Guarded by the lock; used again and again. */
final class SendEntry {

    /** The request; null when the entry is free. */
    @Nullable
    SendRequest request;

    Opcode opcode = Opcode.SEND;
    long id;

    @Nullable
    CompletionHandler handler;

    boolean signaled;
    boolean done;
    boolean consulted;

    /** The bytes of an inline request. */
    @Nullable
    MemorySegment inlined;
}
