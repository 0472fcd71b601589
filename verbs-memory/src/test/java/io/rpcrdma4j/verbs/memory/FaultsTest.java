package io.rpcrdma4j.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.QueuePairState;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each fault, at each point where it fits, does what it says. */
class FaultsTest {

    private final FaultScript script = new FaultScript();
    private final MemoryFabric fabric = MemoryFabric.builder()
            .mode(ExecutionMode.STEPPED)
            .seed(1)
            .faults(script)
            .build();
    private Pair pair;
    private Pair.Side client;
    private Pair.Side server;

    @BeforeEach
    void connect() throws IOException {
        pair = new Pair(fabric);
        fabric.runUntilIdle();
        client = pair.client;
        server = pair.server();
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void run() {
        fabric.runUntilIdle();
        client.poll();
        server.poll();
    }

    private SendRequest chain(int count) {
        SendRequest first = client.send(0);
        SendRequest last = first;
        for (int i = 1; i < count; i++) {
            SendRequest next = client.send(i);
            last.next(next);
            last = next;
        }
        return first;
    }

    private static List<CompletionStatus> statuses(List<Pair.Done> completions) {
        return completions.stream().map(Pair.Done::status).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void aPostIsRefusedAtTheKthRequestAndTheRestStaysTheCallers(int k) {
        script.once(
                FaultPoint.POST_SEND,
                FaultScript.after(k, FaultScript.on(pair.clientDevice)),
                new Fault.Refuse(PostStatus.DEVICE_ERROR));
        SendRequest refused = Objects.requireNonNull(client.queuePair.postSend(chain(5)));
        assertThat(refused.id()).isEqualTo(k - 1);
        assertThat(refused.postStatus()).isEqualTo(PostStatus.DEVICE_ERROR);
        run();
        assertThat(client.sent).hasSize(k - 1);
        assertThat(client.queuePair.state()).isEqualTo(QueuePairState.RTS);
        client.post(refused);
        run();
        assertThat(client.sent).hasSize(5);
    }

    @Test
    void aReceiveIsRefusedAtTheKthRequest() {
        script.once(
                FaultPoint.POST_RECEIVE, FaultScript.after(2, site -> true), new Fault.Refuse(PostStatus.QUEUE_FULL));
        ReceiveRequest second = server.receive(101);
        ReceiveRequest first = server.receive(100).next(second);
        assertThat(server.queuePair.postReceive(first)).isSameAs(second);
        assertThat(second.postStatus()).isEqualTo(PostStatus.QUEUE_FULL);
    }

    @Test
    void aPostThatMeetsAFlushIsFlushedWithAllThatFollows() {
        script.once(FaultPoint.POST_SEND, site -> site.requestId() == 2, new Fault.Flush());
        assertThat(client.queuePair.postSend(chain(4))).isNull();
        run();
        assertThat(statuses(client.sent)).containsOnly(CompletionStatus.FLUSHED).hasSize(4);
        assertThat(client.has(ConnectionEvent.Disconnected.class)).isTrue();
        assertThat(server.has(ConnectionEvent.Disconnected.class)).isTrue();
    }

    @Test
    void aRequestThatFailsHasItsStatusAndTheOthersAreFlushed() {
        script.once(
                FaultPoint.TRANSMIT,
                site -> site.requestId() == 1,
                new Fault.Fail(CompletionStatus.RETRY_EXCEEDED, "injected"));
        client.post(chain(4));
        run();
        assertThat(client.sent).hasSize(4);
        assertThat(client.sent.get(1).status()).isEqualTo(CompletionStatus.RETRY_EXCEEDED);
        assertThat(statuses(client.sent.subList(2, 4))).containsOnly(CompletionStatus.FLUSHED);
        assertThat(client.sent.get(0).status()).isIn(CompletionStatus.SUCCESS, CompletionStatus.FLUSHED);
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSMIT", "DELIVER", "READ_RESPONSE"})
    void aConnectionBreaksAtEveryPoint(FaultPoint point) {
        script.once(point, site -> true, new Fault.Drop("cut"));
        client.post(client.read(1, server).next(client.send(2)));
        run();
        assertThat(script.fired()).isEqualTo(1);
        assertThat(statuses(client.sent)).containsExactly(CompletionStatus.FLUSHED, CompletionStatus.FLUSHED);
        assertThat(client.events.getLast()).isEqualTo(new ConnectionEvent.Disconnected(false, "cut"));
        assertThat(server.events.getLast()).isEqualTo(new ConnectionEvent.Disconnected(false, "cut"));
    }

    @ParameterizedTest
    @EnumSource(names = {"POST_SEND", "TRANSMIT", "DELIVER", "READ_RESPONSE"})
    void anEndDisconnectsAtEveryPoint(FaultPoint point) {
        script.once(point, site -> true, new Fault.Disconnect());
        client.post(client.read(1, server).next(client.send(2)));
        run();
        assertThat(script.fired()).isEqualTo(1);
        assertThat(client.sent).hasSize(2);
        assertThat(client.events.getLast()).isInstanceOf(ConnectionEvent.Disconnected.class);
        assertThat(((ConnectionEvent.Disconnected) server.events.getLast()).orderly())
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPLETE")
    void aDeviceIsRemovedAtEveryPoint(FaultPoint point) {
        script.once(point, FaultScript.on(pair.clientDevice), new Fault.RemoveDevice("pulled out"));
        reachEveryPoint();
        if (script.fired() == 0) {
            fabric.removeDevice(pair.clientDevice, "a point that only servers reach");
        }
        run();
        assertThat(client.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(server.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> client.domain.allocate(1, 0));
    }

    /** Goes to all points on the client's device, except those of a listening one; failures are fine. */
    private void reachEveryPoint() {
        List<Attempt> attempts = List.of(
                () -> client.queuePair.postReceive(client.receive(100)),
                () -> client.queuePair.postSend(client.send(1)),
                () -> server.queuePair.postSend(server.send(1)),
                () -> server.queuePair.postSend(server.read(2, client)),
                fabric::runUntilIdle,
                () -> client.domain.allocate(10, 0).close(),
                () -> pair.clientDevice.allocateProtectionDomain().close(),
                () -> pair.clientDevice.createCompletionQueue(1, 0, queue -> {}).close(),
                () -> client.domain.createSharedReceiveQueue(1, 1).close(),
                () -> {
                    var window = client.domain.allocateWindow();
                    try {
                        window.bind(client.queuePair, client.data, 0, 1, Access.REMOTE_READ);
                    } finally {
                        window.close();
                    }
                },
                () -> pair.clientDevice
                        .listen(Pair.anyPort(), io.rpcrdma4j.verbs.ListenOptions.defaults(), c -> {})
                        .close(),
                this::connectOnceMore);
        for (Attempt attempt : attempts) {
            try {
                attempt.run();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("removed");
            }
        }
    }

    private void connectOnceMore() throws IOException {
        var connection = pair.clientDevice.createConnection(pair.listener.address(), (c, event) -> {});
        try {
            connection.createQueuePair(client.queuePair.options());
            connection.connect(new io.rpcrdma4j.verbs.ConnectionParameters(1, 1, new byte[0]));
        } finally {
            connection.close();
        }
    }

    private interface Attempt {
        void run() throws IOException;
    }

    @Test
    void aRefusedReadIsARemoteAccessError() {
        script.once(
                FaultPoint.READ_RESPONSE,
                FaultScript.on(pair.serverDevice),
                new Fault.Fail(CompletionStatus.REMOTE_ACCESS_ERROR, "injected"));
        client.post(client.read(1, server).next(client.read(2, server)));
        run();
        assertThat(client.sent)
                .containsExactly(
                        new Pair.Done(1, Opcode.RDMA_READ, CompletionStatus.REMOTE_ACCESS_ERROR),
                        new Pair.Done(2, Opcode.RDMA_READ, CompletionStatus.FLUSHED));
        assertThat(((ConnectionEvent.Disconnected) server.events.getLast()).reason())
                .contains("injected");
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSMIT", "DELIVER", "READ_RESPONSE", "COMPLETE"})
    void aDelayHoldsThingsBackUntilTimeHasPassed(FaultPoint point) {
        script.once(
                point,
                site -> point != FaultPoint.COMPLETE || site.opcode() == Opcode.RDMA_READ,
                new Fault.Delay(Duration.ofMillis(50)));
        client.post(client.read(1, server));
        run();
        assertThat(client.sent).isEmpty();
        fabric.advance(Duration.ofMillis(49));
        run();
        assertThat(client.sent).isEmpty();
        fabric.advance(Duration.ofMillis(1));
        run();
        assertThat(client.sent).containsExactly(new Pair.Done(1, Opcode.RDMA_READ, CompletionStatus.SUCCESS));
    }

    @Test
    void aSendCompletionIsHeldBackUntilAfterTheReply() {
        script.once(
                FaultPoint.COMPLETE,
                site -> site.opcode() == Opcode.SEND && site.requestId() == 7,
                new Fault.Delay(Duration.ofSeconds(1)));
        client.post(client.send(7));
        run();
        server.post(server.send(8));
        run();
        assertThat(client.received).hasSize(1);
        assertThat(client.sent).isEmpty();
        fabric.advance(Duration.ofSeconds(1));
        run();
        assertThat(client.sent).hasSize(1);
    }

    @Test
    void whatCannotBeMadeSaysWhy() throws IOException {
        var unavailable = new Fault.Unavailable("injected shortage");
        for (FaultPoint point : FaultPoint.values()) {
            if (point.compareTo(FaultPoint.REGISTER) >= 0
                    && point != FaultPoint.CONNECT
                    && point != FaultPoint.ACCEPT) {
                script.always(point, site -> true, unavailable);
            }
        }
        var window = new ArrayList<io.rpcrdma4j.verbs.MemoryWindow>();
        List<Attempt> attempts = List.of(
                () -> client.domain.allocate(10, 0),
                () -> client.domain.allocateWindow(),
                () -> pair.clientDevice.allocateProtectionDomain(),
                () -> pair.clientDevice.createCompletionQueue(1, 0, queue -> {}),
                () -> client.domain.createSharedReceiveQueue(1, 1),
                this::connectOnceMore,
                () -> pair.clientDevice.listen(Pair.anyPort(), io.rpcrdma4j.verbs.ListenOptions.defaults(), c -> {}));
        for (Attempt attempt : attempts) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(attempt::run)
                    .withMessage("injected shortage");
        }
        script.clear();
        window.add(client.domain.allocateWindow());
        script.once(FaultPoint.BIND_WINDOW, site -> site.amount() == 5, unavailable);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> window.getFirst().bind(client.queuePair, client.data, 0, 5, Access.REMOTE_READ))
                .withMessage("injected shortage");
        assertThat(window.getFirst().isBound()).isFalse();
        window.getFirst().bind(client.queuePair, client.data, 0, 5, Access.REMOTE_READ);
        window.getFirst().close();
        assertThat(pair.clientDevice.registeredBytes()).isEqualTo(2 * 64 * 1024);
    }

    @Test
    void aConnectThatIsUnavailableFailsWithAnEvent() throws IOException {
        script.once(FaultPoint.CONNECT, site -> true, new Fault.Unavailable("no route"));
        var side = new Pair.Side(
                pair.clientDevice,
                pair.clientDevice.createConnection(pair.listener.address(), (c, event) -> {}),
                q -> {},
                q -> {});
        side.connection.connect(new io.rpcrdma4j.verbs.ConnectionParameters(1, 1, new byte[0]));
        run();
        assertThat(side.events).hasSize(1);
        assertThat(((ConnectionEvent.Failed) side.events.getFirst()).cause()).hasMessage("no route");
        side.close();
    }

    /** B40, B41: a handler whose accept fails rejects the peer at once. */
    @Test
    void anAcceptThatIsUnavailableRejectsThePeer() throws IOException {
        script.once(FaultPoint.ACCEPT, site -> true, new Fault.Unavailable("no memory"));
        Pair.Side before = pair.server();
        var side = new Pair.Side(
                pair.clientDevice,
                pair.clientDevice.createConnection(pair.listener.address(), (c, event) -> {}),
                q -> {},
                q -> {});
        side.connection.connect(new io.rpcrdma4j.verbs.ConnectionParameters(1, 1, new byte[0]));
        run();
        assertThat(side.events).hasSize(1);
        assertThat(side.events.getFirst()).isInstanceOf(ConnectionEvent.Rejected.class);
        side.close();
        pair.server().close();
        pair.accepted.set(before);
    }

    @Test
    void aFaultWhereItCannotHappenIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> script.once(FaultPoint.REGISTER, site -> true, new Fault.Flush()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> script.once(FaultPoint.COMPLETE, site -> true, new Fault.RemoveDevice("")));
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault.Refuse(PostStatus.POSTED));
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault.Fail(CompletionStatus.SUCCESS, ""));
    }

    @Test
    void rulesForANthTimeCountOnEachDevice() {
        script.once(FaultPoint.TRANSMIT, FaultScript.nth(3), new Fault.Flush());
        client.post(client.send(1).next(client.send(2)));
        server.post(server.send(1).next(server.send(2)));
        run();
        assertThat(script.fired()).isZero();
        server.post(server.send(3));
        run();
        assertThat(script.fired()).isEqualTo(1);
    }

    /** No program can bring this about through the verbs: the client is made to believe that it may read more. */
    @Test
    void aPeerWithMoreReadsInFlightThanAgreedIsCutOff() {
        fabric.scheduler().lock.lock();
        try {
            ((FabricQueuePair) client.queuePair).start(4, 100);
        } finally {
            fabric.scheduler().lock.unlock();
        }
        script.once(FaultPoint.READ_RESPONSE, site -> true, new Fault.Delay(Duration.ofSeconds(1)));
        for (int i = 0; i < 5; i++) {
            client.post(client.read(i, server));
        }
        run();
        assertThat(((ConnectionEvent.Disconnected) server.events.getLast()).reason())
                .contains("more than 4 RDMA Reads");
        assertThat(client.sent).hasSize(5);
    }

    @Test
    void aWindowBoundAgainAndAgainHoldsOneKey() throws IOException {
        int before = ((FabricDevice) pair.clientDevice).keys.size();
        try (var window = client.domain.allocateWindow()) {
            for (int i = 0; i < 100; i++) {
                window.bind(client.queuePair, client.data, 0, 5, Access.REMOTE_READ);
                window.invalidate();
            }
            assertThat(((FabricDevice) pair.clientDevice).keys.size()).isEqualTo(before + 1);
        }
    }
}
