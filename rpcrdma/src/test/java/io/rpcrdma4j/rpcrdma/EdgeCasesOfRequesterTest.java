package io.rpcrdma4j.rpcrdma;

import static io.rpcrdma4j.rpcrdma.RawMessage.SUCCESS;
import static io.rpcrdma4j.rpcrdma.RawMessage.accepted;
import static io.rpcrdma4j.rpcrdma.RawMessage.call;
import static io.rpcrdma4j.rpcrdma.RawMessage.header;
import static io.rpcrdma4j.rpcrdma.RawMessage.msg;
import static io.rpcrdma4j.rpcrdma.RawMessage.nomsg;
import static io.rpcrdma4j.rpcrdma.RawMessage.opaque;
import static io.rpcrdma4j.rpcrdma.RawMessage.segment;
import static io.rpcrdma4j.rpcrdma.RawMessage.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * What replies at the edge of RFC 8166 and beyond it do to a client. Each test has the number of its row in
 * {@code docs/edge-cases.md}.
 */
@ParameterizedClass
@EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
final class EdgeCasesOfRequesterTest {

    private final ExecutionMode mode;

    private ClientBench bench;

    EdgeCasesOfRequesterTest(ExecutionMode mode) {
        this.mode = mode;
    }

    @BeforeEach
    void open() throws Exception {
        bench = new ClientBench(mode);
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    /** A call of NULL, at the server. */
    private record Pending(ExerciseCall call, RawEnd end, int xid, RawEnd.Received message) {}

    private Pending pend(ExerciseCall call) {
        bench.start(call);
        RawEnd end = bench.server.open();
        RawEnd.Received message = end.take();
        return new Pending(call, end, message.word(0), message);
    }

    /** The server sends something that must be dropped, then the right reply, which must count. */
    private void assertDropped(Pending pending, byte[] message) {
        pending.end.send(message);
        bench.network.settle();
        assertThat(pending.call.isDone()).as("ended by a message to be dropped").isFalse();
        pending.end.send(ClientBench.nullReply(pending.xid));
        bench.await(pending.call);
        assertThat(pending.call.result()).isEqualTo("null");
        bench.assertServes(pending.end);
    }

    /** The Write chunk's only segment, as it was offered: handle, length, address. */
    private static byte[] offered(RawEnd.Received message, long length) {
        return words(message.word(7), length, message.word(9), message.word(10));
    }

    private static long address(RawEnd.Received message) {
        return ((long) message.word(9) << 32) | Integer.toUnsignedLong(message.word(10));
    }

    @Test
    void case02AnErrorOfTwentyBytesEndsItsCall() {
        Pending pending = pend(ExerciseCall.ofNull());
        pending.end.send(words(pending.xid, 1, 1, RawMessage.ERROR, 2));
        bench.assertFails(pending.call, RpcException.Kind.CHUNK_ERROR);
        bench.assertServes(pending.end);
    }

    @Test
    void case03AnErrVersEndsItsCallAndSaysWhatTheServerSpeaks() {
        Pending pending = pend(ExerciseCall.ofNull());
        pending.end.send(words(pending.xid, 1, 1, RawMessage.ERROR, 1, 2, 3));
        bench.assertFails(pending.call, RpcException.Kind.VERSION_ERROR);
        assertThat(pending.call.failure()).hasMessageContaining("2 to 3");
        bench.assertServes(pending.end);
    }

    @Test
    void case05MsgpIsDropped() {
        Pending pending = pend(ExerciseCall.ofNull());
        assertDropped(
                pending, header(pending.xid, 1, 1, RawMessage.MSGP).with(words(8, 0), accepted(pending.xid, SUCCESS)));
    }

    @Test
    void case06DoneIsDropped() {
        Pending pending = pend(ExerciseCall.ofNull());
        assertDropped(pending, header(pending.xid, 1, 1, RawMessage.DONE).with());
    }

    @Test
    void case08AnErrorForAnUnknownCallIsDropped() {
        Pending pending = pend(ExerciseCall.ofNull());
        assertDropped(pending, words(pending.xid + 77, 1, 100, RawMessage.ERROR, 2));
    }

    @Test
    void case35ALongReplyWithoutBytesFailsItsCall() {
        Pending pending = pend(ExerciseCall.text(8000, 1));
        byte[] unused = segmentOfReplyChunk(pending.message, 0);
        pending.end.send(nomsg(pending.xid).replyChunk(unused).with());
        bench.assertFails(pending.call, RpcException.Kind.GARBAGE_REPLY);
        bench.assertServes(pending.end);
    }

    private static byte[] segmentOfReplyChunk(RawEnd.Received message, long length) {
        // Fixed words, no Read list, no Write list, 1, count, then the segment.
        assertThat(message.word(6)).as("Reply chunk present").isEqualTo(1);
        assertThat(message.word(7)).as("segments").isEqualTo(1);
        return words(message.word(8), length, message.word(10), message.word(11));
    }

    @Test
    void case36AWriteListThatWasNotOfferedFailsTheCall() {
        Pending pending = pend(ExerciseCall.text(8000, 1));
        byte[] offered = segmentOfReplyChunk(pending.message, 40);
        pending.end.send(nomsg(pending.xid)
                .writeChunk(segment(1, 4, 0))
                .replyChunk(offered)
                .with());
        bench.assertFails(pending.call, RpcException.Kind.GARBAGE_REPLY);
        bench.assertServes(pending.end);
    }

    @Test
    void case37ASecondWriteChunkThatWasNotOfferedFailsTheCall() {
        Pending pending = pend(bench.callWithSink(5000));
        byte[] first = segmentOfWriteChunk(pending.message, 0);
        pending.end.send(msg(pending.xid)
                .writeChunk(first)
                .writeChunk(segment(1, 4, 0))
                .with(accepted(pending.xid, SUCCESS, words(0))));
        bench.assertFails(pending.call, RpcException.Kind.GARBAGE_REPLY);
        bench.assertServes(pending.end);
    }

    private static byte[] segmentOfWriteChunk(RawEnd.Received message, long length) {
        assertThat(message.word(5)).as("Write list present").isEqualTo(1);
        assertThat(message.word(6)).as("segments").isEqualTo(1);
        return offered(message, length);
    }

    @Test
    void case38AReplyWithAReadListIsDropped() {
        Pending pending = pend(ExerciseCall.ofNull());
        assertDropped(pending, msg(pending.xid).read(44, 7, 8, 0).with(accepted(pending.xid, SUCCESS)));
    }

    @Test
    void case41AGrantOfZeroIsTakenAsOne() {
        Pending pending = pend(ExerciseCall.ofNull());
        pending.end.send(header(pending.xid, 1, 0, RawMessage.MSG).with(accepted(pending.xid, SUCCESS)));
        bench.await(pending.call);
        ExerciseCall first = bench.start(ExerciseCall.ofNull());
        ExerciseCall second = bench.start(ExerciseCall.ofNull());
        RawEnd.Received one = pending.end.take();
        bench.network.settle();
        assertThat(pending.end.received()).as("calls at the server").isEqualTo(2);
        pending.end.send(ClientBench.nullReply(one.word(0)));
        bench.await(first);
        pending.end.send(ClientBench.nullReply(pending.end.take().word(0)));
        bench.await(second);
    }

    @Test
    void case42AGrantBelowTheCallsInFlightHoldsNewCallsBackUntilTheyAreFewer() {
        Pending pending = pend(ExerciseCall.ofNull());
        pending.end.send(header(pending.xid, 1, 4, RawMessage.MSG).with(accepted(pending.xid, SUCCESS)));
        bench.await(pending.call);
        List<ExerciseCall> calls = new ArrayList<>();
        List<Integer> xids = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            calls.add(bench.start(ExerciseCall.ofNull()));
            xids.add(pending.end.take().word(0));
        }
        ExerciseCall held = bench.start(ExerciseCall.ofNull());
        int atServer = pending.end.received();
        // Two replies shrink the window to two: two are in flight still, so that the fifth call stays.
        for (int i = 0; i < 2; i++) {
            pending.end.send(header(xids.get(i), 1, 2, RawMessage.MSG).with(accepted(xids.get(i), SUCCESS)));
            bench.await(calls.get(i));
        }
        bench.network.settle();
        assertThat(pending.end.received()).as("calls at the server").isEqualTo(atServer);
        pending.end.send(header(xids.get(2), 1, 2, RawMessage.MSG).with(accepted(xids.get(2), SUCCESS)));
        bench.await(calls.get(2));
        int xid = pending.end.take().word(0);
        pending.end.send(ClientBench.nullReply(xid));
        bench.await(held);
        pending.end.send(ClientBench.nullReply(xids.get(3)));
        bench.await(calls.get(3));
    }

    @Test
    void case43TheFirstReplyOfAConnectionIsAwaitedBeforeASecondCall() {
        Pending pending = pend(ExerciseCall.ofNull());
        ExerciseCall second = bench.start(ExerciseCall.ofNull());
        bench.network.settle();
        assertThat(pending.end.received()).as("calls at the server").isEqualTo(1);
        pending.end.send(ClientBench.nullReply(pending.xid));
        bench.await(pending.call);
        pending.end.send(ClientBench.nullReply(pending.end.take().word(0)));
        bench.await(second);
    }

    @Test
    void case45TheMemoryOfACancelledCallCannotBeWrittenToAndItsReplyIsDropped() {
        Pending pending = pend(bench.callWithSink(5000));
        pending.call.cancel();
        bench.assertFails(pending.call, RpcException.Kind.CANCELLED);
        // The credit is still out: the next call waits for the late reply.
        ExerciseCall next = bench.start(ExerciseCall.ofNull());
        bench.network.settle();
        assertThat(pending.end.received()).isEqualTo(1);
        pending.end.send(msg(pending.xid)
                .writeChunk(segmentOfWriteChunk(pending.message, 0))
                .with(accepted(pending.xid, SUCCESS, words(0))));
        pending.end.send(ClientBench.nullReply(pending.end.take().word(0)));
        bench.await(next);
        assertThat(pending.call.ends()).isEqualTo(1);
        // Who writes to it nevertheless loses the connection.
        pending.end.write(new byte[8], pending.message.word(7), address(pending.message));
        bench.network.await("the end of the connection", () -> {
            pending.end.poll();
            return pending.end.isOver();
        });
    }

    @Test
    void case47InvalidatingAKeyOfAnotherCallEndsTheConnection() {
        Pending warm = pend(ExerciseCall.ofNull());
        warm.end.send(ClientBench.nullReply(warm.xid));
        bench.await(warm.call);
        Pending first = pend(bench.callWithSink(5000));
        Pending second = pend(bench.callWithSink(5000));
        first.end.sendWithInvalidate(
                second.message.word(7),
                msg(first.xid)
                        .writeChunk(segmentOfWriteChunk(first.message, 0))
                        .with(accepted(first.xid, SUCCESS, words(0))));
        bench.assertFails(second.call, RpcException.Kind.TRANSPORT_LOST);
        bench.await(first.call);
        bench.network.await("the end of the connection", first.end::isOver);
        Pending next = pend(ExerciseCall.ofNull());
        next.end.send(ClientBench.nullReply(next.xid));
        bench.await(next.call);
        assertThat(next.call.result()).isEqualTo("null");
    }

    @Test
    void case48AnInvalidationThatWasNotAskedForDoesNoHarmIfItIsOfThatCall() throws Exception {
        try (var silent =
                new ClientBench(mode, RawPeer.PLAIN, TransportOptions.defaults().withRemoteInvalidation(false))) {
            ExerciseCall call = silent.start(silent.callWithSink(5000));
            RawEnd end = silent.server.connection(0);
            RawEnd.Received message = end.take();
            byte[] result = ExerciseProgram.bytes(5000, 9);
            end.write(result, message.word(7), address(message));
            end.sendWithInvalidate(
                    message.word(7),
                    msg(message.word(0))
                            .writeChunk(segmentOfWriteChunk(message, 5000))
                            .with(accepted(message.word(0), SUCCESS, words(5000))));
            silent.await(call);
            assertThat((byte[]) call.result()).isEqualTo(result);
            silent.assertServes(end);
        }
    }

    @Test
    void case49ACallOfTheServerIsDroppedWhileNothingServesIt() {
        Pending pending = pend(ExerciseCall.ofNull());
        assertDropped(pending, msg(pending.xid + 1000).with(call(pending.xid + 1000, ExerciseProgram.NULL)));
    }

    @Test
    void case50ACallOfTheServerIsNotTakenForTheReplyWithItsXid() {
        Pending pending = pend(ExerciseCall.ofNull());
        assertDropped(
                pending, header(pending.xid, 1, 50, RawMessage.MSG).with(call(pending.xid, ExerciseProgram.NULL)));
    }

    @Test
    void case52AServerThatSaysNothingIsSentAndExpectedToSendAtMost1024Bytes() throws Exception {
        for (byte[] data :
                new byte[][] {{}, RawMessage.hex("f6ab0e18 01 01 03"), RawMessage.hex("f6ab0e18 02 01 03 03")}) {
            try (var silent = new ClientBench(mode, data, TransportOptions.defaults())) {
                byte[] text = ExerciseProgram.bytes(1024 - 28 - 44, 1);
                ExerciseCall call = silent.start(ExerciseCall.longCall(text));
                RawEnd end = silent.server.connection(0);
                RawEnd.Received message = end.take();
                assertThat(message.bytes()).hasSize(1024);
                assertThat(message.word(3)).isEqualTo(RawMessage.MSG);
                int xid = message.word(0);
                end.send(msg(xid).with(accepted(xid, SUCCESS, words(5))));
                silent.await(call);
                assertThat(call.result()).isEqualTo(5);

                call = silent.start(ExerciseCall.longCall(ExerciseProgram.bytes(1024 - 28 - 40, 1)));
                message = end.take();
                assertThat(message.word(3)).isEqualTo(RawMessage.NOMSG);
                xid = message.word(0);
                end.send(msg(xid).with(accepted(xid, SUCCESS, words(6))));
                silent.await(call);

                // 28 bytes of header: a longer reply needs a Reply chunk.
                ExerciseCall expectsMuch = ExerciseCall.text(1, 1);
                expectsMuch.replyBytesMax(1024 - 27);
                silent.start(expectsMuch);
                message = end.take();
                assertThat(message.word(6)).as("Reply chunk").isEqualTo(1);
                xid = message.word(0);
                end.send(msg(xid).with(accepted(xid, SUCCESS, opaque(new byte[] {1}))));
                silent.await(expectsMuch);
                silent.assertServes(end);
            }
        }
    }
}
