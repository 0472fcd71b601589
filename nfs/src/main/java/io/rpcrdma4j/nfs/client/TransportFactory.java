package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.rpc.RpcClientTransport;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Makes the transport to a server: it is how a client is told what to travel by. */
@FunctionalInterface
public interface TransportFactory {

    /**
     * Makes a transport. It connects when it is first used.
     *
     * @param server a resolved address
     * @return to be closed by the caller
     * @throws IOException if this machine lacks what it needs
     */
    RpcClientTransport open(InetSocketAddress server) throws IOException;
}
