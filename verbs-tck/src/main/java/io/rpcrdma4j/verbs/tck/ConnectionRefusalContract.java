package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Connections that do not come about; each attempt ends with one event, in bounded time (B92). */
abstract class ConnectionRefusalContract extends VerbsContract {

    private End connecting(Device client, InetSocketAddress address) throws IOException {
        End end = activeEnd(client, address, new EndSpec().small());
        end.connection.connect(end.spec.parameters());
        return end;
    }

    private void awaitFailed(End end) {
        await("Failed", () -> !end.events.isEmpty());
        assertThat(end.events.peek()).isInstanceOf(ConnectionEvent.Failed.class);
        assertThat(((ConnectionEvent.Failed) Objects.requireNonNull(end.events.peek())).cause())
                .hasMessageMatching("(?s).+");
    }

    private byte[] awaitRejected(End end) {
        await("Rejected", () -> !end.events.isEmpty());
        assertThat(end.events.peek()).isInstanceOf(ConnectionEvent.Rejected.class);
        return ((ConnectionEvent.Rejected) Objects.requireNonNull(end.events.peek())).privateData();
    }

    /** B89. */
    @Test
    void aRequestIsRejectedInsideTheHandlerWithPrivateData() throws IOException {
        var seen = new AtomicReference<byte[]>();
        Listener listener = openDevice().listen(fixture.listenAddress(), ListenOptions.defaults(), connection -> {
            seen.set(connection.requested().privateData());
            connection.reject(new byte[] {1, 2, 3});
        });
        track(listener);
        Device client = openDevice();
        for (int i = 0; i < 10; i++) {
            End end =
                    activeEnd(client, listener.address(), new EndSpec().small().privateData(new byte[] {9, (byte) i}));
            end.connection.connect(end.spec.parameters());
            assertThat(awaitRejected(end)).containsExactly(1, 2, 3);
            assertThat(seen.get()).containsExactly(9, i);
            end.queuePair.toError();
            nextReceived(end, 16).forEach(done -> done.flushed(io.rpcrdma4j.verbs.Opcode.RECEIVE));
        }
    }

    @Test
    void aRequestIsRejectedLaterFromAnotherThread() throws IOException {
        var requests = new ConcurrentLinkedQueue<Connection>();
        Listener listener = openDevice().listen(fixture.listenAddress(), ListenOptions.defaults(), requests::add);
        track(listener);
        End end = connecting(openDevice(), listener.address());
        await("the request", () -> !requests.isEmpty());
        assertThat(end.events).isEmpty();
        requests.remove().reject(new byte[0]);
        assertThat(awaitRejected(end)).isEmpty();
    }

    /** B41. */
    @Test
    void aHandlerThatThrowsRejects() throws IOException {
        var calls = new AtomicInteger();
        Listener listener = openDevice().listen(fixture.listenAddress(), ListenOptions.defaults(), connection -> {
            calls.incrementAndGet();
            throw new IllegalStateException("a handler fails on purpose");
        });
        track(listener);
        Device client = openDevice();
        for (int i = 0; i < 3; i++) {
            awaitRejected(connecting(client, listener.address()));
        }
        assertThat(calls).hasValue(3);
    }

    @Test
    void closingAnUnansweredRequestEndsTheAttempt() throws IOException {
        var requests = new ConcurrentLinkedQueue<Connection>();
        Listener listener = openDevice().listen(fixture.listenAddress(), ListenOptions.defaults(), requests::add);
        track(listener);
        End end = connecting(openDevice(), listener.address());
        await("the request", () -> !requests.isEmpty());
        requests.remove().close();
        await("an end", () -> !end.events.isEmpty());
        assertThat(end.events.peek()).isInstanceOfAny(ConnectionEvent.Rejected.class, ConnectionEvent.Failed.class);
    }

    @Test
    void whereNobodyListensTheAttemptFails() throws IOException {
        Device server = openDevice();
        Listener listener = server.listen(fixture.listenAddress(), ListenOptions.defaults(), Connection::close);
        InetSocketAddress address = listener.address();
        assertThat(address.getPort()).isPositive();
        listener.close();
        listener.close();
        End end = connecting(openDevice(), address);
        awaitFailed(end);
        assertThat(end.events).hasSize(1);
    }

    @Test
    void aClosedListenerTakesNoMoreConnectionsAndKeepsThoseThere() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec().small());
        Device client = openDevice();
        Link link = connect(client, acceptor, new EndSpec().small());
        acceptor.listener().close();
        exchange(link);
        awaitFailed(connecting(client, acceptor.listener().address()));
        exchange(link);
    }

    /** B91. */
    @Test
    void anAddressInUseIsNotBoundAgain() throws IOException {
        Device device = openDevice();
        Listener listener = device.listen(fixture.listenAddress(), ListenOptions.defaults(), Connection::close);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> device.listen(listener.address(), ListenOptions.defaults(), Connection::close))
                .withMessageContaining(Integer.toString(listener.address().getPort()));
        Device other = openDevice();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> other.listen(listener.address(), ListenOptions.defaults(), Connection::close));
        listener.close();
        other.listen(listener.address(), ListenOptions.defaults(), Connection::close)
                .close();
    }

    @Test
    void freePortsDiffer() throws IOException {
        Device device = openDevice();
        Listener one = device.listen(fixture.listenAddress(), ListenOptions.defaults(), Connection::close);
        Listener two = device.listen(fixture.listenAddress(), ListenOptions.defaults(), Connection::close);
        assertThat(one.address().getPort()).isNotEqualTo(two.address().getPort());
        one.close();
        two.close();
    }

    @Test
    void anAddressThatIsNotAdmittedIsNotHeard() throws IOException {
        var calls = new AtomicInteger();
        Listener listener = openDevice()
                .listen(
                        fixture.listenAddress(),
                        ListenOptions.defaults().withAdmit(address -> false),
                        connection -> calls.incrementAndGet());
        track(listener);
        awaitFailed(connecting(openDevice(), listener.address()));
        assertThat(calls).hasValue(0);
    }

    @Test
    void moreConnectionsThanTheListenerAllowsAreRefusedUntilOneEnds() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec().small(), limits(2, 100));
        Device client = openDevice();
        Link one = connect(client, acceptor, new EndSpec().small());
        Link two = connect(client, acceptor, new EndSpec().small());
        awaitFailed(connecting(client, acceptor.listener().address()));
        exchange(one);
        one.active().closeConnection();
        awaitDisconnected(one.passive());
        one.passive().closeConnection();
        Link three = connect(client, acceptor, new EndSpec().small());
        exchange(two);
        exchange(three);
    }

    @Test
    void anAttemptThatNobodyAnswersTimesOut() throws IOException {
        require(Capability.CONNECT_TIMEOUT);
        var requests = new ConcurrentLinkedQueue<Connection>();
        Listener listener = openDevice().listen(fixture.listenAddress(), ListenOptions.defaults(), requests::add);
        track(listener);
        End end = connecting(openDevice(fixture.shortConnectTimeout()), listener.address());
        awaitFailed(end);
        await("the request", () -> !requests.isEmpty());
        Connection late = requests.remove();
        acceptLate(late);
    }

    /** On the first device. Accepting when the peer is gone says so, or gives a connection that ends at once. */
    private void acceptLate(Connection late) throws IOException {
        End end = passiveEnd(late, devices().getFirst(), new EndSpec().small());
        try {
            late.accept(end.spec.parameters());
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?s).+");
            return;
        }
        await("the end of a late connection", () -> end.hasEvent(ConnectionEvent.Disconnected.class));
        assertThat(end.events.peek()).isInstanceOf(ConnectionEvent.Established.class);
    }

    @Test
    void acceptingAPeerThatHasClosedSaysSoOrEndsAtOnce() throws IOException {
        var requests = new ConcurrentLinkedQueue<Connection>();
        Listener listener = openDevice().listen(fixture.listenAddress(), ListenOptions.defaults(), requests::add);
        track(listener);
        End end = connecting(openDevice(), listener.address());
        await("the request", () -> !requests.isEmpty());
        end.closeConnection();
        acceptLate(requests.remove());
        assertThat(end.events).isEmpty();
    }

    @Test
    void rejectingAPeerThatHasClosedIsNoError() throws IOException {
        var requests = new ConcurrentLinkedQueue<Connection>();
        Listener listener = openDevice().listen(fixture.listenAddress(), ListenOptions.defaults(), requests::add);
        track(listener);
        End end = connecting(openDevice(), listener.address());
        await("the request", () -> !requests.isEmpty());
        end.closeConnection();
        requests.remove().reject(new byte[] {1});
    }

    @Test
    void disconnectBeforeTheAnswerEndsTheAttemptWithOneEvent() throws IOException {
        var requests = new ConcurrentLinkedQueue<Connection>();
        Listener listener = openDevice().listen(fixture.listenAddress(), ListenOptions.defaults(), requests::add);
        track(listener);
        End end = connecting(openDevice(), listener.address());
        end.connection.disconnect();
        awaitFailed(end);
        assertThat(end.events).hasSize(1);
        requests.forEach(Connection::close);
    }

    @Test
    void anUnresolvedAddressIsTheCallersFault() throws IOException {
        Device device = openDevice();
        var unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 20049);
        assertThatIllegalArgumentException().isThrownBy(() -> device.createConnection(unresolved, (c, event) -> {}));
    }

    @Test
    void moreConnectionsOfOneAddressThanAllowedAreRefused() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec().small(), limits(100, 1));
        Device client = openDevice();
        Link one = connect(client, acceptor, new EndSpec().small());
        awaitFailed(connecting(client, acceptor.listener().address()));
        exchange(one);
    }

    private static ListenOptions limits(int connectionsMax, int connectionsPerAddressMax) {
        var defaults = ListenOptions.defaults();
        return new ListenOptions(
                defaults.backlog(),
                defaults.halfOpenMax(),
                connectionsMax,
                connectionsPerAddressMax,
                defaults.handshakeTimeout(),
                defaults.admit());
    }
}
