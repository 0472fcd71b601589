package io.rpcrdma4j.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionListener;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairOptions;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Two devices on a fabric and a connection between them. */
final class Pair implements AutoCloseable {

    static final int DEPTH = 64;
    private static final int BYTES = 64 * 1024;

    final MemoryFabric fabric;
    final Device serverDevice;
    final Device clientDevice;
    final Listener listener;
    final AtomicReference<Side> accepted = new AtomicReference<>();
    final Side client;

    /** A completion as it was polled. */
    record Done(long id, Opcode opcode, CompletionStatus status) {}

    /** One end. */
    static final class Side {
        final Connection connection;
        final ProtectionDomain domain;
        final MemoryRegion data;
        final MemoryRegion inbox;
        final CompletionQueue sendQueue;
        final CompletionQueue receiveQueue;
        final QueuePair queuePair;
        final List<ConnectionEvent> events = new ArrayList<>();
        final List<Done> sent = new ArrayList<>();
        final List<Done> received = new ArrayList<>();
        private final WorkCompletion[] batch = WorkCompletion.batch(8);

        Side(Device device, Connection connection, CompletionListener onSend, CompletionListener onReceive)
                throws IOException {
            this.connection = connection;
            connection.setListener((c, event) -> events.add(event));
            domain = device.allocateProtectionDomain();
            data = domain.allocate(BYTES, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ);
            inbox = domain.allocate(BYTES, Access.LOCAL_WRITE);
            sendQueue = device.createCompletionQueue(1024, 0, onSend);
            receiveQueue = device.createCompletionQueue(1024, 0, onReceive);
            queuePair = connection.createQueuePair(
                    new QueuePairOptions(domain, sendQueue, receiveQueue, null, DEPTH, DEPTH, 2, 2, false));
            for (int i = 0; i < 16; i++) {
                assertThat(queuePair.postReceive(receive(i))).isNull();
            }
        }

        ReceiveRequest receive(long id) {
            return new ReceiveRequest(1).identity(id, null).segment(inbox, id % 16 * 1024, 1024);
        }

        SendRequest send(long id) {
            return request(id).send();
        }

        SendRequest write(long id, Side target) {
            return request(id).write(target.data.remoteKey(), target.data.remoteAddress());
        }

        SendRequest read(long id, Side target) {
            return request(id).read(target.data.remoteKey(), target.data.remoteAddress());
        }

        private SendRequest request(long id) {
            return new SendRequest(1).identity(id, null).segment(data, 0, 100).signaled(true);
        }

        void post(SendRequest request) {
            assertThat(queuePair.postSend(request)).isNull();
        }

        void poll() {
            take(sendQueue, sent);
            take(receiveQueue, received);
        }

        private void take(CompletionQueue queue, List<Done> into) {
            int count = queue.poll(batch);
            while (count > 0) {
                for (int i = 0; i < count; i++) {
                    into.add(new Done(batch[i].id(), batch[i].opcode(), batch[i].status()));
                }
                count = queue.poll(batch);
            }
        }

        boolean has(Class<? extends ConnectionEvent> type) {
            return events.stream().anyMatch(type::isInstance);
        }

        void close() {
            connection.close();
            data.close();
            inbox.close();
            sendQueue.close();
            receiveQueue.close();
            domain.close();
        }
    }

    Pair(MemoryFabric fabric) throws IOException {
        this(fabric, queue -> {}, queue -> {});
    }

    /** Connects if the mode does it by itself; else the test steps. */
    Pair(MemoryFabric fabric, CompletionListener onClientSend, CompletionListener onServerReceive) throws IOException {
        this.fabric = fabric;
        serverDevice = fabric.openDevice(DeviceOptions.defaults());
        clientDevice = fabric.openDevice(DeviceOptions.defaults());
        listener = serverDevice.listen(anyPort(), ListenOptions.defaults(), connection -> {
            try {
                accepted.set(new Side(serverDevice, connection, queue -> {}, onServerReceive));
                connection.accept(new ConnectionParameters(4, 4, new byte[0]));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Connection active = clientDevice.createConnection(listener.address(), (c, event) -> {});
        client = new Side(clientDevice, active, onClientSend, queue -> {});
        active.connect(new ConnectionParameters(4, 4, new byte[0]));
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    Side server() {
        Side side = accepted.get();
        assertThat(side).as("accepted end").isNotNull();
        return side;
    }

    /** Closes everything, piece by piece, and checks that nothing is left. */
    @Override
    public void close() {
        client.close();
        if (accepted.get() != null) {
            server().close();
        }
        listener.close();
        assertThat(((FabricDevice) clientDevice).keys.size()).as("keys left").isZero();
        assertThat(((FabricDevice) serverDevice).keys.size()).as("keys left").isZero();
        assertThat(clientDevice.registeredBytes()).isZero();
        assertThat(serverDevice.registeredBytes()).isZero();
        clientDevice.close();
        serverDevice.close();
    }
}
