package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.Device;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A client made by hand: whatever it is told to send arrives at a real server. */
final class RawPeer extends RawEnd {

    /** What a client is like that takes 4096 bytes each way and allows no invalidation (RFC 8797). */
    static final byte[] PLAIN = RawMessage.hex("f6ab0e18 01 00 03 03");
    /** As {@link #PLAIN}, but it allows the server to invalidate its keys. */
    static final byte[] INVALIDATING = RawMessage.hex("f6ab0e18 01 01 03 03");

    private static final int RECEIVES = 160;
    private static final int SLOT_BYTES = 8192;

    private RawPeer(Network network, Device device) throws IOException {
        super(network, device, RECEIVES, SLOT_BYTES);
    }

    /**
     * Asks a server for a connection.
     *
     * @param privateData what it says about itself
     * @param inboundReads how many RDMA Reads it serves at a time
     */
    static RawPeer connect(
            Network network, Device device, InetSocketAddress server, byte[] privateData, int inboundReads)
            throws IOException {
        var peer = new RawPeer(network, device);
        Connection connection = device.createConnection(server, (source, event) -> peer.onEvent(event));
        peer.attach(connection);
        connection.connect(new ConnectionParameters(inboundReads, 0, privateData));
        return peer;
    }
}
