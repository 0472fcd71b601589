package io.rpcrdma4j.verbs.memory;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Calls of the program, one at a time and in order, without the lock. */
final class CallLane extends Lane {

    private final ArrayDeque<Runnable> calls = new ArrayDeque<>();
    private @Nullable Runnable current;

    CallLane(Scheduler scheduler, @Nullable Worker home) {
        super(scheduler, home);
    }

    /** With the lock held. */
    void add(Runnable call) {
        calls.add(call);
        wake();
    }

    /** With the lock held: forgets what was not yet called. */
    void clear() {
        calls.clear();
    }

    @Override
    boolean hasWork() {
        return !calls.isEmpty();
    }

    @Override
    boolean advance() {
        current = calls.poll();
        return current != null;
    }

    @Override
    void callOut() {
        Runnable call = current;
        current = null;
        if (call != null) {
            call.run();
        }
    }
}
