package io.rpcrdma4j.verbs.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairOptions;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Two connected ends on loopback, each with a device of its own. */
final class Pair implements AutoCloseable {

    static final ConnectionParameters PARAMETERS = new ConnectionParameters(16, 16, new byte[] {1, 2, 3});
    static final int ALL = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE;

    /** One end. */
    static final class End implements AutoCloseable {
        final IwarpDevice device;
        final ProtectionDomain domain;
        final CompletionQueue queue;
        final BlockingQueue<ConnectionEvent> events = new LinkedBlockingQueue<>();
        final BlockingQueue<WorkCompletion> completions = new LinkedBlockingQueue<>();
        private final List<MemoryRegion> regions = new ArrayList<>();

        @SuppressWarnings("NullAway.Init") // set before use
        Connection connection;

        @SuppressWarnings("NullAway.Init") // set before use
        QueuePair queuePair;

        End(Map<String, String> properties) throws IOException {
            this((IwarpDevice) new IwarpProvider().open(DeviceOptions.defaults().withProperties(properties)));
        }

        End(IwarpDevice device) throws IOException {
            this.device = device;
            domain = device.allocateProtectionDomain();
            queue = device.createCompletionQueue(1024, 0, this::drain);
            queue.arm();
        }

        private void drain(CompletionQueue q) {
            do {
                WorkCompletion[] batch = WorkCompletion.batch(16);
                for (int n = q.poll(batch); n > 0; n = q.poll(batch)) {
                    for (int i = 0; i < n; i++) {
                        completions.add(batch[i]);
                    }
                    batch = WorkCompletion.batch(16);
                }
            } while (q.arm());
        }

        void use(Connection newConnection) throws IOException {
            connection = newConnection;
            queuePair =
                    connection.createQueuePair(new QueuePairOptions(domain, queue, queue, null, 64, 64, 8, 8, false));
        }

        MemoryRegion region(long bytes) throws IOException {
            MemoryRegion region = domain.allocate(bytes, ALL);
            regions.add(region);
            return region;
        }

        void receive(long id, MemoryRegion region, long offset, int length) {
            assertThat(queuePair.postReceive(
                            new ReceiveRequest(1).identity(id, null).segment(region, offset, length)))
                    .isNull();
        }

        WorkCompletion completion() throws InterruptedException {
            WorkCompletion completion = completions.poll(10, TimeUnit.SECONDS);
            assertThat(completion).as("a completion").isNotNull();
            return java.util.Objects.requireNonNull(completion);
        }

        <T extends ConnectionEvent> T event(Class<T> type) throws InterruptedException {
            ConnectionEvent event = events.poll(10, TimeUnit.SECONDS);
            assertThat(event).as("an event").isInstanceOf(type);
            return type.cast(java.util.Objects.requireNonNull(event));
        }

        @Override
        public void close() {
            if (connection != null) {
                connection.close();
            }
            queue.close();
            regions.forEach(MemoryRegion::close);
            domain.close();
            assertThat(device.registeredBytes()).isZero();
            device.close();
            assertThat(device.buffers().batchesOut()).isZero();
            assertThat(device.buffers().stagingsOut()).isZero();
        }
    }

    final End client;
    final End server;
    final Listener listener;
    final BlockingQueue<Connection> requests = new LinkedBlockingQueue<>();

    Pair(Map<String, String> properties) throws Exception {
        this(properties, properties);
    }

    Pair(Map<String, String> clientProperties, Map<String, String> serverProperties) throws Exception {
        client = new End(clientProperties);
        server = new End(serverProperties);
        listener = server.device.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ListenOptions.defaults(), requests::add);
        client.use(client.device.createConnection(listener.address(), (c, e) -> client.events.add(e)));
        client.connection.connect(PARAMETERS);
        Connection request = requests.poll(10, TimeUnit.SECONDS);
        assertThat(request).isNotNull();
        server.use(java.util.Objects.requireNonNull(request));
        request.setListener((c, e) -> server.events.add(e));
    }

    /** Accepts, and waits until both ends are established. */
    Pair accept() throws Exception {
        server.connection.accept(PARAMETERS);
        client.event(ConnectionEvent.Established.class);
        server.event(ConnectionEvent.Established.class);
        return this;
    }

    /** Two more ends, connected, on the same devices; the server's has a Receive of no bytes. */
    Link another() throws Exception {
        var active = new End(client.device);
        active.use(client.device.createConnection(listener.address(), (c, e) -> active.events.add(e)));
        active.connection.connect(PARAMETERS);
        var passive = new End(server.device);
        Connection request = requests.poll(10, TimeUnit.SECONDS);
        assertThat(request).isNotNull();
        passive.use(java.util.Objects.requireNonNull(request));
        request.setListener((c, e) -> passive.events.add(e));
        passive.queuePair.postReceive(new ReceiveRequest(0));
        request.accept(PARAMETERS);
        active.event(ConnectionEvent.Established.class);
        passive.event(ConnectionEvent.Established.class);
        return new Link(active, passive);
    }

    /** Two connected ends. */
    record Link(End client, End server) {}

    @Override
    public void close() {
        client.close();
        listener.close();
        server.close();
    }
}
