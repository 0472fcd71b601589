package io.rpcrdma4j.rpcrdma.client;

import io.rpcrdma4j.rpcrdma.Endpoint;
import java.util.List;

/** Looks into a client. */
public final class ClientProbe {

    private ClientProbe() {}

    /** The endpoints of all connections. */
    public static List<Endpoint> endpoints(RdmaRpcClient client) {
        return client.endpoints();
    }
}
