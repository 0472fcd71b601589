package io.rpcrdma4j.rpcrdma;

import static io.rpcrdma4j.rpcrdma.RawMessage.PROC_UNAVAIL;
import static io.rpcrdma4j.rpcrdma.RawMessage.SUCCESS;
import static io.rpcrdma4j.rpcrdma.RawMessage.accepted;
import static io.rpcrdma4j.rpcrdma.RawMessage.call;
import static io.rpcrdma4j.rpcrdma.RawMessage.header;
import static io.rpcrdma4j.rpcrdma.RawMessage.join;
import static io.rpcrdma4j.rpcrdma.RawMessage.msg;
import static io.rpcrdma4j.rpcrdma.RawMessage.opaque;
import static io.rpcrdma4j.rpcrdma.RawMessage.segment;
import static io.rpcrdma4j.rpcrdma.RawMessage.untouched;
import static io.rpcrdma4j.rpcrdma.RawMessage.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * What a server answers when the memory that a call offers for its reply is too small, too large, too much, or does not
 * fit what the call asks; and what becomes of connections that start or end oddly. Each test has the number of its row
 * in {@code docs/edge-cases.md}.
 */
@ParameterizedClass
@EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
final class EdgeCasesOfRepliesTest {

    private final ExecutionMode mode;

    private ServerBench bench;
    private RawPeer peer;
    private int xid;

    EdgeCasesOfRepliesTest(ExecutionMode mode) {
        this.mode = mode;
    }

    @BeforeEach
    void connect() throws Exception {
        bench = new ServerBench(mode);
        peer = bench.connect();
        xid = bench.nextXid();
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    private byte[] generate(int length) {
        return call(xid, ExerciseProgram.GENERATE, words(length, 9));
    }

    private static byte[] generated(int length) {
        return ExerciseProgram.bytes(length, 9);
    }

    private byte[] text(int length) {
        return call(xid, ExerciseProgram.TEXT, words(length, 9));
    }

    /** The header of a reply that grants all that {@link RawMessage#msg} asks for, as far as there are Receives. */
    private RawMessage reply(int type) {
        return header(xid, 1, 16, type);
    }

    private void assertAnswer(byte[] message, byte[] expected) {
        assertThat(bench.exchange(peer, message).bytes()).as("answer").isEqualTo(expected);
        bench.assertServes(peer);
    }

    private void assertKeptErrChunk(byte[] message) {
        ServerBench.assertIsErrChunk(bench.exchange(peer, message), message);
        bench.assertServes(peer);
    }

    @Test
    void case26AWriteChunkThatIsTooSmallIsAnsweredErrChunkAndNothingIsWritten() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        assertKeptErrChunk(msg(xid).writeChunk(segment(sink, 9)).with(generate(10)));
        assertKeptErrChunk(
                msg(xid).writeChunk(segment(sink, 4), segment(sink, 8, 5)).with(generate(10)));
        assertThat(sink.bytes(64)).isEqualTo(untouched(64));
    }

    @Test
    void case27SegmentsBehindTheResultComeBackWithLengthZero() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        byte[][] offered = {segment(sink, 8), segment(sink, 16, 8), segment(sink, 32, 8), segment(sink, 48, 8)};
        byte[][] returned = {segment(sink, 8), segment(sink, 16, 5), segment(sink, 32, 0), segment(sink, 48, 0)};
        assertAnswer(
                msg(xid).writeChunk(offered).with(generate(13)),
                reply(RawMessage.MSG).writeChunk(returned).with(accepted(xid, SUCCESS, words(13))));
        assertThat(sink.bytes(0, 8)).isEqualTo(Arrays.copyOf(generated(13), 8));
        assertThat(sink.bytes(16, 5)).isEqualTo(Arrays.copyOfRange(generated(13), 8, 13));
        assertThat(sink.bytes(8, 8)).isEqualTo(untouched(8));
        assertThat(sink.bytes(21, 43)).isEqualTo(untouched(43));
    }

    @Test
    void case28ACallThatFailsReturnsItsWriteChunkUnused() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        assertAnswer(
                msg(xid).writeChunk(segment(sink, 32), segment(sink, 32, 32)).with(call(xid, 99)),
                reply(RawMessage.MSG)
                        .writeChunk(segment(sink, 0), segment(sink, 32, 0))
                        .with(accepted(xid, PROC_UNAVAIL)));
        assertThat(sink.bytes(64)).isEqualTo(untouched(64));
    }

    @Test
    void case29AResultWithoutBytesReturnsItsWriteChunkUnused() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        assertAnswer(
                msg(xid).writeChunk(segment(sink, 64)).with(generate(0)),
                reply(RawMessage.MSG).writeChunk(segment(sink, 0)).with(accepted(xid, SUCCESS, words(0))));
        assertThat(sink.bytes(64)).isEqualTo(untouched(64));
    }

    @Test
    void case30AResultThatMayNotBePlacedReturnsTheWriteListUnused() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        assertAnswer(
                msg(xid).writeChunk(segment(sink, 64)).with(text(13)),
                reply(RawMessage.MSG).writeChunk(segment(sink, 0)).with(accepted(xid, SUCCESS, opaque(generated(13)))));
        assertThat(sink.bytes(64)).isEqualTo(untouched(64));
    }

    @Test
    void case31AWriteChunkWithoutSegmentsKeepsItsResultInline() throws Exception {
        assertAnswer(
                msg(xid).writeChunk().with(generate(13)),
                reply(RawMessage.MSG).writeChunk().with(accepted(xid, SUCCESS, opaque(generated(13)))));
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        byte[] first = ExerciseProgram.bytes(10, 1);
        byte[] second = ExerciseProgram.bytes(20, 2);
        assertAnswer(
                msg(xid).writeChunk()
                        .writeChunk(segment(sink, 64))
                        .with(call(xid, ExerciseProgram.TWO_RESULTS, words(10, 20))),
                reply(RawMessage.MSG)
                        .writeChunk()
                        .writeChunk(segment(sink, 20))
                        .with(accepted(xid, SUCCESS, opaque(first), words(42, 20))));
        assertThat(sink.bytes(20)).isEqualTo(second);
    }

    @Test
    void case32AWriteChunkWithoutAResultComesBackUnused() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        assertAnswer(
                msg(xid).writeChunk(segment(sink, 32))
                        .writeChunk(segment(sink, 32, 32))
                        .with(generate(32)),
                reply(RawMessage.MSG)
                        .writeChunk(segment(sink, 32))
                        .writeChunk(segment(sink, 32, 0))
                        .with(accepted(xid, SUCCESS, words(32))));
        assertThat(sink.bytes(64)).isEqualTo(join(generated(32), untouched(32)));
    }

    @Test
    void case33TheRoomForAPadIsNotWrittenTo() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        assertAnswer(
                msg(xid).writeChunk(segment(sink, 13), segment(sink, 32, 4)).with(generate(13)),
                reply(RawMessage.MSG)
                        .writeChunk(segment(sink, 13), segment(sink, 32, 0))
                        .with(accepted(xid, SUCCESS, words(13))));
        assertThat(sink.bytes(64)).isEqualTo(join(generated(13), untouched(51)));
    }

    @Test
    void case34ASmallReplyTakesTheReplyChunkThatIsOffered() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(128);
        assertAnswer(
                msg(xid).replyChunk(segment(sink, 100), segment(sink, 100, 28)).with(call(xid, ExerciseProgram.NULL)),
                reply(RawMessage.NOMSG)
                        .replyChunk(segment(sink, 24), segment(sink, 100, 0))
                        .with());
        assertThat(sink.bytes(128)).isEqualTo(join(accepted(xid, SUCCESS), untouched(104)));
    }

    @Test
    void case36AWriteListAndAReplyChunkMayBothBeUsedWithTheirExactLengths() throws Exception {
        RawEnd.Exposed result = peer.exposeForWrite(128);
        RawEnd.Exposed rest = peer.exposeForWrite(128);
        byte[] body = accepted(xid, SUCCESS, words(13, 42), opaque(ExerciseProgram.bytes(22, 2)));
        assertAnswer(
                msg(xid).writeChunk(segment(result, 40))
                        .replyChunk(segment(rest, 20), segment(rest, 20, 100))
                        .with(call(xid, ExerciseProgram.TWO_RESULTS, words(13, 22))),
                reply(RawMessage.NOMSG)
                        .writeChunk(segment(result, 13))
                        .replyChunk(segment(rest, 20), segment(rest, 20, body.length - 20))
                        .with());
        assertThat(result.bytes(128)).isEqualTo(join(ExerciseProgram.bytes(13, 1), untouched(115)));
        assertThat(rest.bytes(body.length + 8)).isEqualTo(join(body, untouched(8)));
    }

    @Test
    void case39AReplyThatFitsNowhereIsAnsweredErrChunk() {
        assertKeptErrChunk(msg(xid).with(text(5000)));
        assertKeptErrChunk(msg(xid).with(generate(5000)));
        // 28 bytes of transport header, 24 of RPC header, a length word.
        int most = 4096 - 56;
        assertKeptErrChunk(msg(xid).with(text(most + 1)));
        assertAnswer(
                msg(xid).with(text(most)), reply(RawMessage.MSG).with(accepted(xid, SUCCESS, opaque(generated(most)))));
    }

    @Test
    void case40AReplyChunkThatIsTooSmallIsAnsweredErrChunk() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        assertKeptErrChunk(msg(xid).replyChunk(segment(sink, 23)).with(call(xid, ExerciseProgram.NULL)));
        assertKeptErrChunk(
                msg(xid).replyChunk(segment(sink, 20), segment(sink, 20, 20)).with(text(13)));
        assertThat(sink.bytes(64)).isEqualTo(untouched(64));
    }

    @Test
    void case46ACallWhoseMemoryCannotBeReadEndsTheConnectionTwiceAndIsThenAnsweredErrChunk() throws Exception {
        byte[] payload = ExerciseProgram.bytes(16, 9);
        byte[] body = call(xid, ExerciseProgram.CHECKSUM, words(16, 77));
        byte[] broken = msg(xid).read(44, 0x00ba_d000, 16, 0).with(body);
        RawPeer current = peer;
        for (int i = 0; i < 2; i++) {
            current.send(broken);
            bench.assertClosed(current);
            current = bench.connect();
        }
        ServerBench.assertIsErrChunk(bench.exchange(current, broken), broken);
        bench.assertServes(current);
        // That was the end of it: the same call with good memory is executed.
        RawEnd.Exposed memory = current.exposeForRead(payload);
        RawEnd.Received answer =
                bench.exchange(current, msg(xid).read(44, memory, 16).with(body));
        assertThat(answer.from(28)).isEqualTo(accepted(xid, SUCCESS, words(ExerciseCall.checksumOf(payload), 77)));
        bench.assertServes(current);
    }

    @Test
    void case46AfterOneFailureTheResendIsExecuted() throws Exception {
        byte[] payload = ExerciseProgram.bytes(16, 9);
        byte[] body = call(xid, ExerciseProgram.CHECKSUM, words(16, 77));
        peer.send(msg(xid).read(44, 0x00ba_d000, 16, 0).with(body));
        bench.assertClosed(peer);
        RawPeer second = bench.connect();
        RawEnd.Exposed memory = second.exposeForRead(payload);
        RawEnd.Received answer =
                bench.exchange(second, msg(xid).read(44, memory, 16).with(body));
        assertThat(answer.from(28)).isEqualTo(accepted(xid, SUCCESS, words(ExerciseCall.checksumOf(payload), 77)));
        bench.assertServes(second);
    }

    @Test
    void case52PrivateDataThatSaysNothingMeans1024BytesAndNoInvalidation() throws Exception {
        byte[][] silent = {
            {},
            RawMessage.hex("f6ab0e18"),
            RawMessage.hex("f6ab0e18 01 01 03"),
            RawMessage.hex("f6ab0e18 02 01 03 03"),
            RawMessage.hex("f6ab0e18 00 01 03 03"),
            RawMessage.hex("f6ab0e19 01 01 03 03"),
        };
        int most = 1024 - 56;
        for (byte[] data : silent) {
            RawPeer client = bench.connect(data);
            byte[] tooLong = msg(xid).with(text(most + 1));
            ServerBench.assertIsErrChunk(bench.exchange(client, tooLong), tooLong);
            assertThat(bench.exchange(client, msg(xid).with(text(most))).bytes())
                    .hasSize(1024);
            RawEnd.Exposed sink = client.exposeForWrite(64);
            RawEnd.Received answer = bench.exchange(
                    client, msg(xid).writeChunk(segment(sink, 64)).with(generate(8)));
            assertThat(answer.withInvalidate()).as("invalidates a key").isFalse();
            assertThat(sink.isBound()).isTrue();
            bench.assertServes(client);
        }
    }

    @Test
    void case53TheSmallestSizeThatCanBeSaidIs1024() throws Exception {
        RawPeer client = bench.connect(RawMessage.hex("f6ab0e18 01 00 00 00"));
        byte[] tooLong = msg(xid).with(text(1024 - 55));
        ServerBench.assertIsErrChunk(bench.exchange(client, tooLong), tooLong);
        assertThat(bench.exchange(client, msg(xid).with(text(1024 - 56))).bytes())
                .hasSize(1024);
        bench.assertServes(client);
    }

    @Test
    void case54AClientThatServesNoReadsIsRejected() throws Exception {
        RawPeer client = bench.dial(RawPeer.PLAIN, 0);
        bench.network.await("the rejection", client::isOver);
        assertThat(client.end()).isInstanceOf(ConnectionEvent.Rejected.class);
        assertThat(bench.events.count(TracePoint.INITDEPTH_ERR)).isEqualTo(1);
        assertThat(bench.server.connections()).isEqualTo(1);
        bench.assertServes(peer);
    }

    @Test
    void case55OfTwoResultsAndOneWriteChunkTheFirstTakesItAndTheSecondIsInline() throws Exception {
        RawEnd.Exposed sink = peer.exposeForWrite(64);
        byte[] second = ExerciseProgram.bytes(5, 2);
        assertAnswer(
                msg(xid).writeChunk(segment(sink, 64)).with(call(xid, ExerciseProgram.TWO_RESULTS, words(13, 5))),
                reply(RawMessage.MSG)
                        .writeChunk(segment(sink, 13))
                        .with(accepted(xid, SUCCESS, words(13, 42), opaque(second))));
        assertThat(sink.bytes(64)).isEqualTo(join(ExerciseProgram.bytes(13, 1), untouched(51)));
    }
}
