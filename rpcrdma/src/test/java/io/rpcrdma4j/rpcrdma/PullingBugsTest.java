package io.rpcrdma4j.rpcrdma;

import static io.rpcrdma4j.rpcrdma.RawMessage.SUCCESS;
import static io.rpcrdma4j.rpcrdma.RawMessage.accepted;
import static io.rpcrdma4j.rpcrdma.RawMessage.call;
import static io.rpcrdma4j.rpcrdma.RawMessage.header;
import static io.rpcrdma4j.rpcrdma.RawMessage.join;
import static io.rpcrdma4j.rpcrdma.RawMessage.msg;
import static io.rpcrdma4j.rpcrdma.RawMessage.opaque;
import static io.rpcrdma4j.rpcrdma.RawMessage.segment;
import static io.rpcrdma4j.rpcrdma.RawMessage.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import io.rpcrdma4j.verbs.memory.Fault;
import io.rpcrdma4j.verbs.memory.FaultPoint;
import io.rpcrdma4j.verbs.memory.FaultScript;
import io.rpcrdma4j.verbs.memory.MemoryProvider;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * What went wrong in other servers when they parsed a call and pulled its chunks. Each test has the number of its row
 * in {@code docs/bugs.md}.
 */
final class PullingBugsTest {

    /** Where the bytes of an opaque first argument begin. */
    private static final int PAYLOAD = 44;

    private static byte[] reply(int xid, byte[] results) {
        return accepted(xid, SUCCESS, results);
    }

    @Test
    void b01APositionBeyondTheInlineBodyGetsErrChunkAndNoRead() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            RawEnd.Exposed memory = peer.exposeForRead(new byte[16]);
            byte[] body = call(xid, ExerciseProgram.NULL);
            bench.assertErrChunk(peer, msg(xid).read(44, memory, 4).with(body));
            // The second chunk's place in the inline bytes is its position minus the first chunk's bytes.
            bench.assertErrChunk(
                    peer, msg(xid).read(40, memory, 8).read(52, memory, 4).with(body));
        }
    }

    @Test
    void b02OverlappingChunksGetErrChunkAndNoRead() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            RawEnd.Exposed memory = peer.exposeForRead(new byte[100]);
            byte[] body = call(xid, ExerciseProgram.LONG_CALL, opaque(new byte[156]));
            bench.assertErrChunk(
                    peer, msg(xid).read(60, memory, 100).read(120, memory, 4).with(body));
        }
    }

    @Test
    void b03AnOversizedSegmentIsRefusedWhileParsingHoweverOften() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.SYNCHRONOUS)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            byte[] message =
                    msg(xid).read(PAYLOAD, 1, 0x7fff_ffffL, 0).with(call(xid, ExerciseProgram.CHECKSUM, words(8, 77)));
            for (int i = 0; i < 100; i++) {
                bench.assertErrChunk(peer, message);
            }
            long buffers = bench.server.buffersOutstanding();
            for (int i = 0; i < 10_000; i++) {
                ServerBench.assertIsErrChunk(bench.exchange(peer, message), message);
            }
            bench.assertIdle();
            assertThat(bench.server.buffersOutstanding()).isEqualTo(buffers);
        }
    }

    @Test
    void b04ASegmentCountOfZeroTouchesNoSegment() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            byte[] body = call(xid, ExerciseProgram.GENERATE, words(5, 9));
            byte[] results = reply(xid, opaque(ExerciseProgram.bytes(5, 9)));
            RawMessage answer = header(xid, 1, 16, RawMessage.MSG);
            assertThat(bench.exchange(peer, msg(xid).writeChunk().with(body)).bytes())
                    .isEqualTo(answer.writeChunk().with(results));
            assertThat(bench.exchange(peer, msg(xid).replyChunk().with(body)).bytes())
                    .as("counts as none offered")
                    .isEqualTo(header(xid, 1, 16, RawMessage.MSG).with(results));
            bench.assertServes(peer);
        }
    }

    @Test
    void b05ASegmentCountWhoseBytesWrapIsRefused() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            byte[] fill = new byte[64 - 28];
            for (long count : new long[] {0x1000_0001L, 0x1000_0000L, 0x2000_0001L, 0xf000_0001L}) {
                bench.assertErrChunk(peer, join(words(xid, 1, 5, 0, 0, 1, count), fill));
                bench.assertErrChunk(peer, join(words(xid, 1, 5, 0, 0, 0, 1, count), fill));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b06InlinePartsBetweenChunksLandInTheirPlaces(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect();
            byte[] first = ExerciseProgram.bytes(4900, 1);
            byte[] second = ExerciseProgram.bytes(3000, 2);
            int xid = bench.nextXid();
            RawEnd.Exposed a = peer.exposeForRead(first);
            RawEnd.Exposed b = peer.exposeForRead(second);
            RawEnd.Received answer = bench.exchange(
                    peer,
                    msg(xid).read(PAYLOAD, a, 4096)
                            .read(PAYLOAD, a.key(), 804, a.address() + 4096)
                            .read(PAYLOAD + 4908, b, 3000)
                            .with(call(xid, ExerciseProgram.TWO_PAYLOADS, words(4900, 0x0102_0304, 3000))));
            assertThat(answer.from(28))
                    .isEqualTo(reply(
                            xid, words(ExerciseCall.checksumOf(first), 0x0102_0304, ExerciseCall.checksumOf(second))));
            bench.assertServes(peer);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b07TwoChunksGiveTheSameResultAsTheSameCallInline(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect();
            byte[] first = ExerciseProgram.bytes(101, 1);
            byte[] second = ExerciseProgram.bytes(50, 2);
            int xid = bench.nextXid();
            byte[] inline = bench.exchange(
                            peer,
                            msg(xid).with(call(
                                    xid, ExerciseProgram.TWO_PAYLOADS, opaque(first), words(5), opaque(second))))
                    .bytes();
            RawEnd.Exposed a = peer.exposeForRead(first);
            RawEnd.Exposed b = peer.exposeForRead(second);
            byte[] chunked = bench.exchange(
                            peer,
                            msg(xid).read(PAYLOAD, a, 101)
                                    .read(PAYLOAD + 104 + 8, b, 50)
                                    .with(call(xid, ExerciseProgram.TWO_PAYLOADS, words(101, 5, 50))))
                    .bytes();
            assertThat(chunked).isEqualTo(inline);
            bench.assertServes(peer);
        }
    }

    @Test
    void b08InlineAndChunkBytesMayFillTheLargestMessageToTheBrimAndNoFurther() throws Exception {
        int payload = 64 * 1024;
        int most = payload + 64 * 1024;
        TransportOptions options = TransportOptions.defaults().withPayloadBytesMax(payload);
        try (var bench = new ServerBench(ExecutionMode.STEPPED, options)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            int rest = most - payload - 52;
            byte[] first = ExerciseProgram.bytes(payload, 1);
            byte[] second = ExerciseProgram.bytes(rest, 2);
            RawEnd.Exposed a = peer.exposeForRead(first);
            RawEnd.Exposed b = peer.exposeForRead(Arrays.copyOf(second, rest + 4));
            RawEnd.Received answer = bench.exchange(
                    peer,
                    msg(xid).read(PAYLOAD, a, payload)
                            .read(PAYLOAD + payload + 8, b, rest)
                            .with(call(xid, ExerciseProgram.TWO_PAYLOADS, words(payload, 5, rest))));
            assertThat(answer.from(28))
                    .isEqualTo(reply(xid, words(ExerciseCall.checksumOf(first), 5, ExerciseCall.checksumOf(second))));
            bench.assertErrChunk(
                    peer,
                    msg(xid).read(PAYLOAD, a, payload)
                            .read(PAYLOAD + payload + 8, b, rest + 4)
                            .with(call(xid, ExerciseProgram.TWO_PAYLOADS, words(payload, 5, rest + 4))));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b09AFailedReadEndsTheConnectionAndTheResendIsServed(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            byte[] payload = ExerciseProgram.bytes(3000, 3);
            RawEnd.Exposed memory = peer.exposeForRead(payload);
            memory.invalidate();
            byte[] body = call(xid, ExerciseProgram.CHECKSUM, words(3000, 77));
            peer.send(msg(xid).read(PAYLOAD, memory, 3000).with(body));
            bench.assertClosed(peer);
            assertThat(bench.program.calls.get()).as("calls executed").isZero();
            RawPeer second = bench.connect();
            RawEnd.Exposed good = second.exposeForRead(payload);
            RawEnd.Received answer =
                    bench.exchange(second, msg(xid).read(PAYLOAD, good, 3000).with(body));
            assertThat(answer.from(28)).isEqualTo(reply(xid, words(ExerciseCall.checksumOf(payload), 77)));
            bench.assertServes(second);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b10ClientsThatAreSlowToServeReadsHoldUpNobodyElse(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            bench.fabric.setFaults(new FaultScript()
                    .always(FaultPoint.READ_RESPONSE, site -> true, new Fault.Delay(Duration.ofSeconds(5))));
            byte[] payload = ExerciseProgram.bytes(100, 3);
            RawPeer[] slow = new RawPeer[4];
            for (int i = 0; i < slow.length; i++) {
                slow[i] = bench.connect();
                RawEnd.Exposed memory = slow[i].exposeForRead(payload);
                slow[i].send(msg(i).read(PAYLOAD, memory, 100).with(call(i, ExerciseProgram.CHECKSUM, words(100, 77))));
            }
            RawPeer quick = bench.connect();
            long before = bench.fabric.nanoTime();
            int xid = bench.nextXid();
            bench.exchange(quick, msg(xid).with(call(xid, ExerciseProgram.NULL)));
            assertThat(bench.fabric.nanoTime() - before)
                    .as("nanoseconds that the NULL call took")
                    .isLessThan(Duration.ofSeconds(1).toNanos());
            bench.fabric.advance(Duration.ofSeconds(6));
            for (int i = 0; i < slow.length; i++) {
                assertThat(slow[i].take().from(28)).isEqualTo(reply(i, words(ExerciseCall.checksumOf(payload), 77)));
            }
        }
    }

    @Test
    void b11CallsOfManySmallSegmentsQueueForTheSendQueueAndAllComplete() throws Exception {
        int segments = 160;
        int calls = 64;
        TransportOptions options =
                TransportOptions.defaults().withCredits(calls).withSendQueueDepth(256);
        try (var bench = new ServerBench(ExecutionMode.STEPPED, options)) {
            RawPeer peer = bench.connect();
            byte[] payload = ExerciseProgram.bytes(segments * 4096, 3);
            RawEnd.Exposed memory = peer.exposeForRead(payload);
            byte[] results = words(ExerciseCall.checksumOf(payload), 77);
            int sent = 0;
            int answered = 0;
            int granted = 1;
            while (answered < calls) {
                while (sent < calls && sent - answered < granted) {
                    RawMessage message = header(sent, 1, calls, RawMessage.MSG);
                    for (int i = 0; i < segments; i++) {
                        message.read(PAYLOAD, memory.key(), 4096, memory.address() + i * 4096L);
                    }
                    peer.send(message.with(call(sent, ExerciseProgram.CHECKSUM, words(payload.length, 77))));
                    sent++;
                }
                RawEnd.Received answer = peer.take();
                assertThat(answer.from(28)).isEqualTo(reply(answer.word(0), results));
                granted = answer.word(2);
                answered++;
            }
            assertThat(granted).as("grant in the end").isGreaterThan(16);
            bench.assertServes(peer);
        }
    }

    @Test
    void b12QueuesShrinkToWhatTheDeviceCanDo() throws Exception {
        DeviceOptions device = DeviceOptions.defaults().withProperties(Map.of(MemoryProvider.QUEUE_DEPTH_MAX, "512"));
        try (var bench = new ServerBench(ExecutionMode.STEPPED, 1, TransportOptions.defaults(), device)) {
            RawPeer peer = bench.connect();
            assertThat(bench.endpoint().sendQueue().depth()).isEqualTo(512);
            bench.assertServes(peer);
        }
    }

    @Test
    void b12QueuesShrinkWhenTheDeviceCannotDoWhatItSays() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            var script = new FaultScript()
                    .always(
                            FaultPoint.CREATE_QUEUE_PAIR,
                            site -> FaultScript.on(bench.serverDevice).test(site) && site.amount() > 300,
                            new Fault.Unavailable("hidden limit"));
            bench.fabric.setFaults(script);
            RawPeer peer = bench.connect();
            assertThat(bench.endpoint().sendQueue().depth()).isEqualTo(256);
            bench.assertServes(peer);
            script.clear();
            script.always(
                    FaultPoint.CREATE_QUEUE_PAIR,
                    FaultScript.on(bench.serverDevice),
                    new Fault.Unavailable("no queue pair at all"));
            RawPeer refused = bench.dial(RawPeer.PLAIN, ServerBench.READS);
            bench.network.await("the refusal", refused::isOver);
            bench.assertServes(peer);
        }
    }

    private static void failWhilePulling(FaultPoint point, Fault fault, int nth) throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            bench.assertServes(peer);
            long buffers = bench.server.buffersOutstanding();
            byte[] first = ExerciseProgram.bytes(9000, 1);
            byte[] second = ExerciseProgram.bytes(70_000, 2);
            RawEnd.Exposed a = peer.exposeForRead(first);
            RawEnd.Exposed b = peer.exposeForRead(second);
            // Faults strike where the Reads are: at the server, or at the client as it answers them.
            var script = new FaultScript();
            var seen = new AtomicInteger();
            bench.fabric.setFaults(script.always(
                    point,
                    site -> (site.opcode() == Opcode.RDMA_READ
                                    || point == FaultPoint.REGISTER
                                    || point == FaultPoint.READ_RESPONSE)
                            && seen.incrementAndGet() >= nth,
                    fault));
            int xid = bench.nextXid();
            peer.send(msg(xid).read(PAYLOAD, a, 4096)
                    .read(PAYLOAD, a.key(), 4904, a.address() + 4096)
                    .read(PAYLOAD + 9008, b, 70_000)
                    .with(call(xid, ExerciseProgram.TWO_PAYLOADS, words(9000, 5, 70_000))));
            bench.network.settle();
            bench.fabric.setFaults(site -> null);
            if (script.fired() == 0) {
                peer.take();
                bench.assertServes(peer);
            } else {
                bench.assertClosed(peer);
                assertThat(bench.program.calls.get())
                        .as("calls executed, the NULL before them")
                        .isEqualTo(1);
            }
            RawPeer next = bench.connect();
            bench.assertServes(next);
            assertThat(bench.server.buffersOutstanding()).as("buffers").isEqualTo(buffers * bench.server.connections());
        }
    }

    @Test
    void b13WhateverFailsWhileReadsAreBuiltEverythingComesHome() throws Exception {
        for (int nth = 1; nth <= 3; nth++) {
            failWhilePulling(FaultPoint.REGISTER, new Fault.Unavailable("injected"), nth);
            failWhilePulling(FaultPoint.POST_SEND, new Fault.Refuse(PostStatus.QUEUE_FULL), nth);
            failWhilePulling(
                    FaultPoint.TRANSMIT, new Fault.Fail(CompletionStatus.LOCAL_PROTECTION_ERROR, "injected"), nth);
            failWhilePulling(FaultPoint.TRANSMIT, new Fault.Flush(), nth);
            failWhilePulling(
                    FaultPoint.READ_RESPONSE, new Fault.Fail(CompletionStatus.REMOTE_ACCESS_ERROR, "injected"), nth);
        }
    }

    @Test
    void b14ACallThatTheProgramDropsReleasesAllThatItHeld() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.SYNCHRONOUS)) {
            RawPeer peer = bench.connect();
            byte[] message = msg(1).with(call(1, ExerciseProgram.DROP));
            for (int i = 0; i < 1000; i++) {
                peer.send(message);
            }
            long buffers = bench.server.buffersOutstanding();
            int receives = bench.endpoint().receiveContexts();
            for (int i = 0; i < 20_000; i++) {
                peer.send(message);
            }
            assertThat(bench.program.calls.get()).isEqualTo(21_000);
            assertThat(bench.endpoint().receiveContexts()).isEqualTo(receives);
            bench.assertServes(peer);
            assertThat(bench.server.buffersOutstanding()).isEqualTo(buffers);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b15AParkedCallIsAnsweredOrDroppedCleanlyEvenIfItsConnectionDied(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect();
            RawEnd.Exposed sink = peer.exposeForWrite(64);
            peer.send(msg(1).with(call(1, ExerciseProgram.PARK)));
            peer.send(msg(2).writeChunk(segment(sink, 64))
                    .with(call(2, ExerciseProgram.PARK_ECHO, opaque(new byte[40]))));
            bench.network.await("the calls to be parked", () -> bench.program.parked() == 2);
            peer.disconnect();
            bench.network.await("the end of the connection", () -> {
                peer.poll();
                return peer.isOver() && bench.server.connections() == 0;
            });
            assertThat(bench.program.answerParked()).isEqualTo(2);
            bench.network.settle();
            assertThat(bench.server.buffersOutstanding()).as("buffers").isZero();
            bench.assertServes(bench.connect());
        }
    }

    @Test
    void b16AnIdleTransportDoesNothingAndNoMessageWaitsForTheNext() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            byte[] payload = ExerciseProgram.bytes(100, 3);
            RawEnd.Exposed memory = peer.exposeForRead(payload);
            for (int i = 0; i < 200; i++) {
                boolean pulled = i % 2 == 0;
                byte[] body =
                        call(i, ExerciseProgram.CHECKSUM, pulled ? words(100, 7) : join(opaque(payload), words(7)));
                peer.send(pulled ? msg(i).read(PAYLOAD, memory, 100).with(body) : msg(i).with(body));
                // Each alone: whatever is lost stays lost.
                assertThat(peer.take().word(0)).isEqualTo(i);
                bench.network.settle();
                assertThat(bench.fabric.step()).as("work left when idle").isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b17APayloadMayBeginAnywhereInItsFirstBuffer(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect();
            for (int offset : new int[] {0, 1, 3, 511, 512, 3000, 4095}) {
                for (int length : new int[] {1, 200, 511, 2000, 3001}) {
                    int xid = bench.nextXid();
                    byte[] body = call(xid, ExerciseProgram.GENERATE_AT, words(offset, length, 5));
                    byte[] expected = ExerciseProgram.bytes(length, 5);
                    // Pulled up below 512 bytes, gathered above.
                    assertThat(bench.exchange(peer, msg(xid).with(body)).from(28))
                            .as("inline, offset %d, length %d", offset, length)
                            .isEqualTo(reply(xid, opaque(expected)));
                    RawEnd.Exposed sink = peer.exposeForWrite(4096);
                    bench.exchange(
                            peer, msg(xid).writeChunk(segment(sink, 4096)).with(body));
                    assertThat(sink.bytes(length)).as("Write chunk").isEqualTo(expected);
                    bench.exchange(
                            peer, msg(xid).replyChunk(segment(sink, 4096)).with(body));
                    assertThat(sink.bytes(28, length)).as("Reply chunk").isEqualTo(expected);
                }
            }
        }
    }
}
