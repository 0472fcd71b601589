package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * Where a stream reports finished work. Called by the stream's owner, in posting order of each queue; it must only
 * record.
 */
public interface CompletionSink {

    /**
     * A send-queue request is done; it is the application's again.
     *
     * @param bytes of an RDMA Read
     * @param entries send-queue entries that are free when this completion has been polled
     */
    void sendCompleted(SendRequest request, CompletionStatus status, int bytes, int entries, @Nullable String detail);

    /**
     * A Receive is done; it is the application's again.
     *
     * @param bytes of the message
     * @param isInvalidated whether the message invalidated {@code invalidatedKey}
     */
    void receiveCompleted(
            ReceiveRequest request,
            CompletionStatus status,
            int bytes,
            boolean isInvalidated,
            int invalidatedKey,
            @Nullable String detail);
}
