package io.rpcrdma4j.rpcrdma;

import static io.rpcrdma4j.rpcrdma.RawMessage.SUCCESS;
import static io.rpcrdma4j.rpcrdma.RawMessage.accepted;
import static io.rpcrdma4j.rpcrdma.RawMessage.call;
import static io.rpcrdma4j.rpcrdma.RawMessage.header;
import static io.rpcrdma4j.rpcrdma.RawMessage.join;
import static io.rpcrdma4j.rpcrdma.RawMessage.msg;
import static io.rpcrdma4j.rpcrdma.RawMessage.nomsg;
import static io.rpcrdma4j.rpcrdma.RawMessage.opaque;
import static io.rpcrdma4j.rpcrdma.RawMessage.segment;
import static io.rpcrdma4j.rpcrdma.RawMessage.untouched;
import static io.rpcrdma4j.rpcrdma.RawMessage.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpcrdma.server.RdmaRpcServer;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import io.rpcrdma4j.verbs.memory.Fault;
import io.rpcrdma4j.verbs.memory.FaultPoint;
import io.rpcrdma4j.verbs.memory.FaultScript;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What went wrong in other servers with connections, credits and devices. Each test has the number of its row in
 * {@code docs/bugs.md}.
 */
final class ServerBugsTest {

    @Test
    void b36AConnectionMayBeClosedAtAnyMomentFromItsRequestOn() throws Exception {
        for (int steps = 0; steps < 60; steps++) {
            try (var bench = new ServerBench(
                    ExecutionMode.STEPPED, steps, TransportOptions.defaults(), DeviceOptions.defaults())) {
                bench.dial(RawPeer.PLAIN, ServerBench.READS);
                for (int i = 0; i < steps; i++) {
                    bench.fabric.step();
                }
                bench.server.shutdown();
                bench.network.await("the server's end", bench.server::isTerminated);
            }
            try (var bench = new ServerBench(
                    ExecutionMode.STEPPED, steps, TransportOptions.defaults(), DeviceOptions.defaults())) {
                RawPeer peer = bench.dial(RawPeer.PLAIN, ServerBench.READS);
                for (int i = 0; i < steps; i++) {
                    bench.fabric.step();
                }
                peer.disconnect();
                bench.network.settle();
                bench.assertServes(bench.connect());
            }
        }
    }

    private static void failWhileAccepting(FaultPoint point, Fault fault, int nth) throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            var script = new FaultScript();
            var seen = new AtomicInteger();
            bench.fabric.setFaults(script.always(
                    point,
                    site -> FaultScript.on(bench.serverDevice).test(site) && seen.incrementAndGet() >= nth,
                    fault));
            long before = bench.fabric.nanoTime();
            RawPeer refused = bench.dial(RawPeer.PLAIN, ServerBench.READS);
            bench.network.settle();
            assertThat(script.fired()).as("faults at %s", point).isPositive();
            assertThat(refused.isOver())
                    .as("the client knows, with %s at %s", fault, point)
                    .isTrue();
            assertThat(bench.fabric.nanoTime()).as("time").isEqualTo(before);
            assertThat(bench.server.connections()).isZero();
            assertThat(bench.server.buffersOutstanding()).isZero();
            bench.fabric.setFaults(site -> null);
            bench.assertServes(bench.connect());
        }
    }

    @Test
    void b40AFailureAtAnyStepOfAcceptingLeavesNothing() throws Exception {
        var unavailable = new Fault.Unavailable("injected");
        failWhileAccepting(FaultPoint.CREATE_COMPLETION_QUEUE, unavailable, 1);
        failWhileAccepting(FaultPoint.CREATE_COMPLETION_QUEUE, unavailable, 2);
        failWhileAccepting(FaultPoint.CREATE_QUEUE_PAIR, unavailable, 1);
        failWhileAccepting(FaultPoint.REGISTER, unavailable, 1);
        failWhileAccepting(FaultPoint.ACCEPT, unavailable, 1);
        for (int nth : new int[] {1, 2, 20}) {
            failWhileAccepting(FaultPoint.POST_RECEIVE, new Fault.Refuse(PostStatus.QUEUE_FULL), nth);
            failWhileAccepting(FaultPoint.POST_RECEIVE, new Fault.Flush(), nth);
        }
    }

    @Test
    void b41AServerWithoutMemoryForAConnectionRejectsItAtOnce() throws Exception {
        try (var bench = new ServerBench(
                ExecutionMode.STEPPED,
                1,
                TransportOptions.defaults(),
                DeviceOptions.defaults().withRegisteredBytesMax(1000))) {
            RawPeer refused = bench.dial(RawPeer.PLAIN, ServerBench.READS);
            bench.network.settle();
            assertThat(refused.end()).isNotNull().isNotInstanceOf(ConnectionEvent.Established.class);
            assertThat(bench.server.connections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void b42TheDeviceMayGoAwayAtAnyMoment(long seed) throws Exception {
        for (int steps = 0; steps < 200; steps += 5) {
            try (var bench = new ServerBench(
                    ExecutionMode.STEPPED, seed, TransportOptions.defaults(), DeviceOptions.defaults())) {
                RawPeer peer = bench.connect();
                RawEnd.Exposed sink = peer.exposeForWrite(4096);
                RawEnd.Exposed source = peer.exposeForRead(new byte[4096]);
                for (int i = 0; i < 10; i++) {
                    peer.send(
                            i % 2 == 0
                                    ? msg(i).writeChunk(segment(sink, 4096))
                                            .with(call(i, ExerciseProgram.GENERATE, words(4096, i)))
                                    : msg(i).read(44, source, 4096)
                                            .with(call(i, ExerciseProgram.CHECKSUM, words(4096, i))));
                }
                peer.send(msg(10).with(call(10, ExerciseProgram.PARK)));
                for (int i = 0; i < steps; i++) {
                    bench.fabric.step();
                }
                bench.fabric.removeDevice(bench.serverDevice, "pulled out");
                bench.network.settle();
                bench.program.answerParked();
                bench.network.settle();
                assertThat(bench.server.connections()).isZero();
                assertThat(bench.server.isListening()).isFalse();
                assertThat(bench.events.count(TracePoint.DEVICE_REMOVAL)).isEqualTo(1);
            }
        }
    }

    @Test
    void b42TheClientsDeviceMayGoAwayAtAnyMoment() throws Exception {
        for (int steps = 0; steps < 200; steps += 5) {
            try (var bench = new Bench(ExecutionMode.STEPPED, steps)) {
                List<ExerciseCall> calls = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    ExerciseCall call = i % 2 == 0 ? ExerciseCall.text(5000, i) : ExerciseCall.longCall(new byte[5000]);
                    calls.add(call);
                    bench.client.start(call);
                }
                for (int i = 0; i < steps; i++) {
                    bench.fabric.step();
                }
                bench.fabric.removeDevice(bench.clientDevice, "pulled out");
                bench.awaitOverTime("the end of all calls", () -> calls.stream().allMatch(ExerciseCall::isDone));
                assertThat(calls).allSatisfy(call -> assertThat(call.ends()).isEqualTo(1));
                bench.fabric.runUntilIdle();
                assertThat(bench.server.connections()).isZero();
            }
        }
    }

    @Test
    void b43AfterAnAddressChangeTheServerListensAgainOrSaysThatItDoesNot() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            bench.fabric.changeAddress(bench.serverDevice, InetAddress.getLoopbackAddress());
            bench.network.settle();
            assertThat(bench.server.isListening()).isTrue();
            bench.assertServes(bench.connect());
            bench.assertServes(peer);
            bench.fabric.setFaults(
                    new FaultScript().always(FaultPoint.LISTEN, site -> true, new Fault.Unavailable("no address")));
            bench.fabric.changeAddress(bench.serverDevice, InetAddress.getLoopbackAddress());
            bench.network.settle();
            assertThat(bench.server.isListening()).isFalse();
            bench.assertServes(peer);
            bench.fabric.setFaults(site -> null);
            bench.fabric.changeAddress(bench.serverDevice, InetAddress.getLoopbackAddress());
            bench.network.settle();
            assertThat(bench.server.isListening()).isTrue();
            bench.assertServes(bench.connect());
        }
    }

    @Test
    void b45EveryReplyGrantsAtLeastOneCreditAndNeverMoreThanThereAreReceives() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            byte[] good = call(xid, ExerciseProgram.NULL);
            for (long asked : new long[] {0, 1, 5, 128, 129, 0xffff_ffffL}) {
                for (byte[] message : List.of(
                        header(xid, 1, asked, RawMessage.MSG).with(good),
                        header(xid, 1, asked, RawMessage.MSG).with(call(xid, 99)),
                        header(xid, 1, asked, RawMessage.MSG).with(call(xid + 1, 0)),
                        header(xid, 2, asked, RawMessage.MSG).with(good),
                        header(xid, 1, asked, RawMessage.NOMSG).with(),
                        header(xid, 1, asked, RawMessage.MSG).with(call(xid, ExerciseProgram.TEXT, words(9000, 1))))) {
                    int granted = bench.exchange(peer, message).word(2);
                    assertThat(granted)
                            .as("granted of %d asked", asked)
                            .isBetween(1, bench.endpoint().receivesPosted());
                    if (asked > 0) {
                        assertThat((long) granted).isLessThanOrEqualTo(asked);
                    }
                }
            }
        }
    }

    /** Keeps as many calls in flight as are granted. */
    private static int fill(ServerBench bench, RawPeer peer, int rounds) {
        int granted = 1;
        for (int round = 0; round < rounds; round++) {
            int parked = 0;
            for (; parked < granted - 1; parked++) {
                peer.send(header(parked, 1, 0xffff_ffffL, RawMessage.MSG).with(call(parked, ExerciseProgram.PARK)));
            }
            peer.send(header(-1, 1, 0xffff_ffffL, RawMessage.MSG).with(call(-1, ExerciseProgram.NULL)));
            bench.network.settle();
            bench.program.answerParked();
            for (int i = 0; i <= parked; i++) {
                bench.network.settle();
                bench.program.answerParked();
                int offered = peer.take().word(2);
                assertThat(offered).as("grant").isBetween(1, bench.endpoint().receivesPosted());
                granted = offered;
            }
        }
        return granted;
    }

    @Test
    void b46AskingForEverythingGetsTheConfiguredMostAndReceivesAreThereForIt() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            assertThat(fill(bench, peer, 8)).isEqualTo(128);
            bench.assertServes(peer);
        }
    }

    @Test
    void b46WithMemoryForFewReceivesFewCreditsAreGranted() throws Exception {
        // One slab: 64 buffers of 4 KiB for Receives and send contexts.
        try (var bench = new ServerBench(
                ExecutionMode.STEPPED,
                1,
                TransportOptions.defaults(),
                DeviceOptions.defaults().withRegisteredBytesMax(RegisteredPool.SLAB_BYTES))) {
            RawPeer peer = bench.connect();
            assertThat(fill(bench, peer, 8)).isBetween(1, 63);
            bench.assertServes(peer);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b47AClientThatServesOneReadAtATimeIsServed(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.dial(RawPeer.PLAIN, 1);
            bench.network.await("the connection", peer::isEstablished);
            byte[] payload = ExerciseProgram.bytes(800, 1);
            RawEnd.Exposed memory = peer.exposeForRead(payload);
            for (int xid = 0; xid < 3; xid++) {
                RawMessage message = msg(xid);
                for (int i = 0; i < 8; i++) {
                    message.read(44, memory.key(), 100, memory.address() + 100L * i);
                }
                peer.send(message.with(call(xid, ExerciseProgram.CHECKSUM, words(800, 7))));
            }
            for (int xid = 0; xid < 3; xid++) {
                assertThat(peer.take().from(28))
                        .isEqualTo(accepted(xid, SUCCESS, words(ExerciseCall.checksumOf(payload), 7)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b48NothingIsInvalidatedUnlessTheClientAllowsItAndTheCallHasOneKey(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            List<byte[]> silent = new ArrayList<>();
            silent.add(new byte[0]);
            silent.add(RawMessage.hex("f6ab0e18"));
            silent.add(RawMessage.hex("f6ab0e18 01 01 03"));
            silent.add(RawMessage.hex("f6ab0e18 01 00 03 03"));
            silent.add(new byte[196]);
            for (byte[] data : silent) {
                assertThat(invalidates(bench, bench.connect(data), false)).isFalse();
            }
            RawPeer willing = bench.connect(RawPeer.INVALIDATING);
            assertThat(invalidates(bench, willing, false)).isTrue();
            assertThat(invalidates(bench, willing, true)).isFalse();
            byte[] refused = msg(9).writeChunk(segment(willing.exposeForWrite(4), 4))
                    .with(call(9, ExerciseProgram.GENERATE, words(5, 1)));
            ServerBench.assertIsErrChunk(bench.exchange(willing, refused), refused);
        }
        TransportOptions never = TransportOptions.defaults().withRemoteInvalidation(false);
        try (var bench = new ServerBench(mode, never)) {
            assertThat(invalidates(bench, bench.connect(RawPeer.INVALIDATING), false))
                    .isFalse();
        }
    }

    private static boolean invalidates(ServerBench bench, RawPeer peer, boolean twoKeys) throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        RawEnd.Exposed other = twoKeys ? peer.exposeForWrite(64) : sink;
        int xid = bench.nextXid();
        RawEnd.Received answer = bench.exchange(
                peer,
                msg(xid).writeChunk(segment(sink, 32), segment(other, 32, 32))
                        .with(call(xid, ExerciseProgram.GENERATE, words(40, 1))));
        assertThat(sink.isBound()).isEqualTo(!answer.withInvalidate());
        if (answer.withInvalidate()) {
            assertThat(answer.invalidatedKey()).isEqualTo(sink.key());
        }
        return answer.withInvalidate();
    }

    @Test
    void b49ThePortOfNfsOverRdmaIs20049() {
        assertThat(RdmaRpcServer.NFS_RDMA_PORT).isEqualTo(20_049);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b51ArgumentsOfEverySizeWork(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 51)) {
            for (int size : new int[] {1, 400, 1023, 1024, 1025, 4095, 4096, 8192, 1 << 20}) {
                PayloadBuffer payload = bench.client.memory().allocate(size);
                ExerciseProgram.fill(payload.segment(), size, size);
                ExerciseCall call = bench.run(ExerciseCall.checksum(payload, size, 1));
                assertThat(call.result()).isEqualTo(ExerciseCall.checksumOf(ExerciseProgram.bytes(size, size)) + ":1");
            }
        }
    }

    @Test
    void b52AHeaderFullOfSegmentsOfOneByteIsServedAsFarAsTheLimitsGo() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            byte[] payload = ExerciseProgram.bytes(160, 1);
            RawEnd.Exposed memory = peer.exposeForRead(payload);
            for (int count : new int[] {40, 160}) {
                int xid = bench.nextXid();
                RawMessage message = msg(xid);
                for (int i = 0; i < count; i++) {
                    message.read(44, memory.key(), 1, memory.address() + i);
                }
                RawEnd.Received answer =
                        bench.exchange(peer, message.with(call(xid, ExerciseProgram.CHECKSUM, words(count, 7))));
                assertThat(answer.from(28))
                        .isEqualTo(accepted(
                                xid, SUCCESS, words(ExerciseCall.checksumOf(ExerciseProgram.bytes(count, 1)), 7)));
            }
        }
        var few = new TransportOptions(128, 4096, 1 << 20, 16, 16, 128, 4096, true);
        try (var bench = new ServerBench(ExecutionMode.STEPPED, few)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            RawMessage message = msg(xid);
            for (int i = 0; i < 40; i++) {
                message.read(44, 1, 1, i);
            }
            bench.assertErrChunk(peer, message.with(call(xid, ExerciseProgram.CHECKSUM, words(40, 7))));
        }
    }

    @Test
    void b53AHandlerThatAnswersLaterHasItsArgumentsUntilItsReplyWasSent() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.THREADED)) {
            RawPeer peer = bench.connect();
            byte[] pulled = ExerciseProgram.bytes(3000, 5);
            byte[] inline = ExerciseProgram.bytes(900, 6);
            RawEnd.Exposed memory = peer.exposeForRead(pulled);
            peer.send(msg(1).read(44, memory, 3000).with(call(1, ExerciseProgram.PARK_ECHO, words(3000))));
            peer.send(msg(2).with(call(2, ExerciseProgram.PARK_ECHO, opaque(inline))));
            bench.network.await("both calls", () -> bench.program.parked() == 2);
            // Many calls reuse every buffer that is free meanwhile.
            for (int i = 100; i < 300; i++) {
                byte[] fill = ExerciseProgram.bytes(1000, i);
                bench.exchange(peer, msg(i).with(call(i, ExerciseProgram.ECHO, opaque(fill))));
            }
            Thread later = Thread.ofPlatform().start(bench.program::answerParked);
            RawEnd.Received first = peer.take();
            RawEnd.Received second = peer.take();
            later.join();
            RawEnd.Received toPulled = first.word(0) == 1 ? first : second;
            RawEnd.Received toInline = first.word(0) == 1 ? second : first;
            assertThat(toPulled.from(28)).isEqualTo(accepted(1, SUCCESS, opaque(pulled)));
            assertThat(toInline.from(28)).isEqualTo(accepted(2, SUCCESS, opaque(inline)));
            bench.assertServes(peer);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b54ResultsOfOddLengthArriveExactAndTheirPadStaysHome(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect();
            for (int length : new int[] {1, 2, 3, 5}) {
                int xid = bench.nextXid();
                RawEnd.Exposed sink = peer.exposeForWrite(16);
                byte[] body = call(xid, ExerciseProgram.GENERATE_AT, words(length, length, 3));
                byte[] expected = ExerciseProgram.bytes(length, 3);
                RawEnd.Received answer = bench.exchange(
                        peer, msg(xid).writeChunk(segment(sink, 16)).with(body));
                assertThat(answer.bytes())
                        .isEqualTo(header(xid, 1, 16, RawMessage.MSG)
                                .writeChunk(segment(sink, length))
                                .with(accepted(xid, SUCCESS, words(length))));
                assertThat(sink.bytes(16)).isEqualTo(join(expected, untouched(16 - length)));
                assertThat(bench.exchange(peer, msg(xid).with(body)).from(28))
                        .isEqualTo(accepted(xid, SUCCESS, opaque(expected)));
            }
            bench.assertServes(peer);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b55TheBytesOfAnArgumentAreFoundWhicheverWayTheyCame(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect();
            byte[] payload = ExerciseProgram.bytes(41, 1);
            RawEnd.Exposed memory = peer.exposeForRead(payload);
            byte[] results = words(ExerciseCall.checksumOf(payload), 0x0708_090a);
            byte[] reduced = call(1, ExerciseProgram.CHECKSUM, words(41, 0x0708_090a));
            byte[] whole = call(1, ExerciseProgram.CHECKSUM, opaque(payload), words(0x0708_090a));
            RawEnd.Exposed longReduced = peer.exposeForRead(reduced);
            RawEnd.Exposed longWhole = peer.exposeForRead(whole);
            for (byte[] message : List.of(
                    msg(1).with(whole),
                    msg(1).read(44, memory, 41).with(reduced),
                    nomsg(1).read(0, longWhole, whole.length).with(),
                    nomsg(1).read(0, longReduced, reduced.length)
                            .read(44, memory, 41)
                            .with())) {
                assertThat(bench.exchange(peer, message).from(28)).isEqualTo(accepted(1, SUCCESS, results));
            }
            bench.assertServes(peer);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b60TheCallBeginsBehindItsHeaderWhicheverListsThatHas(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect();
            byte[] payload = ExerciseProgram.bytes(8, 1);
            RawEnd.Exposed memory = peer.exposeForRead(payload);
            RawEnd.Exposed sink = peer.exposeForWrite(64);
            byte[] results = words(ExerciseCall.checksumOf(payload), 7);
            for (int lists = 0; lists < 8; lists++) {
                boolean read = (lists & 1) != 0;
                boolean write = (lists & 2) != 0;
                boolean reply = (lists & 4) != 0;
                RawMessage message = msg(lists);
                if (read) {
                    message.read(44, memory, 8);
                }
                if (write) {
                    message.writeChunk(segment(sink, 8));
                }
                if (reply) {
                    message.replyChunk(segment(sink, 64));
                }
                byte[] argument = read ? words(8) : opaque(payload);
                RawEnd.Received answer =
                        bench.exchange(peer, message.with(call(lists, ExerciseProgram.CHECKSUM, argument, words(7))));
                byte[] expected = accepted(lists, SUCCESS, results);
                byte[] actual = reply ? sink.bytes(expected.length) : answer.from(write ? 28 + 24 : 28);
                assertThat(actual).as("lists %d", lists).isEqualTo(expected);
                bench.assertServes(peer);
            }
        }
    }
}
