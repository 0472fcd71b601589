package io.rpcrdma4j.rpcrdma.server;

import io.rpcrdma4j.rpc.Attachments;
import io.rpcrdma4j.rpc.RpcConnection;
import io.rpcrdma4j.rpcrdma.Endpoint;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client's connection as programs and the server's owner see it. */
final class ServerConnection implements RpcConnection {

    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);

    private final RdmaRpcServer server;
    private final long id;
    private final InetSocketAddress remote;
    private final InetSocketAddress local;
    private final Attachments attachments = new Attachments();
    private volatile @Nullable Endpoint endpoint;
    private volatile boolean established;

    ServerConnection(RdmaRpcServer server, long id, InetSocketAddress remote, InetSocketAddress local) {
        this.server = server;
        this.id = id;
        this.remote = remote;
        this.local = local;
    }

    void setEndpoint(Endpoint newEndpoint) {
        endpoint = newEndpoint;
    }

    @Nullable
    Endpoint endpoint() {
        return endpoint;
    }

    void onEstablished(String parameters) {
        established = true;
        LOG.info("{}: connected, {}", this, parameters);
    }

    void onClosing(String reason) {
        if (established) {
            LOG.info("{}: closed: {}", this, reason);
        } else {
            LOG.info("{}: not connected: {}", this, reason);
        }
    }

    void onClosed() {
        server.onConnectionClosed(this);
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String transport() {
        return "rdma";
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public boolean isOpen() {
        Endpoint current = endpoint;
        return current != null && !current.isClosing();
    }

    @Override
    public int callsMax() {
        return server.options().credits();
    }

    @Override
    public long callBytesMax() {
        return server.limits().maxMessageBytes();
    }

    @Override
    public Attachments attachments() {
        return attachments;
    }

    @Override
    public void close() {
        Endpoint current = endpoint;
        if (current != null) {
            current.scheduleClose("closed by the server");
        }
    }

    @Override
    public String toString() {
        return "rdma " + id + " from " + remote.getAddress().getHostAddress() + ":" + remote.getPort();
    }
}
