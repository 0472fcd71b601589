package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server made by hand: a real client connects, and is answered whatever the test says. */
final class RawServer implements AutoCloseable {

    private static final int RECEIVES = 160;
    private static final int SLOT_BYTES = 8192;
    private static final int READS = 16;

    private final Network network;
    private final Device device;
    private final byte[] privateData;
    private final Listener listener;
    private final List<RawEnd> ends = new CopyOnWriteArrayList<>();

    RawServer(Network network, Device device, byte[] privateData) throws IOException {
        this.network = network;
        this.device = device;
        this.privateData = privateData;
        listener = device.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ListenOptions.defaults(),
                this::onConnectRequest);
    }

    private void onConnectRequest(Connection request) {
        try {
            var end = new RawEnd(network, device, RECEIVES, SLOT_BYTES);
            request.setListener((source, event) -> end.onEvent(event));
            end.attach(request);
            request.accept(new ConnectionParameters(READS, READS, privateData));
            ends.add(end);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    InetSocketAddress address() {
        return listener.address();
    }

    /** The connection that came as number {@code index}, from 0; waits for it. */
    RawEnd connection(int index) {
        network.await(
                "connection " + index,
                () -> ends.size() > index && ends.get(index).isEstablished());
        return ends.get(index);
    }

    /** The connection that is open; waits for it. */
    RawEnd open() {
        network.await("an open connection", () -> ends.stream().anyMatch(end -> end.isEstablished() && !end.isOver()));
        return ends.stream()
                .filter(end -> end.isEstablished() && !end.isOver())
                .findFirst()
                .orElseThrow();
    }

    /** Handles what has completed on all connections. */
    void poll() {
        ends.forEach(RawEnd::poll);
    }

    /** Connections that came so far. */
    int connections() {
        return ends.size();
    }

    @Override
    public void close() {
        listener.close();
        for (RawEnd end : ends) {
            end.close();
        }
    }
}
