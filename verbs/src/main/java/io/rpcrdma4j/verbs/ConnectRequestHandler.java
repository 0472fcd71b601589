package io.rpcrdma4j.verbs;

/** Decides about an incoming connection. */
@FunctionalInterface
public interface ConnectRequestHandler {

    /**
     * Called once for each connect request, on a thread of the device; must not block. It answers with
     * {@link Connection#accept} or {@link Connection#reject}, now or later and from any thread; if it throws, the
     * request is rejected.
     */
    void onConnectRequest(Connection connection);
}
