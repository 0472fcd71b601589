package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.QueuePairState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/**
 * What all contract tests share: devices that are closed and checked for leaks after each test, connected pairs, and
 * waits with a deadline. Nothing in it assumes that work completes inside a post, or that it doesn't.
 */
abstract class VerbsContract {

    /** How long anything may take, in the provider's time. */
    static final Duration LIMIT = Duration.ofSeconds(20);

    private final Deque<Device> devices = new ArrayDeque<>();
    private final Deque<Listener> listeners = new ArrayDeque<>();
    private final ConcurrentLinkedDeque<End> ends = new ConcurrentLinkedDeque<>();
    private final Queue<Throwable> handlerFailures = new ConcurrentLinkedQueue<>();
    private Set<Thread> threadsBefore = Set.of();
    ProviderFixture fixture = new NoFixture();

    /** Makes the provider under test. */
    abstract ProviderFixture newFixture();

    @BeforeEach
    void openFixture() {
        threadsBefore = platformThreads();
        fixture = newFixture();
    }

    @AfterEach
    void closeAndCheckLeaks() {
        for (End end : ends) {
            end.close();
            assertThat(end.disconnectedEvents())
                    .as("Disconnected events of %s", end.connection)
                    .isLessThanOrEqualTo(1);
        }
        listeners.forEach(Listener::close);
        for (Device device : devices) {
            assertThat(device.registeredBytes())
                    .as("bytes still registered on %s", device.attributes().name())
                    .isZero();
            device.close();
        }
        fixture.close();
        assertThat(handlerFailures).as("failures in handlers").isEmpty();
        awaitThreadsGone();
    }

    private void awaitThreadsGone() {
        var left = new HashSet<Thread>();
        long deadline = System.nanoTime() + LIMIT.toNanos();
        do {
            left.clear();
            left.addAll(platformThreads());
            left.removeAll(threadsBefore);
            left.removeIf(VerbsContract::isNoneOfTheProvider);
            Thread.onSpinWait();
        } while (!left.isEmpty() && System.nanoTime() - deadline < 0);
        assertThat(left).as("threads left by the provider").isEmpty();
    }

    private static boolean isNoneOfTheProvider(Thread thread) {
        String name = thread.getName();
        return !thread.isAlive() || name.startsWith("ForkJoinPool.commonPool") || name.startsWith("junit-");
    }

    private static Set<Thread> platformThreads() {
        return Set.copyOf(Thread.getAllStackTraces().keySet());
    }

    void require(Capability capability) {
        fixture.reasonToSkip(capability).ifPresent(reason -> Assumptions.abort(capability + ": " + reason));
    }

    /** The devices that the test has opened, oldest first. */
    Deque<Device> devices() {
        return devices;
    }

    Device openDevice() throws IOException {
        return openDevice(DeviceOptions.defaults());
    }

    Device openDevice(DeviceOptions options) throws IOException {
        Device device = fixture.open(options);
        devices.add(device);
        return device;
    }

    /** Has the end closed, and checked, after the test. */
    End track(End end) {
        ends.addFirst(end); // what shares with an older end is closed before it
        return end;
    }

    void track(Listener listener) {
        listeners.add(listener);
    }

    void await(String what, BooleanSupplier condition) {
        assertThat(fixture.await(condition, LIMIT))
                .as("%s, within %s", what, LIMIT)
                .isTrue();
    }

    /** Makes an active end, not yet connected. */
    End activeEnd(Device device, java.net.InetSocketAddress remote, EndSpec spec) throws IOException {
        var early = new ConcurrentLinkedQueue<ConnectionEvent>();
        Connection connection = device.createConnection(remote, (c, event) -> early.add(event));
        End end = track(new End(connection, device, spec));
        connection.setListener((c, event) -> end.events.add(event));
        assertThat(early).isEmpty();
        return end;
    }

    /** Listens and accepts everybody; the ends come in the order of the requests. */
    Acceptor accept(Device device, EndSpec spec) throws IOException {
        return accept(device, spec, ListenOptions.defaults());
    }

    Acceptor accept(Device device, EndSpec spec, ListenOptions options) throws IOException {
        var accepted = new ConcurrentLinkedQueue<End>();
        var next = new AtomicReference<>(spec);
        Listener listener = device.listen(fixture.listenAddress(), options, connection -> {
            try {
                EndSpec current = next.get();
                End end = passiveEnd(connection, device, current);
                accepted.add(end);
                connection.accept(current.parameters());
            } catch (IOException | RuntimeException | AssertionError e) {
                handlerFailures.add(e);
                throw new IllegalStateException(e);
            }
        });
        track(listener);
        return new Acceptor(listener, accepted, next);
    }

    End passiveEnd(Connection connection, Device device, EndSpec spec) throws IOException {
        End end = track(new End(connection, device, spec));
        connection.setListener((c, event) -> end.events.add(event));
        return end;
    }

    /** Two devices, one connection. */
    Link connect(EndSpec activeSpec, EndSpec passiveSpec) throws IOException {
        Device server = openDevice();
        Device client = openDevice();
        return connect(client, server, activeSpec, passiveSpec);
    }

    Link connect() throws IOException {
        return connect(new EndSpec(), new EndSpec());
    }

    Link connect(Device client, Device server, EndSpec activeSpec, EndSpec passiveSpec) throws IOException {
        Acceptor acceptor = accept(server, passiveSpec);
        return connect(client, acceptor, activeSpec);
    }

    Link connect(Device client, Acceptor acceptor, EndSpec activeSpec) throws IOException {
        int before = acceptor.accepted().size();
        End active = activeEnd(client, acceptor.listener().address(), activeSpec);
        active.connection.connect(activeSpec.parameters());
        await("connected", () -> !active.events.isEmpty());
        assertThat(active.events.peek()).isInstanceOf(ConnectionEvent.Established.class);
        await("accepted", () -> acceptor.accepted().size() > before);
        End passive = List.copyOf(acceptor.accepted()).get(before);
        await("passive end established", () -> passive.hasEvent(ConnectionEvent.Established.class));
        return new Link(active, passive);
    }

    /** The next completion of the end's send queue. */
    Done nextSent(End end) {
        await("a send-queue completion", () -> {
            end.poll();
            return !end.sent.isEmpty();
        });
        return end.sent.remove();
    }

    /** The next completion of the end's receive queue. */
    Done nextReceived(End end) {
        await("a completed Receive", () -> {
            end.poll();
            return !end.received.isEmpty();
        });
        return end.received.remove();
    }

    List<Done> nextSent(End end, int count) {
        return java.util.stream.IntStream.range(0, count)
                .mapToObj(i -> nextSent(end))
                .toList();
    }

    List<Done> nextReceived(End end, int count) {
        return java.util.stream.IntStream.range(0, count)
                .mapToObj(i -> nextReceived(end))
                .toList();
    }

    ConnectionEvent.Disconnected awaitDisconnected(End end) {
        await("Disconnected", () -> end.hasEvent(ConnectionEvent.Disconnected.class));
        assertThat(end.queuePair.state()).as("state at Disconnected").isEqualTo(QueuePairState.ERROR);
        return end.events.stream()
                .filter(ConnectionEvent.Disconnected.class::isInstance)
                .map(ConnectionEvent.Disconnected.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /** Both directions work; nothing else may be under way. */
    void exchange(Link link) {
        exchange(link.active(), link.passive());
        exchange(link.passive(), link.active());
    }

    void exchange(End from, End to) {
        int bytes = Math.min(100, to.spec.receiveBytes);
        Patterns.fill(from.data.segment(), 0, bytes, 42);
        from.post(from.send(4242, 0, bytes));
        nextSent(from).succeeded(Opcode.SEND);
        Done done = nextReceived(to).succeeded(Opcode.RECEIVE);
        assertThat(done.bytes()).isEqualTo(bytes);
    }

    static void assertAllFlushed(List<Done> completions) {
        assertThat(completions).allSatisfy(done -> assertThat(done.status()).isEqualTo(CompletionStatus.FLUSHED));
    }

    /** A listener with what it accepted. */
    record Acceptor(Listener listener, Queue<End> accepted, AtomicReference<EndSpec> spec) {

        /** Says how the ends of later requests are to be made. */
        void nextSpec(EndSpec next) {
            spec.set(next);
        }
    }

    /** Two connected ends. */
    record Link(End active, End passive) {}

    private static final class NoFixture implements ProviderFixture {
        @Override
        public Device open(DeviceOptions options) {
            throw new IllegalStateException("no test runs");
        }

        @Override
        public java.net.InetSocketAddress listenAddress() {
            throw new IllegalStateException("no test runs");
        }
    }
}
