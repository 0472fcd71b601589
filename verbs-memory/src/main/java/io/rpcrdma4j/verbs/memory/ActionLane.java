package io.rpcrdma4j.verbs.memory;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Actions of the fabric itself, done one at a time and in order with the lock held. */
final class ActionLane extends Lane {

    private final ArrayDeque<Runnable> actions = new ArrayDeque<>();

    ActionLane(Scheduler scheduler, @Nullable Worker home) {
        super(scheduler, home);
    }

    /** With the lock held. */
    void add(Runnable action) {
        actions.add(action);
        wake();
    }

    @Override
    boolean hasWork() {
        return !actions.isEmpty();
    }

    @Override
    boolean advance() {
        Runnable action = actions.poll();
        if (action != null) {
            action.run();
        }
        return false;
    }
}
