package io.rpcrdma4j.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairOptions;
import io.rpcrdma4j.verbs.QueuePairState;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A random program under random faults, device removal included (B42, B73, B74): whatever goes wrong, each posted
 * request is given back once and in order, events keep their order, and everything can be freed.
 */
class FaultStormTest {

    private static final int DEPTH = 24;

    static LongStream seeds() {
        Long only = Long.getLong("test.seed");
        return only != null ? LongStream.of(only) : LongStream.rangeClosed(1, Long.getLong("test.seeds", 300));
    }

    @ParameterizedTest(name = "-Dtest.seed={0}")
    @MethodSource("seeds")
    void everythingComesHome(long seed) throws IOException {
        new Storm(seed).run();
    }

    /** What the seeds bring about: without this the test above could pass by doing nothing. */
    @Test
    void theStormsReachWhatTheyAreFor() throws IOException {
        int established = 0;
        int succeeded = 0;
        int flushed = 0;
        int attempts = 0;
        for (long seed = 1; seed <= 100; seed++) {
            var storm = new Storm(seed);
            storm.run();
            for (Side side : storm.sides) {
                attempts += side.connecting ? 1 : 0;
                established += side.events.stream().anyMatch(ConnectionEvent.Established.class::isInstance) ? 1 : 0;
                succeeded += side.succeeded;
                flushed += side.flushed;
            }
        }
        assertThat(attempts).isGreaterThan(300);
        assertThat(established).isGreaterThan(300);
        assertThat(succeeded).isGreaterThan(1500);
        assertThat(flushed).isGreaterThan(500);
    }

    /** One end of a connection, with a model of what its queues owe. */
    private static final class Side {
        final SplittableRandom random;
        final Connection connection;
        final List<ConnectionEvent> events = new ArrayList<>();
        final List<MemoryWindow> windows = new ArrayList<>();
        final ArrayDeque<Long> owedSends = new ArrayDeque<>();
        final ArrayDeque<Long> owedReceives = new ArrayDeque<>();
        private final WorkCompletion[] batch = WorkCompletion.batch(3);

        @Nullable
        ProtectionDomain domain;

        @Nullable
        MemoryRegion memory;

        @Nullable
        CompletionQueue sends;

        @Nullable
        CompletionQueue receives;

        @Nullable
        QueuePair queuePair;

        int key;
        long address;
        boolean failed;
        boolean connecting;
        int succeeded;
        int flushed;
        boolean closed;

        /** Rejected: its queue pair was closed with its Receives in it. */
        boolean givenUp;

        private long nextId;

        Side(SplittableRandom random, Connection connection) {
            this.random = random;
            this.connection = connection;
            connection.setListener((c, event) -> onEvent(event));
        }

        private void onEvent(ConnectionEvent event) {
            assertThat(closed).as("event after close: %s", event).isFalse();
            boolean first = events.isEmpty();
            assertThat(event instanceof ConnectionEvent.Disconnected)
                    .as("%s after %s", event, events)
                    .isEqualTo(!first);
            assertThat(events).hasSizeLessThan(2);
            events.add(event);
        }

        void build(Device device) throws IOException {
            domain = device.allocateProtectionDomain();
            memory = domain.allocate(4096, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ);
            key = memory.remoteKey();
            address = memory.remoteAddress();
            sends = device.createCompletionQueue(4 * DEPTH, 0, queue -> {});
            receives = random.nextInt(3) == 0 ? sends : device.createCompletionQueue(4 * DEPTH, 0, queue -> {});
            queuePair = connection.createQueuePair(
                    new QueuePairOptions(domain, sends, receives, null, DEPTH, DEPTH, 2, 2, true));
            for (int i = 0; i < DEPTH / 2; i++) {
                postReceive();
            }
        }

        void postReceive() {
            if (queuePair != null && memory != null) {
                var request = new ReceiveRequest(1).identity(nextId++, null).segment(memory, 0, 512);
                if (queuePair.postReceive(request) == null) {
                    owedReceives.add(request.id());
                }
            }
        }

        void postSends(Side peer) {
            if (queuePair == null || memory == null) {
                return;
            }
            SendRequest first = null;
            var ids = new ArrayList<Long>();
            SendRequest last = null;
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                SendRequest request = randomRequest(memory, peer);
                ids.add(request.id());
                if (last == null) {
                    first = request;
                } else {
                    last.next(request);
                }
                last = request;
            }
            SendRequest refused = first == null ? null : queuePair.postSend(first);
            for (long id : ids) {
                if (refused != null && refused.id() == id) {
                    break;
                }
                owedSends.add(id);
            }
        }

        private SendRequest randomRequest(MemoryRegion local, Side peer) {
            SendRequest request = new SendRequest(2)
                    .identity(nextId++, null)
                    .segment(local, random.nextInt(2000), random.nextInt(200))
                    .fenced(random.nextInt(4) == 0);
            int key = peer.key;
            long address = peer.address;
            if (random.nextInt(8) == 0) {
                key++;
            } else if (random.nextInt(8) == 0 && !peer.windows.isEmpty()) {
                key = peer.windows.getFirst().key();
                address = peer.windows.getFirst().address();
            }
            return switch (random.nextInt(8)) {
                case 0, 1, 2 -> request.send();
                case 3, 4 -> request.write(key, address);
                case 5, 6 -> request.read(key, address);
                default ->
                    random.nextInt(3) > 0 || peer.windows.isEmpty()
                            ? request.inlined(true)
                            : request.sendWithInvalidate(peer.windows.getFirst().key());
            };
        }

        void bindWindow() {
            if (domain == null || queuePair == null || memory == null) {
                return;
            }
            try {
                MemoryWindow window =
                        windows.isEmpty() || random.nextInt(4) == 0 ? domain.allocateWindow() : windows.getFirst();
                if (!windows.contains(window)) {
                    windows.add(window);
                }
                if (window.isBound()) {
                    window.invalidate();
                } else {
                    window.bind(
                            queuePair, memory, random.nextInt(1000), 1000, Access.REMOTE_READ | Access.REMOTE_WRITE);
                }
            } catch (IOException e) {
                assertThat(e).hasMessageMatching(".+");
            }
        }

        void poll() {
            poll(sends);
            if (receives != null && !receives.equals(sends)) {
                poll(receives);
            }
        }

        private void poll(@Nullable CompletionQueue queue) {
            int count = queue == null ? 0 : queue.poll(batch);
            for (int i = 0; i < count; i++) {
                ArrayDeque<Long> owed = batch[i].opcode() == Opcode.RECEIVE ? owedReceives : owedSends;
                assertThat(owed.poll()).as("next owed, got %s", batch[i]).isEqualTo(batch[i].id());
                if (batch[i].opcode() != Opcode.RECEIVE) {
                    boolean success = batch[i].status() == CompletionStatus.SUCCESS;
                    assertThat(failed && success).as("success after a failure").isFalse();
                    failed |= !success;
                    succeeded += success ? 1 : 0;
                    flushed += batch[i].status() == CompletionStatus.FLUSHED ? 1 : 0;
                }
            }
        }

        void close() {
            connection.close();
            closed = true;
            windows.forEach(MemoryWindow::close);
            if (memory != null) {
                memory.close();
            }
            if (sends != null) {
                sends.close();
            }
            if (receives != null) {
                receives.close();
            }
            if (domain != null) {
                domain.close();
            }
        }
    }

    private static final class Storm {
        private final SplittableRandom random;
        private final MemoryFabric fabric;
        private final Device server;
        private final Device client;
        private final List<Side> sides = new ArrayList<>();
        private final List<Side> actives = new ArrayList<>();
        private final List<Side> passives = new ArrayList<>();

        Storm(long seed) throws IOException {
            random = new SplittableRandom(seed);
            fabric = MemoryFabric.builder()
                    .mode(ExecutionMode.STEPPED)
                    .seed(seed)
                    .faults(new RandomFaults(seed, random.nextInt(20, 400)))
                    .build();
            server = fabric.openDevice(DeviceOptions.defaults());
            client = fabric.openDevice(DeviceOptions.defaults());
        }

        void run() throws IOException {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            try {
                address = server.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                ListenOptions.defaults(),
                                this::onRequest)
                        .address();
            } catch (IOException e) {
                assertThat(e).hasMessageMatching(".+"); // drawn; everybody is refused then
            }
            for (int i = 0; i < 400; i++) {
                act(address);
                int steps = random.nextInt(6);
                for (int k = 0; k < steps; k++) {
                    fabric.step();
                }
            }
            settleAndClose();
        }

        private void act(InetSocketAddress address) {
            Side one = sides.isEmpty() ? null : sides.get(random.nextInt(sides.size()));
            int choice = random.nextInt(40);
            if (one == null || (choice == 0 && actives.size() < 6)) {
                connect(address);
            } else if (one.closed) {
                return;
            } else if (choice < 20) {
                one.postSends(peerOf(one));
            } else if (choice < 28) {
                one.postReceive();
            } else if (choice < 36) {
                one.poll();
            } else if (choice < 38) {
                one.bindWindow();
            } else if (choice == 38 && random.nextInt(4) == 0) {
                one.connection.disconnect();
            } else if (choice == 39 && random.nextInt(4) == 0) {
                one.close();
            }
        }

        /** The other end, or, if it is not known, the end itself, whose keys are of no use to its peer. */
        private Side peerOf(Side side) {
            boolean isActive = actives.contains(side);
            for (Side other : isActive ? passives : actives) {
                Connection active = isActive ? side.connection : other.connection;
                Connection passive = isActive ? other.connection : side.connection;
                if (passive.remoteAddress().equals(active.localAddress())) {
                    return other;
                }
            }
            return side;
        }

        private void connect(InetSocketAddress address) {
            try {
                var side = new Side(random, client.createConnection(address, (c, event) -> {}));
                sides.add(side);
                actives.add(side);
                side.build(client);
                if (side.queuePair != null && side.queuePair.state() == QueuePairState.INIT) {
                    side.connecting = true;
                    side.connection.connect(new ConnectionParameters(2, 2, new byte[0]));
                }
            } catch (IOException e) {
                assertThat(e).hasMessageMatching(".+");
            }
        }

        private void onRequest(Connection connection) {
            var side = new Side(random, connection);
            sides.add(side);
            passives.add(side);
            side.givenUp = true;
            try {
                side.build(server);
                switch (random.nextInt(8)) {
                    case 0 -> connection.reject(new byte[] {1});
                    case 1 -> throw new IllegalStateException("a handler fails");
                    default -> {
                        connection.accept(new ConnectionParameters(2, 2, new byte[0]));
                        side.givenUp = false;
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void settleAndClose() {
            fabric.setFaults(FaultPlan.NONE);
            for (Side side : sides) {
                if (!side.closed && side.queuePair != null) {
                    side.queuePair.toError();
                }
            }
            boolean quiet = fabric.runUntil(() -> false, java.time.Duration.ofHours(1));
            assertThat(quiet).isFalse();
            for (Side side : sides) {
                if (!side.closed) {
                    for (int i = 0; i < 100; i++) {
                        side.poll();
                    }
                }
                if (!side.closed && !side.givenUp) {
                    assertThat(side.owedSends).as("Sends never given back").isEmpty();
                    assertThat(side.owedReceives)
                            .as("Receives never given back")
                            .isEmpty();
                }
            }
            for (Side side : actives) {
                assertThat(side.connecting && !side.closed && side.events.isEmpty())
                        .as("an attempt without an outcome")
                        .isFalse();
            }
            sides.stream().filter(side -> !side.closed).forEach(Side::close);
            assertThat(((FabricDevice) server).keys.size()).as("keys left").isZero();
            assertThat(((FabricDevice) client).keys.size()).as("keys left").isZero();
            assertThat(server.registeredBytes()).isZero();
            assertThat(client.registeredBytes()).isZero();
            server.close();
            client.close();
            fabric.runUntilIdle();
        }
    }
}
