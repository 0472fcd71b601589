package io.rpcrdma4j.verbs;

/** Hears of the events of a connection; must not block. */
@FunctionalInterface
public interface ConnectionListener {
    void onEvent(Connection connection, ConnectionEvent event);
}
