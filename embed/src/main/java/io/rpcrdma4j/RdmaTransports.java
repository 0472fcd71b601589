package io.rpcrdma4j;

import io.rpcrdma4j.nfs.client.TransportFactory;
import io.rpcrdma4j.rpc.RpcClientTransport;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.tcp.TcpClient;
import io.rpcrdma4j.rpcrdma.TransportEvents;
import io.rpcrdma4j.rpcrdma.TransportOptions;
import io.rpcrdma4j.rpcrdma.client.RdmaRpcClient;
import io.rpcrdma4j.verbs.Device;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** How clients of this module travel: NFS over RDMA, what goes with it over TCP. */
final class RdmaTransports {
    private RdmaTransports() {}

    /**
     * Transports over RDMA.
     *
     * @param device stays the caller's, who closes it after them
     * @param connections how many connections each has
     */
    static TransportFactory rdma(Device device, int connections) {
        return server -> RdmaRpcClient.open(
                device, server, connections, TransportOptions.defaults(), TransportEvents.NONE, Timers.system());
    }

    /** Transports over TCP. */
    static TransportFactory tcp(Duration connectTimeout) {
        return server -> openTcp(server, connectTimeout);
    }

    private static RpcClientTransport openTcp(InetSocketAddress server, Duration connectTimeout) throws IOException {
        return TcpClient.builder(server).connectTimeout(connectTimeout).build();
    }
}
