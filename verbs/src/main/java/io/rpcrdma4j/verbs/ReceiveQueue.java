package io.rpcrdma4j.verbs;

import org.jspecify.annotations.Nullable;

/** Something that takes Receives: a queue pair or a shared receive queue. Any thread may post. */
public interface ReceiveQueue {

    /**
     * Posts a chain of Receives.
     *
     * @return null if the whole chain was posted; else the first request that was <em>not</em>: it and its successors
     *     stay the caller's, and its {@link WorkRequest#postStatus()} says why
     */
    @Nullable
    ReceiveRequest postReceive(ReceiveRequest first);
}
