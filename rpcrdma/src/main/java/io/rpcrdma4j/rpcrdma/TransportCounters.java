package io.rpcrdma4j.rpcrdma;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts how often each moment of a transport happened.
 *
 * <p><b>Threading:</b> any thread; counting never waits.
 */
public final class TransportCounters implements TransportEvents {

    private final LongAdder[] counts = new LongAdder[TracePoint.values().length];

    /** Starts at zero. */
    public TransportCounters() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    @Override
    public void on(TracePoint point, int connection, long id, long first, long second) {
        counts[point.index()].increment();
    }

    /** How often {@code point} has happened so far. */
    public long count(TracePoint point) {
        return counts[point.index()].sum();
    }
}
