package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.QueuePairState;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Establishing and ending connections between ends that agree. */
abstract class ConnectionContract extends VerbsContract {

    private static byte[] bytes(int count, int seed) {
        var bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = Patterns.at(i, seed);
        }
        return bytes;
    }

    private static ConnectionEvent.Established established(End end) {
        return end.events.stream()
                .filter(ConnectionEvent.Established.class::isInstance)
                .map(ConnectionEvent.Established.class::cast)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void bothEndsAreReadyWhenEstablished() throws IOException {
        Link link = connect();
        assertThat(link.active().queuePair.state()).isEqualTo(QueuePairState.RTS);
        assertThat(link.passive().queuePair.state()).isEqualTo(QueuePairState.RTS);
        assertThat(link.active().connection.localAddress()).isNotNull();
        assertThat(link.passive().connection.remoteAddress())
                .isEqualTo(link.active().connection.localAddress());
        assertThat(link.active().connection.remoteAddress())
                .isEqualTo(link.passive().connection.localAddress());
        exchange(link);
    }

    @Test
    void privateDataOfAnySizeTravelsBothWays() throws IOException {
        Device server = openDevice();
        Device client = openDevice();
        int max = client.attributes().privateDataBytesMax();
        assertThat(max).isGreaterThanOrEqualTo(56);
        for (int size : new int[] {0, 1, 3, 4, 8, 55, 56, max - 1, max}) {
            Link link = connect(
                    client,
                    server,
                    new EndSpec().small().privateData(bytes(size, 1)),
                    new EndSpec().small().privateData(bytes(max - size, 2)));
            assertThat(link.passive().connection.requested().privateData()).isEqualTo(bytes(size, 1));
            assertThat(established(link.passive()).parameters().privateData()).isEqualTo(bytes(size, 1));
            assertThat(established(link.active()).parameters().privateData()).isEqualTo(bytes(max - size, 2));
        }
    }

    @Test
    void privateDataThatIsTooLongIsTheCallersFault() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec());
        End end = activeEnd(openDevice(), acceptor.listener().address(), new EndSpec());
        int max = end.device.attributes().privateDataBytesMax();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> end.connection.connect(new ConnectionParameters(1, 1, new byte[max + 1])));
        end.connection.connect(new ConnectionParameters(1, 1, new byte[max]));
        await("connected", () -> end.hasEvent(ConnectionEvent.Established.class));
    }

    @ParameterizedTest
    @CsvSource({
        "4, 4, 4, 4",
        "1, 16, 8, 2",
        "16, 1, 2, 8",
        "0, 5, 5, 0",
        "0, 0, 0, 0",
        "5, 0, 0, 5",
        "7, 3, 100, 100",
    })
    void readLimitsAreWhatBothSidesCan(int activeIn, int activeOut, int passiveIn, int passiveOut) throws IOException {
        Link link = connect(new EndSpec().reads(activeIn, activeOut), new EndSpec().reads(passiveIn, passiveOut));
        ConnectionParameters requested = link.passive().connection.requested();
        assertThat(link.passive().connection.isReadLimitKnown()).isTrue();
        assertThat(requested.inboundReads()).as("Reads that the peer wants").isEqualTo(activeOut);
        assertThat(requested.outboundReads()).as("Reads that the peer serves").isEqualTo(activeIn);
        ConnectionParameters active = established(link.active()).parameters();
        ConnectionParameters passive = established(link.passive()).parameters();
        assertThat(passive.outboundReads()).isEqualTo(Math.min(passiveOut, activeIn));
        assertThat(active.outboundReads()).isEqualTo(Math.min(activeOut, passiveIn));
        assertThat(passive.inboundReads()).isGreaterThanOrEqualTo(active.outboundReads());
        assertThat(active.inboundReads()).isGreaterThanOrEqualTo(passive.outboundReads());
        assertThat(link.active().connection.negotiated()).isNotNull();
        assertThat(link.passive().connection.negotiated()).isNotNull();
    }

    @Test
    void moreReadsThanTheDeviceCanAreNotAgreedOn() throws IOException {
        Link link = connect(new EndSpec().reads(5_000, 5_000), new EndSpec().reads(5_000, 5_000));
        var attributes = link.active().device.attributes();
        assertThat(established(link.active()).parameters().outboundReads()).isBetween(1, attributes.outboundReadsMax());
        assertThat(established(link.passive()).parameters().outboundReads())
                .isBetween(1, attributes.outboundReadsMax());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eitherEndMayDisconnectAndBothHearOfItOnce(boolean activeEnds) throws IOException {
        Link link = connect();
        exchange(link);
        End first = activeEnds ? link.active() : link.passive();
        first.connection.disconnect();
        first.connection.disconnect();
        assertThat(awaitDisconnected(link.active()).orderly()).isTrue();
        assertThat(awaitDisconnected(link.passive()).orderly()).isTrue();
        first.connection.disconnect();
    }

    @Test
    void bothEndsMayDisconnectAtOnce() throws IOException {
        Link link = connect();
        exchange(link);
        link.active().connection.disconnect();
        link.passive().connection.disconnect();
        awaitDisconnected(link.active());
        awaitDisconnected(link.passive());
    }

    @Test
    void closingOneEndIsADisconnectForTheOther() throws IOException {
        Link link = connect();
        exchange(link);
        link.active().closeConnection();
        int events = link.active().events.size();
        awaitDisconnected(link.passive());
        link.passive().closeConnection();
        assertThat(link.active().events).as("no event after close").hasSize(events);
        link.active().connection.close();
    }

    @Test
    void aDisconnectRightAfterEstablishedIsHeard() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec().small());
        Device client = openDevice();
        for (int i = 0; i < 20; i++) {
            End end = activeEnd(client, acceptor.listener().address(), new EndSpec().small());
            end.connection.connect(end.spec.parameters());
            await("connected", () -> !end.events.isEmpty());
            end.closeConnection();
        }
        await("twenty accepted", () -> acceptor.accepted().size() == 20);
        for (End end : acceptor.accepted()) {
            awaitDisconnected(end);
            assertThat(end.events.peek()).isInstanceOf(ConnectionEvent.Established.class);
        }
    }

    @Test
    void aConnectionIsClosedInAnyState() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec());
        Device client = openDevice();
        var address = acceptor.listener().address();
        Connection bare = client.createConnection(address, (connection, event) -> {});
        bare.close();
        bare.close();
        activeEnd(client, address, new EndSpec()).closeConnection();
        End connecting = activeEnd(client, address, new EndSpec());
        connecting.connection.connect(connecting.spec.parameters());
        connecting.closeConnection();
        int events = connecting.events.size();
        Link link = connect(client, acceptor.listener().address(), acceptor);
        exchange(link);
        link.active().connection.disconnect();
        link.active().closeConnection();
        awaitDisconnected(link.passive());
        link.passive().closeConnection();
        assertThat(connecting.events).hasSize(events);
    }

    /** An acceptor that has ends already, of connections that may be over. */
    private Link connect(Device client, java.net.InetSocketAddress address, Acceptor acceptor) throws IOException {
        End active = activeEnd(client, address, new EndSpec());
        active.connection.connect(active.spec.parameters());
        await("connected", () -> active.hasEvent(ConnectionEvent.Established.class));
        var passive = new AtomicReference<End>();
        await("the other end", () -> {
            for (End end : acceptor.accepted()) {
                if (end.connection.remoteAddress().equals(active.connection.localAddress())) {
                    passive.set(end);
                }
            }
            return passive.get() != null;
        });
        return new Link(active, java.util.Objects.requireNonNull(passive.get()));
    }

    @Test
    void callsThatComeTwiceOrTooEarlyAreTheCallersFault() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec());
        Device client = openDevice();
        Connection bare = client.createConnection(acceptor.listener().address(), (connection, event) -> {});
        assertThatIllegalStateException().isThrownBy(() -> bare.connect(new EndSpec().parameters()));
        bare.close();
        Link link = connect(client, acceptor, new EndSpec());
        var parameters = new EndSpec().parameters();
        assertThatIllegalStateException()
                .isThrownBy(() -> link.active().connection.connect(parameters));
        assertThatIllegalStateException()
                .isThrownBy(() -> link.passive().connection.accept(parameters));
        assertThatIllegalStateException()
                .isThrownBy(() -> link.active()
                        .connection
                        .createQueuePair(link.active().queuePair.options()));
        exchange(link);
    }

    /** B75. */
    @Test
    void connectionsAreMadeAndEndedManyTimes() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec().small());
        Device client = openDevice();
        for (int i = 0; i < 40; i++) {
            Link link = connect(client, acceptor, new EndSpec().small());
            exchange(link);
            if (i % 2 == 0) {
                link.active().close();
            } else {
                link.passive().closeConnection();
            }
        }
    }

    /** B95: the peer vanishes without a word. */
    @Test
    void aBrokenConnectionIsHeardOfOnBothEnds() throws IOException {
        require(Capability.CONNECTION_LOSS);
        Link link = connect();
        exchange(link);
        fixture.breakConnections(link.passive().device);
        assertThat(awaitDisconnected(link.active()).orderly()).isFalse();
        assertThat(awaitDisconnected(link.passive()).orderly()).isFalse();
        nextReceived(link.active(), 15).forEach(done -> done.flushed(io.rpcrdma4j.verbs.Opcode.RECEIVE));
    }

    @Test
    void aQueuePairWithImpossibleOptionsIsRefusedAndAnotherMayBeMade() throws IOException {
        Device device = openDevice();
        Acceptor acceptor = accept(openDevice(), new EndSpec());
        End donor = activeEnd(device, acceptor.listener().address(), new EndSpec());
        Connection connection = device.createConnection(acceptor.listener().address(), (c, event) -> {});
        var good = donor.queuePair.options();
        int tooDeep = device.attributes().sendQueueDepthMax() + 1;
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> connection.createQueuePair(new io.rpcrdma4j.verbs.QueuePairOptions(
                                good.protectionDomain(),
                                good.sendQueue(),
                                good.receiveQueue(),
                                null,
                                tooDeep,
                                16,
                                1,
                                1,
                                false)))
                .isInstanceOfAny(IOException.class, IllegalArgumentException.class);
        connection.createQueuePair(good).close();
        connection.close();
    }
}
