package io.rpcrdma4j.rpcrdma;

/**
 * Where a transport tells of its interesting moments: logs, counters and flight recorders hang on this one hook.
 *
 * <p>Called on whatever thread the moment happens on, on the hot path: implementations don't block and don't throw.
 */
@FunctionalInterface
public interface TransportEvents {

    /** Hears nothing and costs nothing. */
    TransportEvents NONE = (point, connection, id, first, second) -> {};

    /**
     * One moment.
     *
     * @param point what happened
     * @param connection the number of the connection's queue pair
     * @param id the completion id of the context that it happened to, or an XID, unsigned; 0 if neither
     * @param first the first argument, see {@link TracePoint}
     * @param second the second argument
     */
    void on(TracePoint point, int connection, long id, long first, long second);

    /** Hears and passes on: this hook first, then {@code other}. */
    default TransportEvents andThen(TransportEvents other) {
        return (point, connection, id, first, second) -> {
            on(point, connection, id, first, second);
            other.on(point, connection, id, first, second);
        };
    }
}
