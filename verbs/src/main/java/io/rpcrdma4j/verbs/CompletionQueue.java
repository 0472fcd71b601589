package io.rpcrdma4j.verbs;

/**
 * Where finished work is reported.
 *
 * <h2>Operation</h2>
 *
 * {@link #poll} until it gives 0, {@link #arm}, and poll again if that says so; the {@link CompletionListener} is then
 * told once when the next completion arrives. A fresh queue is not armed.
 *
 * <h2>Threading</h2>
 *
 * One thread polls at a time (the caller sees to that); any thread may arm. Completions of one send queue or one
 * receive queue come in posting order.
 */
public interface CompletionQueue extends AutoCloseable {

    /**
     * Takes finished work off the queue, without blocking.
     *
     * @param into filled from index 0; the elements are the caller's and are overwritten
     * @return how many were filled, 0 if none is there
     */
    int poll(WorkCompletion[] into);

    /**
     * Asks for one call of the listener at the next completion.
     *
     * @return true if completions are on the queue already: then the listener may not be told of them, and the caller
     *     must poll again (as with {@code IB_CQ_REPORT_MISSED_EVENTS}); so no wake-up is lost
     */
    boolean arm();

    /** How many completions it holds. */
    int depth();

    /** Whether it overflowed; the queue pairs behind it are then in the error state. */
    boolean isOverflown();

    /**
     * Frees it.
     *
     * @throws IllegalStateException if a queue pair still reports to it
     */
    @Override
    void close();
}
