package io.rpcrdma4j.verbs;

/**
 * Told that an armed {@link CompletionQueue} has completions. Called at most once for each
 * {@link CompletionQueue#arm()}, on the queue's event thread or inside a call that posts; must not block.
 */
@FunctionalInterface
public interface CompletionListener {
    void onCompletions(CompletionQueue queue);
}
