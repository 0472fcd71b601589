package io.rpcrdma4j.rpcrdma;

import static io.rpcrdma4j.rpcrdma.RawMessage.GARBAGE_ARGS;
import static io.rpcrdma4j.rpcrdma.RawMessage.SUCCESS;
import static io.rpcrdma4j.rpcrdma.RawMessage.accepted;
import static io.rpcrdma4j.rpcrdma.RawMessage.call;
import static io.rpcrdma4j.rpcrdma.RawMessage.header;
import static io.rpcrdma4j.rpcrdma.RawMessage.join;
import static io.rpcrdma4j.rpcrdma.RawMessage.msg;
import static io.rpcrdma4j.rpcrdma.RawMessage.nomsg;
import static io.rpcrdma4j.rpcrdma.RawMessage.opaque;
import static io.rpcrdma4j.rpcrdma.RawMessage.segment;
import static io.rpcrdma4j.rpcrdma.RawMessage.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.memory.ExecutionMode;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * What calls at the edge of RFC 8166 and beyond it do to a server: headers, Read lists. Each test has the number of its
 * row in {@code docs/edge-cases.md}, which says what is right. Every case is followed by a NULL call on the same
 * connection, and leaves nothing behind.
 */
@ParameterizedClass
@EnumSource(mode = Mode.EXCLUDE, names = "THREADED")
final class EdgeCasesOfCallsTest {

    /** Where the first argument begins. */
    private static final int ARGUMENTS = 40;
    /** Where the bytes of an opaque first argument begin. */
    private static final int PAYLOAD = ARGUMENTS + 4;

    private final ExecutionMode mode;

    private ServerBench bench;
    private RawPeer peer;
    private int xid;

    EdgeCasesOfCallsTest(ExecutionMode mode) {
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

    private byte[] nullCall() {
        return call(xid, ExerciseProgram.NULL);
    }

    private static byte[] checksums(byte[] payload, int behind) {
        return words(ExerciseCall.checksumOf(payload), behind);
    }

    /** Sends a call, and asserts that it succeeds with these results. */
    private void assertResults(byte[] message, byte[] results) {
        RawEnd.Received answer = bench.exchange(peer, message);
        assertThat(answer.from(28)).as("reply").isEqualTo(accepted(xid, SUCCESS, results));
        bench.assertServes(peer);
    }

    /** Sends a call, and asserts that it is answered GARBAGE_ARGS and not executed. */
    private void assertGarbage(byte[] message) {
        int calls = bench.program.calls.get();
        RawEnd.Received answer = bench.exchange(peer, message);
        assertThat(answer.from(28)).as("reply").isEqualTo(accepted(xid, GARBAGE_ARGS));
        assertThat(bench.program.calls.get()).as("calls executed").isEqualTo(calls);
        bench.assertServes(peer);
    }

    private int readsPosted() {
        return bench.events.count(TracePoint.POST_READ_CHUNK);
    }

    @Test
    void case01SendsWithoutTheFixedWordsAreDroppedAndThoseWithoutListsAnsweredErrChunk() {
        byte[] whole = msg(xid).with();
        for (int length = 0; length < 16; length++) {
            bench.assertDropped(peer, Arrays.copyOf(whole, length));
        }
        for (int length = 16; length < 28; length++) {
            bench.assertErrChunk(peer, Arrays.copyOf(whole, length));
        }
    }

    @Test
    void case03OtherVersionsAreAnsweredErrVersWithTheirOwnVersionWord() {
        for (long version : new long[] {0, 2, 0xffff_ffffL}) {
            RawEnd.Received answer =
                    bench.exchange(peer, header(xid, version, 5, RawMessage.MSG).with(nullCall()));
            assertThat(answer.bytes()).isEqualTo(words(xid, version, 5, RawMessage.ERROR, 1, 1, 1));
            bench.assertServes(peer);
        }
        assertThat(bench.program.calls.get()).as("NULL calls only").isEqualTo(3);
    }

    @Test
    void case04UnknownTypesAreAnsweredErrChunk() {
        for (long type : new long[] {5, 6, 0x8000_0000L, 0xffff_ffffL}) {
            bench.assertErrChunk(peer, header(xid, 1, 5, type).with(nullCall()));
        }
    }

    @Test
    void case05MsgpIsAnsweredErrChunk() {
        bench.assertErrChunk(peer, header(xid, 1, 5, RawMessage.MSGP).with(words(4096, 0), nullCall()));
    }

    @Test
    void case06DoneIsDropped() {
        bench.assertDropped(peer, words(xid, 1, 5, RawMessage.DONE));
        bench.assertDropped(peer, header(xid, 1, 5, RawMessage.DONE).with());
    }

    @Test
    void case07ErrorsSentToAServerAreDropped() {
        bench.assertDropped(peer, words(xid, 1, 5, RawMessage.ERROR, 2));
        bench.assertDropped(peer, words(xid, 1, 5, RawMessage.ERROR, 1, 1, 1));
        bench.assertDropped(peer, words(xid, 2, 5, RawMessage.ERROR, 1, 1, 1));
    }

    @Test
    void case09NomsgWithoutACallChunkIsAnsweredErrChunk() throws Exception {
        bench.assertErrChunk(peer, nomsg(xid).with());
        bench.assertErrChunk(peer, nomsg(xid).with(nullCall()));
        RawEnd.Exposed memory = peer.exposeForRead(nullCall());
        bench.assertErrChunk(peer, nomsg(xid).read(44, memory, 4).with());
    }

    @Test
    void case10BytesBehindTheListsOfNomsgAreIgnored() throws Exception {
        RawEnd.Exposed memory = peer.exposeForRead(nullCall());
        assertResults(nomsg(xid).read(0, memory, 40).with(words(1, 2, 3), new byte[] {1}), new byte[0]);
    }

    @Test
    void case11AHeaderWithAnotherXidThanItsPayloadIsAnsweredErrChunk() throws Exception {
        bench.assertErrChunk(peer, msg(xid).with(call(xid + 1, ExerciseProgram.NULL)));
        RawEnd.Exposed memory = peer.exposeForRead(call(xid + 1, ExerciseProgram.NULL));
        byte[] longCall = nomsg(xid).read(0, memory, 40).with();
        // The XID is in memory that has to be read first.
        ServerBench.assertIsErrChunk(bench.exchange(peer, longCall), longCall);
        bench.assertServes(peer);
    }

    @Test
    void case12PositionsThatAreNoMultipleOfFourAreAnsweredErrChunk() throws Exception {
        RawEnd.Exposed memory = peer.exposeForRead(new byte[8]);
        for (int position : new int[] {1, 2, 3, PAYLOAD + 1, PAYLOAD + 2, PAYLOAD + 3}) {
            bench.assertErrChunk(
                    peer, msg(xid).read(position, memory, 8).with(call(xid, ExerciseProgram.CHECKSUM, words(8, 77))));
        }
    }

    @Test
    void case13APositionBeyondTheMessageIsAnsweredErrChunk() throws Exception {
        RawEnd.Exposed memory = peer.exposeForRead(new byte[8]);
        byte[] body = call(xid, ExerciseProgram.CHECKSUM, words(8));
        bench.assertErrChunk(peer, msg(xid).read(body.length + 4, memory, 8).with(body));
        bench.assertErrChunk(peer, msg(xid).read(0xffff_fffcL, memory, 8).with(body));
        RawEnd.Exposed longCall = peer.exposeForRead(body);
        bench.assertErrChunk(
                peer,
                nomsg(xid)
                        .read(0, longCall, body.length)
                        .read(body.length + 4, memory, 8)
                        .with());
    }

    @Test
    void case14AChunkWhereNothingMayBePlacedIsGarbage() throws Exception {
        RawEnd.Exposed memory = peer.exposeForRead(words(8, 1, 2, 77));
        // At the length word of the payload, inside the payload, at the int behind it, in the RPC header.
        byte[] payload = ExerciseProgram.bytes(8, 1);
        byte[] arguments = join(opaque(payload), words(77));
        for (int position : new int[] {ARGUMENTS, PAYLOAD + 4, PAYLOAD + 8, PAYLOAD + 12, 24}) {
            assertGarbage(msg(xid).read(position, memory, 4).with(call(xid, ExerciseProgram.CHECKSUM, arguments)));
        }
        assertGarbage(msg(xid).read(ARGUMENTS, memory, 16).with(nullCall()));
    }

    @Test
    void case15AChunkWithNeitherTheItemsLengthNorItsPaddedLengthIsGarbage() throws Exception {
        byte[] payload = ExerciseProgram.bytes(16, 2);
        RawEnd.Exposed memory = peer.exposeForRead(payload);
        for (int length : new int[] {1, 4, 9, 11, 13, 16}) {
            assertGarbage(
                    msg(xid).read(PAYLOAD, memory, length).with(call(xid, ExerciseProgram.CHECKSUM, words(10, 77))));
        }
    }

    @Test
    void case15AChunkWithTheItemsLengthOrItsPaddedLengthIsRight() throws Exception {
        byte[] payload = ExerciseProgram.bytes(10, 2);
        RawEnd.Exposed memory = peer.exposeForRead(Arrays.copyOf(payload, 12));
        for (int length : new int[] {10, 12}) {
            assertResults(
                    msg(xid).read(PAYLOAD, memory, length).with(call(xid, ExerciseProgram.CHECKSUM, words(10, 77))),
                    checksums(payload, 77));
        }
    }

    @Test
    void case16AnItemWithoutBytesMayHaveAChunkWithoutBytesAndNothingIsRead() throws Exception {
        RawEnd.Exposed memory = peer.exposeForRead(new byte[4]);
        byte[] body = call(xid, ExerciseProgram.CHECKSUM, words(0, 77));
        assertResults(msg(xid).read(PAYLOAD, memory, 0).with(body), checksums(new byte[0], 77));
        assertResults(
                msg(xid).read(PAYLOAD, memory, 0).read(PAYLOAD, 0xdead, 0, -1).with(body), checksums(new byte[0], 77));
        assertThat(readsPosted()).isZero();
    }

    @Test
    void case16EmptySegmentsAmongOthersAreSkipped() throws Exception {
        byte[] payload = ExerciseProgram.bytes(20, 3);
        RawEnd.Exposed memory = peer.exposeForRead(payload);
        assertResults(
                msg(xid).read(PAYLOAD, 0xdead, 0, 1)
                        .read(PAYLOAD, memory, 12)
                        .read(PAYLOAD, 0xdead, 0, 1)
                        .read(PAYLOAD, memory.key(), 8, memory.address() + 12)
                        .read(PAYLOAD, 0xdead, 0, 1)
                        .with(call(xid, ExerciseProgram.CHECKSUM, words(20, 77))),
                checksums(payload, 77));
    }

    @Test
    void case17AChunkWithoutBytesForAnItemThatHasSomeIsGarbage() throws Exception {
        RawEnd.Exposed memory = peer.exposeForRead(new byte[4]);
        assertGarbage(msg(xid).read(PAYLOAD, memory, 0).with(call(xid, ExerciseProgram.CHECKSUM, words(8, 77))));
        assertThat(readsPosted()).isZero();
    }

    @Test
    void case18ChunksThatOverlapAreAnsweredErrChunk() throws Exception {
        RawEnd.Exposed memory = peer.exposeForRead(new byte[200]);
        byte[] body = call(xid, ExerciseProgram.LONG_CALL, opaque(new byte[156]));
        bench.assertErrChunk(
                peer, msg(xid).read(60, memory, 100).read(120, memory, 4).with(body));
        bench.assertErrChunk(
                peer, msg(xid).read(120, memory, 4).read(60, memory, 100).with(body));
        bench.assertErrChunk(
                peer, msg(xid).read(60, memory, 5).read(64, memory, 4).with(body));
    }

    @Test
    void case19EntriesOfTwoChunksMayBeInterleaved() throws Exception {
        byte[] first = ExerciseProgram.bytes(24, 4);
        byte[] second = ExerciseProgram.bytes(40, 5);
        RawEnd.Exposed a = peer.exposeForRead(first);
        RawEnd.Exposed b = peer.exposeForRead(second);
        int behind = PAYLOAD + 24 + 4 + 4;
        assertResults(
                msg(xid).read(behind, b, 12)
                        .read(PAYLOAD, a, 8)
                        .read(behind, b.key(), 28, b.address() + 12)
                        .read(PAYLOAD, a.key(), 16, a.address() + 8)
                        .with(call(xid, ExerciseProgram.TWO_PAYLOADS, words(24, 5, 40))),
                words(ExerciseCall.checksumOf(first), 5, ExerciseCall.checksumOf(second)));
    }

    @Test
    void case20APadThatDidNotTravelCountsInThePositionsBehindIt() throws Exception {
        byte[] first = ExerciseProgram.bytes(5, 6);
        byte[] second = ExerciseProgram.bytes(7, 7);
        RawEnd.Exposed a = peer.exposeForRead(Arrays.copyOf(first, 8));
        RawEnd.Exposed b = peer.exposeForRead(Arrays.copyOf(second, 8));
        byte[] results = words(ExerciseCall.checksumOf(first), 5, ExerciseCall.checksumOf(second));
        int behind = PAYLOAD + 8 + 4 + 4;
        for (int firstLength : new int[] {5, 8}) {
            for (int secondLength : new int[] {7, 8}) {
                assertResults(
                        msg(xid).read(PAYLOAD, a, firstLength)
                                .read(behind, b, secondLength)
                                .with(call(xid, ExerciseProgram.TWO_PAYLOADS, words(5, 5, 7))),
                        results);
            }
        }
    }

    @Test
    void case21ThePadMayBeASegmentOfItsOwn() throws Exception {
        for (int pad = 1; pad <= 3; pad++) {
            byte[] payload = ExerciseProgram.bytes(12 - pad, 8);
            RawEnd.Exposed memory = peer.exposeForRead(payload);
            RawEnd.Exposed zeros = peer.exposeForRead(new byte[pad]);
            assertResults(
                    msg(xid).read(PAYLOAD, memory, payload.length)
                            .read(PAYLOAD, zeros, pad)
                            .with(call(xid, ExerciseProgram.CHECKSUM, words(payload.length, 77))),
                    checksums(payload, 77));
        }
    }

    @Test
    void case22OneHandleMayServeAllSegmentsOfACall() throws Exception {
        byte[] body = call(xid, ExerciseProgram.CHECKSUM, words(16, 77));
        byte[] payload = ExerciseProgram.bytes(16, 9);
        RawEnd.Exposed memory = peer.exposeForRead(join(body, payload));
        assertResults(
                nomsg(xid)
                        .read(0, memory, 20)
                        .read(0, memory.key(), body.length - 20, memory.address() + 20)
                        .read(PAYLOAD, memory.key(), 9, memory.address() + body.length)
                        .read(PAYLOAD, memory.key(), 7, memory.address() + body.length + 9)
                        .with(),
                checksums(payload, 77));
    }

    @Test
    void case23AnAbsurdSegmentCountIsAnsweredErrChunk() {
        for (long count : new long[] {0xffff_ffffL, 0x1000_0001L, 0x8000_0000L, 4}) {
            bench.assertErrChunk(
                    peer, join(words(xid, 1, 5, RawMessage.MSG, 0, 1, count), segment(1, 4, 0), nullCall()));
            bench.assertErrChunk(
                    peer, join(words(xid, 1, 5, RawMessage.MSG, 0, 0, 1, count), segment(1, 4, 0), nullCall()));
        }
    }

    @Test
    void case24LengthsThatAddUpBeyondThirtyTwoBitsAreAnsweredErrChunk() throws Exception {
        RawEnd.Exposed memory = peer.exposeForRead(new byte[8]);
        byte[] body = call(xid, ExerciseProgram.CHECKSUM, words(8, 77));
        // 2^32 + 8 in all, which a sum in 32 bits takes for 8.
        bench.assertErrChunk(
                peer,
                msg(xid).read(PAYLOAD, memory, 0x8000_0000L)
                        .read(PAYLOAD, memory, 0x8000_0008L)
                        .with(body));
        bench.assertErrChunk(
                peer,
                msg(xid).replyChunk(segment(memory, 0xffff_ffffL), segment(memory, 9))
                        .with(body));
        bench.assertErrChunk(
                peer,
                msg(xid).writeChunk(segment(memory, 0xffff_ffffL), segment(memory, 9))
                        .with(body));
    }

    @Test
    void case25ASegmentThatPassesTwoToTheSixtyFourIsAnsweredErrChunk() throws Exception {
        RawEnd.Exposed memory = peer.exposeForRead(new byte[8]);
        byte[] body = call(xid, ExerciseProgram.CHECKSUM, words(8, 77));
        bench.assertErrChunk(peer, msg(xid).read(PAYLOAD, memory.key(), 8, -7).with(body));
        bench.assertErrChunk(
                peer, msg(xid).writeChunk(segment(memory.key(), 8, -7)).with(body));
        bench.assertErrChunk(
                peer, msg(xid).replyChunk(segment(memory.key(), 8, -1)).with(body));
    }

    @Test
    void case43ASecondCallBeforeTheFirstReplyFindsAReceive() {
        int second = bench.nextXid();
        peer.send(msg(xid).with(nullCall()));
        peer.send(msg(second).with(call(second, ExerciseProgram.NULL)));
        assertThat(peer.take().word(0)).isEqualTo(xid);
        assertThat(peer.take().word(0)).isEqualTo(second);
        bench.assertServes(peer);
    }

    @Test
    void case44TwoCallsWithOneXidAreBothServedSinceTheUpperLayerTellsRetransmissions() {
        byte[] parked = msg(xid).with(call(xid, ExerciseProgram.PARK));
        peer.send(parked);
        peer.send(parked);
        bench.network.await("both calls", () -> bench.program.parked() == 2);
        bench.program.answerParked();
        assertThat(peer.take().word(0)).isEqualTo(xid);
        assertThat(peer.take().word(0)).isEqualTo(xid);
        bench.assertServes(peer);
    }

    @Test
    void case50AReplyAtAServerThatMakesNoCallsIsDropped() {
        bench.assertDropped(peer, msg(xid).with(accepted(xid, SUCCESS)));
    }

    @Test
    void case51AReducedCallWithRpcSecGssIsNeverExecuted() throws Exception {
        byte[] payload = ExerciseProgram.bytes(16, 9);
        RawEnd.Exposed memory = peer.exposeForRead(payload);
        int calls = bench.program.calls.get();
        // Credential of flavor 6: version 1, DATA, sequence number 1, integrity, a handle of 4 bytes.
        byte[] credential = words(6, 24, 1, 0, 1, 2, 4, 0x01020304, 6, 0);
        byte[] body = join(
                words(xid, 0, 2, ExerciseProgram.PROGRAM, ExerciseProgram.VERSION, ExerciseProgram.CHECKSUM),
                credential,
                words(16, 77));
        RawEnd.Received answer =
                bench.exchange(peer, msg(xid).read(body.length - 4, memory, 16).with(body));
        // MSG_DENIED, AUTH_ERROR, AUTH_BADCRED: there is no RPCSEC_GSS in this transport's programs.
        assertThat(answer.from(28)).isEqualTo(words(xid, 1, 1, 1, 1));
        assertThat(bench.program.calls.get()).as("calls executed").isEqualTo(calls);
        bench.assertServes(peer);
    }
}
