package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.ConnectRequestHandler;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A listener of the fabric. Package-private methods are called with the lock held, except {@link #decide}. */
final class FabricListener implements Listener {

    final FabricDevice device;
    private final InetSocketAddress address;
    private final ListenOptions options;
    private final ConnectRequestHandler handler;
    private final List<FabricConnection> connections = new ArrayList<>();
    private int unanswered;
    private boolean open = true;

    FabricListener(
            FabricDevice device, InetSocketAddress address, ListenOptions options, ConnectRequestHandler handler) {
        this.device = device;
        this.address = address;
        this.options = options;
        this.handler = handler;
    }

    /** A connect request has arrived. */
    void onRequest(FabricConnection active) {
        if (unanswered >= options.halfOpenMax()) {
            active.failConnect("connect to " + address + ": closed by the peer, too many handshakes in progress");
            return;
        }
        if (connections.size() >= options.connectionsMax()) {
            active.failConnect("connect to " + address + ": closed by the peer, too many connections");
            return;
        }
        var passive = new FabricConnection(device, device.nextWorker(), this, active);
        InetAddress from = passive.remoteAddress().getAddress();
        long ofAddress = connections.stream()
                .filter(connection -> connection.remoteAddress().getAddress().equals(from))
                .count();
        device.connections.add(passive);
        connections.add(passive);
        unanswered++;
        if (ofAddress >= options.connectionsPerAddressMax()) {
            passive.refuseUnanswered("closed by the peer, too many connections of this address");
            passive.release();
            return;
        }
        passive.offer(this);
    }

    /** Without the lock: asks the program about a request. */
    void decide(FabricConnection passive) {
        if (passive.closeIfAnswered()) {
            return; // the listener or the device was closed in the meantime
        }
        if (!options.admit().test(passive.remoteAddress().getAddress())) {
            device.scheduler.lock.lock();
            try {
                passive.refuseUnanswered("closed by the peer, this address is not admitted");
                passive.release();
            } finally {
                device.scheduler.lock.unlock();
            }
            return;
        }
        try {
            handler.onConnectRequest(passive);
        } catch (RuntimeException e) {
            passive.rejectUnanswered();
        }
    }

    void onAnswered() {
        unanswered--;
    }

    void onConnectionOver(FabricConnection connection) {
        connections.remove(connection);
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        device.scheduler.lock.lock();
        try {
            release();
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
    }

    void release() {
        if (open) {
            open = false;
            device.fabric.unbind(address);
            device.listeners.remove(this);
            for (FabricConnection connection : List.copyOf(connections)) {
                connection.refuseUnanswered("closed by the peer, it listens no more");
            }
        }
    }
}
