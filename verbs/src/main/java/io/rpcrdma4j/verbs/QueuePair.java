package io.rpcrdma4j.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The two work queues of a reliable connection.
 *
 * <h2>Operation</h2>
 *
 * Receives may be posted from the start, Sends once the connection is established. Requests of the send queue start in
 * order; a Write posted before a Send is visible to the peer when the peer's Receive completes. A request that depends
 * on the data of an earlier RDMA Read must be fenced or wait for its completion.
 *
 * <h2>Buffer ownership</h2>
 *
 * A successful post gives request and memory to the device; the completion gives them back, exactly once. Success of an
 * unsignalled request is not reported: a later reported completion of the same queue covers it. Send-queue entries are
 * free again only when the completion that covers them has been polled.
 *
 * <h2>Threading</h2>
 *
 * Any thread may post, several at once; a chain is not interleaved with others. A completion may be reported inside the
 * post.
 *
 * <h2>Errors</h2>
 *
 * The first failing request completes with the real status; the queue pair is then in {@link QueuePairState#ERROR}, and
 * everything else, also what is posted later, completes as {@link CompletionStatus#FLUSHED} in posting order per queue.
 */
public interface QueuePair extends ReceiveQueue, AutoCloseable {

    /** A number that names it in logs and events, unique within the device. */
    int number();

    QueuePairState state();

    /** What was granted: depths and segment limits may be larger than asked. */
    QueuePairOptions options();

    /**
     * Posts a chain to the send queue.
     *
     * @return null if the whole chain was posted; else the first request that was <em>not</em>: it and its successors
     *     stay the caller's, its {@link WorkRequest#postStatus()} says why, and all before it are posted and will
     *     complete
     */
    @Nullable
    SendRequest postSend(SendRequest first);

    /** Moves to {@link QueuePairState#ERROR}: all work is flushed and the connection torn down. Idempotent. */
    void toError();

    /**
     * Frees the queue pair, after {@link #toError()} if need be. Work not yet polled is given up: a program that needs
     * its buffers back drains first, by waiting for the completions of what it posted.
     */
    @Override
    void close();
}
