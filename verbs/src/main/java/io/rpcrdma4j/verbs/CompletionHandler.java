package io.rpcrdma4j.verbs;

/**
 * What a work request wants done when it completes: the {@code done} function of the kernel's {@code struct ib_cqe}.
 * The program that polls the queue calls it through {@link WorkCompletion#dispatch}.
 *
 * <p>Handlers never block and never free pages: they record, give back send-queue entries, queue deferred work and wake
 * the transport.
 */
@FunctionalInterface
public interface CompletionHandler {

    /**
     * Acts on the completion of the request that names this handler.
     *
     * @param queue the controlling completion queue
     * @param completion valid only during the call
     */
    void onCompletion(CompletionQueue queue, WorkCompletion completion);
}
