package io.rpcrdma4j.verbs;

import org.jspecify.annotations.Nullable;

/**
 * How a queue pair is to be made.
 *
 * @param protectionDomain the domain of all memory that it uses
 * @param sendQueue where send-queue completions are reported
 * @param receiveQueue where Receives are reported; may be the same queue
 * @param sharedReceives the shared receive queue, or null for one of its own
 * @param sendDepth send-queue entries
 * @param receiveDepth receive-queue entries; ignored with {@code sharedReceives}
 * @param sendSegmentsMax most segments of a send-queue request
 * @param receiveSegmentsMax most segments of a Receive
 * @param allSignaled whether every success is reported, whatever the request says
 */
public record QueuePairOptions(
        ProtectionDomain protectionDomain,
        CompletionQueue sendQueue,
        CompletionQueue receiveQueue,
        @Nullable SharedReceiveQueue sharedReceives,
        int sendDepth,
        int receiveDepth,
        int sendSegmentsMax,
        int receiveSegmentsMax,
        boolean allSignaled) {}
