package io.rpcrdma4j.rpcrdma;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts the trace points; {@code -Dtest.trace=true} also prints them. */
final class EventLog implements TransportEvents {

    private final Map<TracePoint, Integer> counts = new ConcurrentHashMap<>();

    @Override
    public void on(TracePoint point, int connection, long id, long first, long second) {
        counts.merge(point, 1, Integer::sum);
        if (Boolean.getBoolean("test.trace")) {
            System.out.printf("qp %d %s id %d %d %d%n", connection, point, id, first, second);
        }
    }

    int count(TracePoint point) {
        return counts.getOrDefault(point, 0);
    }
}
