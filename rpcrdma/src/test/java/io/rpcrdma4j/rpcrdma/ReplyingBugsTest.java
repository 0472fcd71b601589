package io.rpcrdma4j.rpcrdma;

import static io.rpcrdma4j.rpcrdma.RawMessage.SUCCESS;
import static io.rpcrdma4j.rpcrdma.RawMessage.accepted;
import static io.rpcrdma4j.rpcrdma.RawMessage.call;
import static io.rpcrdma4j.rpcrdma.RawMessage.header;
import static io.rpcrdma4j.rpcrdma.RawMessage.msg;
import static io.rpcrdma4j.rpcrdma.RawMessage.opaque;
import static io.rpcrdma4j.rpcrdma.RawMessage.segment;
import static io.rpcrdma4j.rpcrdma.RawMessage.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * What went wrong in other servers when they built and sent a reply. Each test has the number of its row in
 * {@code docs/bugs.md}.
 */
final class ReplyingBugsTest {

    private static ServerBench benchWithSegments(ExecutionMode mode, int segmentsMax) throws Exception {
        return new ServerBench(
                mode,
                1,
                TransportOptions.defaults(),
                DeviceOptions.defaults()
                        .withProperties(Map.of(MemoryProvider.SEGMENTS_MAX, Integer.toString(segmentsMax))));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b18AReplyTooLongForInlineIsErrChunkHoweverManyPiecesItHas(ExecutionMode mode) throws Exception {
        try (var bench = benchWithSegments(mode, 5)) {
            RawPeer peer = bench.connect();
            for (int length : new int[] {4097, 65_536, 1 << 20}) {
                int xid = bench.nextXid();
                byte[] message = msg(xid).with(call(xid, ExerciseProgram.GENERATE, words(length, 1)));
                ServerBench.assertIsErrChunk(bench.exchange(peer, message), message);
                bench.assertServes(peer);
                message = msg(xid).with(call(xid, ExerciseProgram.GENERATE_PAGES, words(length, 1, 512)));
                ServerBench.assertIsErrChunk(bench.exchange(peer, message), message);
                bench.assertServes(peer);
            }
        }
    }

    @Test
    void b18AReplyInMorePiecesThanTheDeviceGathersIsPulledUpIfItFits() throws Exception {
        try (var bench = benchWithSegments(ExecutionMode.STEPPED, 3)) {
            RawPeer peer = bench.connect();
            for (int length : new int[] {600, 1500, 4040}) {
                int xid = bench.nextXid();
                byte[] message = msg(xid).with(call(xid, ExerciseProgram.GENERATE_PAGES, words(length, 1, 100)));
                assertThat(bench.exchange(peer, message).from(28))
                        .isEqualTo(accepted(xid, SUCCESS, opaque(ExerciseProgram.bytes(length, 1))));
            }
            assertThat(bench.events.count(TracePoint.SEND_PULLUP)).isEqualTo(3);
            bench.assertServes(peer);
        }
    }

    @Test
    void b19APullUpHonoursTheOffsetInThePage() throws Exception {
        try (var bench = benchWithSegments(ExecutionMode.STEPPED, 1)) {
            RawPeer peer = bench.connect();
            for (int length : new int[] {200, 2000}) {
                int xid = bench.nextXid();
                byte[] message = msg(xid).with(call(xid, ExerciseProgram.GENERATE_AT, words(3000, length, 7)));
                assertThat(bench.exchange(peer, message).from(28))
                        .isEqualTo(accepted(xid, SUCCESS, opaque(ExerciseProgram.bytes(length, 7))));
            }
            assertThat(bench.events.count(TracePoint.SEND_PULLUP)).isEqualTo(2);
            bench.assertServes(peer);
        }
    }

    @Test
    void b20AReplyLongerThanItsReplyChunkIsNeverCutShort() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            RawEnd.Exposed sink = peer.exposeForWrite(1024);
            for (int length : new int[] {997, 8000}) {
                int xid = bench.nextXid();
                byte[] message = msg(xid).replyChunk(segment(sink, 1024))
                        .with(call(xid, ExerciseProgram.TEXT, words(length, 1)));
                ServerBench.assertIsErrChunk(bench.exchange(peer, message), message);
            }
            int xid = bench.nextXid();
            RawEnd.Received answer = bench.exchange(
                    peer,
                    msg(xid).replyChunk(segment(sink, 1024)).with(call(xid, ExerciseProgram.TEXT, words(996, 1))));
            assertThat(answer.bytes())
                    .isEqualTo(header(xid, 1, 16, RawMessage.NOMSG)
                            .replyChunk(segment(sink, 1024))
                            .with());
            assertThat(sink.bytes(1024)).isEqualTo(accepted(xid, SUCCESS, opaque(ExerciseProgram.bytes(996, 1))));
            bench.assertServes(peer);
        }
    }

    private static byte[][] small(RawEnd.Exposed sink, int count) {
        byte[][] segments = new byte[count][];
        for (int i = 0; i < count; i++) {
            segments[i] = segment(sink, 16L * i, 16);
        }
        return segments;
    }

    @Test
    void b21AChunkOfManySegmentsIsServedOrRefusedAndTheServerStaysUp() throws Exception {
        var few = new TransportOptions(128, 4096, 1 << 20, 16, 16, 128, 4096, true);
        try (var bench = new ServerBench(ExecutionMode.STEPPED, few)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            RawEnd.Exposed sink = peer.exposeForWrite(1024);
            byte[] body = call(xid, ExerciseProgram.GENERATE, words(250, 1));
            bench.assertErrChunk(peer, msg(xid).writeChunk(small(sink, 64)).with(body));
            bench.assertErrChunk(peer, msg(xid).replyChunk(small(sink, 64)).with(body));
            assertThat(bench.exchange(peer, msg(xid).writeChunk(small(sink, 16)).with(body))
                            .word(3))
                    .isEqualTo(RawMessage.MSG);
            assertThat(sink.bytes(250)).isEqualTo(ExerciseProgram.bytes(250, 1));
        }
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            RawEnd.Exposed sink = peer.exposeForWrite(1024);
            byte[] body = call(xid, ExerciseProgram.GENERATE, words(1000, 1));
            bench.exchange(peer, msg(xid).writeChunk(small(sink, 64)).with(body));
            assertThat(sink.bytes(1000)).isEqualTo(ExerciseProgram.bytes(1000, 1));
            bench.assertServes(peer);
        }
    }

    @Test
    void b22TheProgramLearnsHowLongItsReplyMayBeAndALongerOneIsErrChunk() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            int xid = bench.nextXid();
            RawEnd.Exposed sink = peer.exposeForWrite(1 << 20);
            byte[] limit = call(xid, ExerciseProgram.LIMIT);
            assertThat(bench.exchange(peer, msg(xid).with(limit)).from(28))
                    .isEqualTo(accepted(xid, SUCCESS, words(0, 4096 - 28)));
            bench.exchange(peer, msg(xid).replyChunk(segment(sink, 1 << 20)).with(limit));
            assertThat(sink.bytes(32)).isEqualTo(accepted(xid, SUCCESS, words(0, 1 << 20)));
            byte[] tooLong = msg(xid).replyChunk(segment(sink, 1 << 20))
                    .with(call(xid, ExerciseProgram.TEXT, words((1 << 20) + 4068, 1)));
            ServerBench.assertIsErrChunk(bench.exchange(peer, tooLong), tooLong);
            bench.assertServes(peer);
        }
    }

    /** One reply with two Write chunks and a Reply chunk; a fault at the {@code nth} request of the server. */
    private static void failWhileReplying(FaultPoint point, Fault fault, int nth) throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            bench.assertServes(peer);
            long buffers = bench.server.buffersOutstanding();
            RawEnd.Exposed sink = peer.exposeForWrite(4096);
            var script = new FaultScript();
            var seen = new AtomicInteger();
            bench.fabric.setFaults(script.always(
                    point,
                    site -> (point == FaultPoint.REGISTER
                                    || site.opcode() == Opcode.RDMA_WRITE
                                    || site.opcode() == Opcode.SEND)
                            && FaultScript.on(bench.serverDevice).test(site)
                            && seen.incrementAndGet() >= nth,
                    fault));
            int xid = bench.nextXid();
            peer.send(msg(xid).writeChunk(segment(sink, 100), segment(sink, 100, 100))
                    .writeChunk(segment(sink, 200, 200))
                    .replyChunk(segment(sink, 400, 20), segment(sink, 420, 200))
                    .with(call(xid, ExerciseProgram.TWO_RESULTS, words(150, 180))));
            bench.network.settle();
            bench.fabric.setFaults(site -> null);
            if (script.fired() == 0) {
                peer.take();
                bench.assertServes(peer);
            } else {
                bench.assertClosed(peer);
            }
            bench.assertServes(bench.connect());
            assertThat(bench.server.buffersOutstanding())
                    .as("buffers after %s at %s #%d", fault, point, nth)
                    .isEqualTo(buffers * bench.server.connections());
        }
    }

    @Test
    void b23AContextIsPutOnceWhateverFailsWhileAReplyIsSent() throws Exception {
        // Three Writes of results, two of the Reply chunk, the Send.
        for (int nth = 1; nth <= 6; nth++) {
            failWhileReplying(FaultPoint.POST_SEND, new Fault.Refuse(PostStatus.QUEUE_FULL), nth);
            failWhileReplying(FaultPoint.POST_SEND, new Fault.Flush(), nth);
            failWhileReplying(
                    FaultPoint.TRANSMIT, new Fault.Fail(CompletionStatus.REMOTE_ACCESS_ERROR, "injected"), nth);
            failWhileReplying(FaultPoint.TRANSMIT, new Fault.Flush(), nth);
            failWhileReplying(FaultPoint.TRANSMIT, new Fault.Drop("injected"), nth);
        }
    }

    @Test
    void b24AContextIsReleasedIfTheProviderRefusesTheFirstRequest() throws Exception {
        failWhileReplying(FaultPoint.POST_SEND, new Fault.Refuse(PostStatus.INVALID_STATE), 1);
        failWhileReplying(FaultPoint.POST_SEND, new Fault.Refuse(PostStatus.INVALID_REQUEST), 1);
    }

    @Test
    void b25NothingOfAReplyIsReadAfterItWasPosted() throws Exception {
        // The provider completes inside the post, and the context serves the next call before the post returns.
        try (var bench = new ServerBench(ExecutionMode.SYNCHRONOUS)) {
            RawPeer peer = bench.connect();
            RawEnd.Exposed sink = peer.exposeForWrite(4096);
            for (int i = 0; i < 200; i++) {
                int length = 1 + i * 7;
                byte[] expected = ExerciseProgram.bytes(length, i);
                byte[] body = call(i, ExerciseProgram.GENERATE, words(length, i));
                switch (i % 3) {
                    case 0 ->
                        assertThat(bench.exchange(peer, msg(i).with(body)).from(28))
                                .isEqualTo(accepted(i, SUCCESS, opaque(expected)));
                    case 1 -> {
                        bench.exchange(
                                peer, msg(i).writeChunk(segment(sink, 4096)).with(body));
                        assertThat(sink.bytes(length)).isEqualTo(expected);
                    }
                    default -> {
                        bench.exchange(
                                peer, msg(i).replyChunk(segment(sink, 4096)).with(body));
                        assertThat(sink.bytes(28, length)).isEqualTo(expected);
                    }
                }
                bench.assertIdle();
            }
        }
    }

    @Test
    void b26RepliesThatWaitForEntriesAreDroppedByTheCloseAndNotPosted() throws Exception {
        try (var bench = new ServerBench(
                ExecutionMode.STEPPED, TransportOptions.defaults().withSendQueueDepth(16))) {
            RawPeer peer = bench.connect();
            RawEnd.Exposed sink = peer.exposeForWrite(4096);
            bench.fabric.setFaults(new FaultScript()
                    .always(
                            FaultPoint.TRANSMIT,
                            FaultScript.on(bench.serverDevice),
                            new Fault.Delay(Duration.ofSeconds(10))));
            for (int i = 0; i < 8; i++) {
                peer.send(msg(i).writeChunk(small(sink, 6)).with(call(i, ExerciseProgram.GENERATE, words(96, i))));
            }
            bench.network.settle();
            Endpoint endpoint = bench.endpoint();
            assertThat(endpoint.sendQueue().waiting()).as("replies in line").isEqualTo(6);
            int calls = bench.program.calls.get();
            peer.disconnect();
            bench.assertClosed(peer);
            bench.network.settle();
            assertThat(endpoint.sendQueue().waiting()).isZero();
            assertThat(bench.events.count(TracePoint.SQ_RETRY))
                    .as("posted after waiting")
                    .isZero();
            assertThat(endpoint.sends().outstanding()).isZero();
            assertThat(bench.program.calls.get()).isEqualTo(calls);
            bench.fabric.setFaults(site -> null);
            bench.assertServes(bench.connect());
        }
    }

    @Test
    void b29AvailableEntriesStayBetweenNoneAndAll() throws Exception {
        try (var bench = new ServerBench(
                ExecutionMode.STEPPED, TransportOptions.defaults().withSendQueueDepth(16))) {
            RawPeer peer = bench.connect();
            RawEnd.Exposed sink = peer.exposeForWrite(4096);
            RawEnd.Exposed source = peer.exposeForRead(ExerciseProgram.bytes(100, 1));
            SendQueueCheck check = new SendQueueCheck(bench);
            for (int round = 0; round < 40; round++) {
                for (int i = 0; i < 10; i++) {
                    int xid = round * 10 + i;
                    peer.send(
                            i % 2 == 0
                                    ? msg(xid).writeChunk(small(sink, 1 + i))
                                            .with(call(xid, ExerciseProgram.GENERATE, words(16 + 16 * i, 3)))
                                    : msg(xid).read(44, source.key(), 50, source.address())
                                            .read(44, source.key(), 50, source.address() + 50)
                                            .with(call(xid, ExerciseProgram.CHECKSUM, words(100, 3))));
                }
                for (int i = 0; i < 10; i++) {
                    peer.take();
                    check.run();
                }
            }
            bench.assertServes(peer);
            assertThat(check.lowest).as("fewest entries available").isLessThan(16);
        }
    }

    /** Looks at the send queue between any two steps. */
    private static final class SendQueueCheck {
        private final ServerBench bench;
        private int lowest = Integer.MAX_VALUE;

        SendQueueCheck(ServerBench bench) {
            this.bench = bench;
        }

        void run() {
            while (bench.fabric.step()) {
                int available = bench.endpoint().sendQueue().available();
                assertThat(available).isBetween(0, bench.endpoint().sendQueue().depth());
                lowest = Math.min(lowest, available);
            }
        }
    }

    @Test
    void b30ContextsStayFewHoweverSlowlySendsComplete() throws Exception {
        int credits = 32;
        try (var bench = new ServerBench(
                ExecutionMode.STEPPED, TransportOptions.defaults().withCredits(credits))) {
            RawPeer peer = bench.connect();
            RawEnd.Exposed sink = peer.exposeForWrite(16_384);
            bench.fabric.setFaults(new FaultScript()
                    .always(
                            FaultPoint.COMPLETE,
                            site -> FaultScript.on(bench.serverDevice).test(site) && site.opcode() == Opcode.SEND,
                            new Fault.Delay(Duration.ofMillis(10))));
            int calls = 3_000;
            int sent = 0;
            int granted = 1;
            int most = 0;
            long mostBuffers = 0;
            for (int answered = 0; answered < calls; answered++) {
                while (sent < calls && sent - answered < granted) {
                    peer.send(header(sent, 1, 1000, RawMessage.MSG)
                            .writeChunk(segment(sink, 16_384))
                            .with(call(sent, ExerciseProgram.GENERATE, words(16_384, 1))));
                    sent++;
                }
                granted = peer.take().word(2);
                most = Math.max(most, bench.endpoint().sends().created());
                mostBuffers = Math.max(mostBuffers, bench.server.buffersOutstanding());
            }
            assertThat(most).as("send contexts").isBetween(credits, credits + 16);
            // A header buffer and a result for each context, and the Receives.
            assertThat(mostBuffers).as("buffers").isLessThan(2L * (credits + 16) + 4L * credits + 64);
            bench.fabric.setFaults(site -> null);
            bench.fabric.advance(Duration.ofSeconds(1));
            bench.assertServes(peer);
        }
    }

    @Test
    void b31TheLastReplyOnAnIdleConnectionKeepsNoPages() throws Exception {
        try (var bench = new ServerBench(ExecutionMode.STEPPED)) {
            RawPeer peer = bench.connect();
            RawEnd.Exposed sink = peer.exposeForWrite(65_536);
            byte[] message =
                    msg(1).writeChunk(segment(sink, 65_536)).with(call(1, ExerciseProgram.GENERATE, words(65_536, 1)));
            bench.exchange(peer, message);
            bench.network.settle();
            long idle = bench.server.buffersOutstanding();
            bench.exchange(peer, message);
            bench.network.settle();
            assertThat(bench.server.buffersOutstanding()).isEqualTo(idle);
            assertThat(bench.endpoint().sends().outstanding()).isZero();
            // What is left are the Receives and the header buffers of the send contexts.
            assertThat(idle)
                    .isEqualTo((long) bench.endpoint().receiveContexts()
                            + bench.endpoint().sends().created());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
    void b31AContextThatIsPutWhileNothingElseHappensIsDrained(ExecutionMode mode) throws Exception {
        try (var bench = new ServerBench(mode)) {
            RawPeer peer = bench.connect();
            peer.send(msg(1).with(call(1, ExerciseProgram.DROP_LATER)));
            bench.network.await("the call to be parked", () -> bench.program.parked() == 1);
            bench.network.settle();
            assertThat(bench.endpoint().sends().outstanding()).isEqualTo(1);
            bench.program.answerParked();
            assertThat(bench.endpoint().sends().outstanding()).isZero();
            bench.assertServes(peer);
        }
    }

    @Test
    void b33LargeBuffersAreHadFromWhatOtherSizesLeaveUnused() throws Exception {
        try (var bench = new ServerBench(
                ExecutionMode.STEPPED,
                1,
                TransportOptions.defaults(),
                DeviceOptions.defaults().withRegisteredBytesMax(3 << 20))) {
            RawPeer peer = bench.connect();
            RawEnd.Exposed source = peer.exposeForRead(ExerciseProgram.bytes(1 << 20, 1));
            for (int length : new int[] {1 << 20, 300_000, 600_000, 1 << 20}) {
                int xid = bench.nextXid();
                RawEnd.Received answer = bench.exchange(
                        peer,
                        msg(xid).read(44, source, length).with(call(xid, ExerciseProgram.CHECKSUM, words(length, 3))));
                assertThat(answer.from(28))
                        .isEqualTo(accepted(
                                xid, SUCCESS, words(ExerciseCall.checksumOf(ExerciseProgram.bytes(length, 1)), 3)));
            }
            bench.assertServes(peer);
        }
    }

    @Test
    void b34AfterEveryFailureTheClientReconnectsAndAllCallsEnd() throws Exception {
        // Fewer calls in flight than there are between two failures, so that no call fails twice in a row.
        TransportOptions few = TransportOptions.defaults().withCredits(8);
        try (var bench = new Bench(ExecutionMode.STEPPED, 34, few, few, 1)) {
            var reads = new AtomicInteger();
            bench.fabric.setFaults(new FaultScript()
                    .always(
                            FaultPoint.READ_RESPONSE,
                            site -> reads.incrementAndGet() % 50 == 0,
                            new Fault.Fail(CompletionStatus.REMOTE_ACCESS_ERROR, "injected")));
            List<ExerciseCall> calls = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                PayloadBuffer payload = bench.client.memory().allocate(5000);
                ExerciseProgram.fill(payload.segment(), 5000, i);
                ExerciseCall call = ExerciseCall.checksum(payload, 5000, i);
                call.resend(true);
                calls.add(call);
                bench.client.start(call);
            }
            bench.awaitOverTime("all calls", () -> calls.stream().allMatch(ExerciseCall::isDone));
            for (int i = 0; i < calls.size(); i++) {
                assertThat(calls.get(i).result())
                        .isEqualTo(ExerciseCall.checksumOf(ExerciseProgram.bytes(5000, i)) + ":" + i);
            }
            assertThat(reads.get()).as("Reads, ten failures among them").isGreaterThan(500);
        }
    }
}
