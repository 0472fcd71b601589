package io.rpcrdma4j.rpcrdma.server;

import io.rpcrdma4j.rpcrdma.Endpoint;
import java.util.List;

/** Looks into a server. */
public final class ServerProbe {

    private ServerProbe() {}

    /** The endpoints of all connections, in the order in which they were asked for. */
    public static List<Endpoint> endpoints(RdmaRpcServer server) {
        return server.endpoints();
    }

    /** The endpoint of the connection that was asked for last. */
    public static Endpoint lastEndpoint(RdmaRpcServer server) {
        return server.endpoints().getLast();
    }
}
