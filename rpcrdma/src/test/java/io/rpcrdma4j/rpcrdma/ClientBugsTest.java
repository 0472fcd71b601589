package io.rpcrdma4j.rpcrdma;

import static io.rpcrdma4j.rpcrdma.RawMessage.SUCCESS;
import static io.rpcrdma4j.rpcrdma.RawMessage.accepted;
import static io.rpcrdma4j.rpcrdma.RawMessage.call;
import static io.rpcrdma4j.rpcrdma.RawMessage.header;
import static io.rpcrdma4j.rpcrdma.RawMessage.msg;
import static io.rpcrdma4j.rpcrdma.RawMessage.opaque;
import static io.rpcrdma4j.rpcrdma.RawMessage.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.CallOptions;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpcrdma.client.ClientProbe;
import io.rpcrdma4j.rpcrdma.server.RdmaRpcServer;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import io.rpcrdma4j.verbs.memory.Fault;
import io.rpcrdma4j.verbs.memory.FaultPoint;
import io.rpcrdma4j.verbs.memory.FaultScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** What went wrong in other clients. Each test has the number of its row in {@code docs/bugs.md}. */
final class ClientBugsTest {

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b50AReplyToACallThatWasGivenUpIsDroppedAndTheConnectionStays(ExecutionMode mode) throws Exception {
        try (var bench = new ClientBench(mode)) {
            ExerciseCall call = bench.start(ExerciseCall.ofNull());
            RawEnd end = bench.server.connection(0);
            int xid = end.take().word(0);
            call.cancel();
            bench.assertFails(call, RpcException.Kind.CANCELLED);
            end.send(ClientBench.nullReply(xid));
            end.send(ClientBench.nullReply(xid));
            end.send(ClientBench.nullReply(xid + 1000));
            bench.assertServes(end);
            assertThat(call.ends()).isEqualTo(1);
            assertThat(bench.server.connections()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b65MalformedRepliesUseUpNoReceives(ExecutionMode mode) throws Exception {
        try (var bench = new ClientBench(mode)) {
            ExerciseCall call = bench.start(ExerciseCall.ofNull());
            RawEnd end = bench.server.connection(0);
            int xid = end.take().word(0);
            for (int i = 0; i < 300; i++) {
                end.send(new byte[8]);
                end.send(words(xid, 1, 1, 0, 1));
                bench.network.settle();
            }
            end.send(ClientBench.nullReply(xid));
            bench.await(call);
            assertThat(call.result()).isEqualTo("null");
            bench.assertServes(end);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b66CreditsOfRepliesThatAreDroppedDoNotCount(ExecutionMode mode) throws Exception {
        try (var bench = new ClientBench(mode)) {
            ExerciseCall call = bench.start(ExerciseCall.ofNull());
            RawEnd end = bench.server.connection(0);
            int xid = end.take().word(0);
            end.send(header(xid + 77, 1, 0xffff_ffffL, RawMessage.MSG).with(accepted(xid + 77, SUCCESS)));
            end.send(words(xid, 1, 0xffff_ffffL, 0, 7));
            ExerciseCall second = bench.start(ExerciseCall.ofNull());
            bench.network.settle();
            assertThat(end.received()).as("one credit until the first reply").isEqualTo(1);
            end.send(header(xid, 1, 0xffff_ffffL, RawMessage.MSG).with(accepted(xid, SUCCESS)));
            bench.await(call);
            end.send(header(end.take().word(0), 1, 0xffff_ffffL, RawMessage.MSG).with(accepted(xid + 1, SUCCESS)));
            bench.await(second);
            // More than was asked for is not taken.
            List<ExerciseCall> calls = new ArrayList<>();
            for (int i = 0; i < 140; i++) {
                calls.add(bench.start(ExerciseCall.ofNull()));
            }
            bench.network.settle();
            assertThat(end.received()).as("calls at the server").isEqualTo(2 + 128);
            for (int i = 0; i < 140; i++) {
                end.send(header(end.take().word(0), 1, 128, RawMessage.MSG).with(accepted(xid + 2 + i, SUCCESS)));
                bench.network.settle();
            }
            calls.forEach(bench::await);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b67AServerMayOrMayNotWriteThePad(ExecutionMode mode) throws Exception {
        for (int length : new int[] {5, 5001}) {
            for (int written : new int[] {length, length + 3}) {
                try (var bench = new ClientBench(mode)) {
                    // The sink is as long as the longest result: the pad of that one lies behind it.
                    ExerciseCall call = bench.start(bench.callWithSink(5001));
                    RawEnd end = bench.server.connection(0);
                    RawEnd.Received message = end.take();
                    assertThat(message.word(5)).as("Write list present").isEqualTo(1);
                    int xid = message.word(0);
                    long address = ((long) message.word(9) << 32) | Integer.toUnsignedLong(message.word(10));
                    byte[] result = ExerciseProgram.bytes(length, 9);
                    end.write(Arrays.copyOf(result, written), message.word(7), address);
                    end.send(msg(xid).writeChunk(words(message.word(7), written, message.word(9), message.word(10)))
                            .with(accepted(xid, SUCCESS, words(length))));
                    bench.await(call);
                    assertThat((byte[]) call.result()).isEqualTo(result);
                    bench.assertServes(end);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b68ACallOfTheServerIsDroppedWhereNothingServesIt(ExecutionMode mode) throws Exception {
        try (var bench = new ClientBench(mode)) {
            ExerciseCall call = bench.start(ExerciseCall.ofNull());
            RawEnd end = bench.server.connection(0);
            int xid = end.take().word(0);
            for (int other : new int[] {xid, xid + 1, 0}) {
                end.send(msg(other).with(call(other, ExerciseProgram.NULL)));
                bench.network.settle();
                assertThat(call.isDone()).isFalse();
            }
            end.send(ClientBench.nullReply(xid));
            bench.await(call);
            bench.assertServes(end);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b69ACallEndsOnlyWhenItsSendHasCompleted(ExecutionMode mode) throws Exception {
        try (var bench = new ClientBench(mode)) {
            bench.fabric.setFaults(new FaultScript()
                    .always(
                            FaultPoint.COMPLETE,
                            site -> FaultScript.on(bench.clientDevice).test(site) && site.opcode() == Opcode.SEND,
                            new Fault.Delay(Duration.ofSeconds(3))));
            ExerciseCall call = bench.start(ExerciseCall.ofNull());
            RawEnd end = bench.server.connection(0);
            end.send(ClientBench.nullReply(end.take().word(0)));
            bench.network.settle();
            assertThat(call.isDone())
                    .as("ended while the device has its message")
                    .isFalse();
            bench.fabric.setFaults(site -> null);
            bench.fabric.advance(Duration.ofSeconds(4));
            bench.await(call);
            assertThat(call.result()).isEqualTo("null");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b70CallsThatCannotBeMarshalledKeepNoSlot(ExecutionMode mode) throws Exception {
        try (var bench = new ClientBench(mode)) {
            ExerciseCall first = bench.start(ExerciseCall.ofNull());
            RawEnd end = bench.server.connection(0);
            end.send(ClientBench.nullReply(end.take().word(0)));
            bench.await(first);
            bench.fabric.setFaults(new FaultScript()
                    .always(
                            FaultPoint.BIND_WINDOW,
                            FaultScript.on(bench.clientDevice),
                            new Fault.Unavailable("no keys left")));
            for (int i = 0; i < 1000; i++) {
                ExerciseCall call = bench.start(ExerciseCall.text(8000, 1));
                bench.await(call);
                assertThat(call.failure()).extracting(RpcException::kind).isEqualTo(RpcException.Kind.NOT_SENT);
            }
            bench.fabric.setFaults(site -> null);
            assertThat(end.received()).isEqualTo(1);
            bench.assertServes(end);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void b71b72NoCallerIsForgottenHoweverFewCreditsThereAre(int credits) throws Exception {
        TransportOptions few = TransportOptions.defaults().withCredits(credits).withSendQueueDepth(16);
        int callers = 8;
        int rounds = 200;
        try (var bench = new Bench(ExecutionMode.THREADED, 71, few, few, 1)) {
            var done = new CountDownLatch(callers);
            for (int i = 0; i < callers; i++) {
                Thread.ofPlatform().daemon().start(() -> {
                    for (int round = 0; round < rounds; round++) {
                        bench.client
                                .call(
                                        CallOptions.of(ExerciseProgram.PROGRAM, ExerciseProgram.VERSION),
                                        ExerciseProgram.NULL,
                                        XdrEncoder.VOID,
                                        XdrReader::remaining)
                                .join();
                    }
                    done.countDown();
                });
            }
            assertThat(done.await(20, TimeUnit.SECONDS))
                    .as("all callers are through")
                    .isTrue();
        }
    }

    @Test
    void b73TheConnectionEndsWhateverFailsWhileReceivesArePosted() throws Exception {
        for (int nth = 1; nth < 60; nth += 3) {
            for (Fault fault : List.of(
                    new Fault.Refuse(PostStatus.QUEUE_FULL),
                    new Fault.Flush(),
                    new Fault.Drop("injected"),
                    new Fault.Disconnect())) {
                try (var bench = new Bench(ExecutionMode.STEPPED, nth)) {
                    bench.fabric.setFaults(new FaultScript()
                            .once(
                                    FaultPoint.POST_RECEIVE,
                                    FaultScript.after(nth, FaultScript.on(bench.clientDevice)),
                                    fault));
                    List<ExerciseCall> calls = new ArrayList<>();
                    for (int i = 0; i < 40; i++) {
                        ExerciseCall call = ExerciseCall.ofNull();
                        call.resend(true);
                        calls.add(call);
                        bench.client.start(call);
                    }
                    bench.awaitOverTime("all calls", () -> calls.stream().allMatch(ExerciseCall::isDone));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void b74EventsInAnyStateReleaseEachThingOnce(long seed) throws Exception {
        var random = new SplittableRandom(seed);
        try (var bench = new Bench(ExecutionMode.STEPPED, seed)) {
            List<ExerciseCall> calls = new ArrayList<>();
            for (int i = 0; i < 150; i++) {
                ExerciseCall call = random.nextBoolean() ? ExerciseCall.ofNull() : ExerciseCall.text(5000, i);
                call.resend(random.nextBoolean());
                calls.add(call);
                bench.client.start(call);
                for (int step = random.nextInt(30); step > 0; step--) {
                    bench.fabric.step();
                }
                switch (random.nextInt(12)) {
                    case 0 -> bench.fabric.dropConnections(bench.clientDevice, "injected");
                    case 1 -> bench.fabric.dropConnections(bench.serverDevice, "injected");
                    case 2 ->
                        ClientProbe.endpoints(bench.client)
                                .forEach(endpoint -> endpoint.connection().disconnect());
                    case 3 ->
                        ClientProbe.endpoints(bench.client)
                                .forEach(endpoint -> endpoint.queuePair().toError());
                    case 4 ->
                        ClientProbe.endpoints(bench.client).forEach(endpoint -> endpoint.scheduleClose("injected"));
                    case 5 -> bench.manualTimers.advance(Duration.ofMillis(30).toNanos());
                    default -> {}
                }
            }
            bench.awaitOverTime("all calls", () -> calls.stream().allMatch(ExerciseCall::isDone));
            assertThat(calls).allSatisfy(call -> assertThat(call.ends()).isEqualTo(1));
        }
    }

    @Test
    void b75NothingOfTheOldConnectionIsUsedOnTheNextOne() throws Exception {
        try (var bench = new Bench(ExecutionMode.STEPPED, 75)) {
            PayloadBuffer sink = bench.client.memory().allocate(70_000);
            ExerciseCall warm = bench.run(ExerciseCall.generate(70_000, 1, sink));
            assertThat((byte[]) warm.result()).isEqualTo(ExerciseProgram.bytes(70_000, 1));
            ExerciseCall lost = ExerciseCall.generate(70_000, 2, sink);
            lost.resend(true);
            bench.client.start(lost);
            for (int i = 0; i < 3; i++) {
                bench.fabric.step();
            }
            // The server dies in the middle of it; another device serves its address.
            bench.fabric.removeDevice(bench.serverDevice, "pulled out");
            bench.fabric.runUntilIdle();
            Device second = bench.fabric.openDevice(DeviceOptions.defaults());
            try (var server = RdmaRpcServer.open(
                    second,
                    bench.server.address(),
                    ListenOptions.defaults(),
                    RpcDispatcher.builder().program(new ExerciseProgram()).build(),
                    TransportOptions.defaults(),
                    TransportEvents.NONE)) {
                bench.awaitOverTime("the call", lost::isDone);
                assertThat((byte[]) lost.result()).isEqualTo(ExerciseProgram.bytes(70_000, 2));
                server.shutdown();
                bench.await("the end of the second server", server::isTerminated);
            }
            sink.release();
            second.close();
        }
    }

    @ParameterizedTest
    @EnumSource(value = PostStatus.class, mode = Mode.EXCLUDE, names = "POSTED")
    void b76ARefusedPostEndsTheConnectionAndTheCallsGoOnWithTheNext(PostStatus status) throws Exception {
        try (var bench = new Bench(ExecutionMode.STEPPED, 76)) {
            bench.run(ExerciseCall.ofNull());
            bench.fabric.setFaults(new FaultScript()
                    .once(
                            FaultPoint.POST_SEND,
                            FaultScript.after(3, FaultScript.on(bench.clientDevice)),
                            new Fault.Refuse(status)));
            List<ExerciseCall> calls = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                ExerciseCall call = ExerciseCall.ofNull();
                call.resend(i != 2);
                calls.add(call);
                bench.client.start(call);
            }
            bench.awaitOverTime("all calls", () -> calls.stream().allMatch(ExerciseCall::isDone));
            for (int i = 0; i < 6; i++) {
                if (i == 2) {
                    assertThat(calls.get(i).failure())
                            .extracting(RpcException::kind)
                            .isEqualTo(RpcException.Kind.TRANSPORT_LOST);
                } else {
                    assertThat(calls.get(i).result()).isEqualTo("null");
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b77EveryTruncationOfAReplyCostsThatCallAtMost(ExecutionMode mode) throws Exception {
        try (var bench = new ClientBench(mode)) {
            byte[] payload = ExerciseProgram.bytes(10, 1);
            byte[] whole = msg(0).with(accepted(0, SUCCESS, opaque(payload)));
            for (int length = 0; length <= whole.length; length++) {
                ExerciseCall call = bench.start(ExerciseCall.text(10, 1));
                RawEnd end = bench.server.open();
                int xid = end.take().word(0);
                byte[] reply = msg(xid).with(accepted(xid, SUCCESS, opaque(payload)));
                end.send(Arrays.copyOf(reply, length));
                bench.network.settle();
                if (length == whole.length) {
                    bench.await(call);
                    assertThat((byte[]) call.result()).isEqualTo(payload);
                } else if (call.isDone()) {
                    assertThat(call.failure())
                            .extracting(RpcException::kind)
                            .isEqualTo(RpcException.Kind.GARBAGE_REPLY);
                } else {
                    // Dropped; the whole one counts.
                    end.send(reply);
                    bench.await(call);
                    assertThat((byte[]) call.result()).isEqualTo(payload);
                }
            }
            assertThat(bench.server.connections()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b79NoSendIsLongerThanThePeerSaidItTakes(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect(new byte[0]);
            int xid = bench.nextXid();
            byte[] message = msg(xid).with(call(xid, ExerciseProgram.TEXT, words(2000, 1)));
            ServerBench.assertIsErrChunk(bench.exchange(peer, message), message);
            bench.assertServes(peer);
        }
        try (var bench = new ClientBench(mode, new byte[0], TransportOptions.defaults())) {
            int longest = 0;
            for (int size : new int[] {900, 951, 952, 953, 960, 2000, 4000}) {
                ExerciseCall call = bench.start(ExerciseCall.longCall(new byte[size]));
                RawEnd end = bench.server.connection(0);
                RawEnd.Received message = end.take();
                longest = Math.max(longest, message.bytes().length);
                int xid = message.word(0);
                end.send(msg(xid).with(accepted(xid, SUCCESS, words(1))));
                bench.await(call);
            }
            assertThat(longest).isEqualTo(1024);
        }
    }
}
