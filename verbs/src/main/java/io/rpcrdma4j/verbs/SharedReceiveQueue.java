package io.rpcrdma4j.verbs;

/**
 * Receives shared by several queue pairs of one protection domain. Each arriving message takes the oldest one; its
 * completion is reported to the receive completion queue of the queue pair that it arrived on.
 */
public interface SharedReceiveQueue extends ReceiveQueue, AutoCloseable {

    /** How many Receives can be posted at a time. */
    int depth();

    /** How many are posted now. */
    int posted();

    /** Asks for one call of {@code listener} when fewer than {@code limit} Receives are posted. */
    void armLimit(int limit, Runnable listener);

    /**
     * Frees the queue; Receives still posted are given up without a completion, as with {@code ibv_destroy_srq}.
     *
     * @throws IllegalStateException if a queue pair still uses it
     */
    @Override
    void close();
}
