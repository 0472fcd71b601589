package io.rpcrdma4j.verbs.iwarp.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.verbs.iwarp.engine.MpaInitiator.Outcome;
import io.rpcrdma4j.verbs.iwarp.wire.Bytes;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.Violation;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exchange of MPA frames, from both ends. */
class MpaStartUpTest {

    private static final String REQ = "4d504120494420526571204672616d65";
    private static final String REP = "4d504120494420526570204672616d65";
    private static final byte[] RPC_RDMA = HexFormat.of().parseHex("f6ab0e1801010303");

    private static MpaResponder responder(String hex) throws IwarpException {
        return Objects.requireNonNull(MpaResponder.onBytes(Bytes.of(hex)));
    }

    private static Outcome.Accepted accepted(MpaInitiator initiator, String reply) throws IwarpException {
        return (Outcome.Accepted) Objects.requireNonNull(initiator.onBytes(Bytes.of(reply)));
    }

    private static void assertViolation(
            Violation violation, org.assertj.core.api.ThrowableAssert.ThrowingCallable code) {
        assertThatThrownBy(code)
                .isInstanceOfSatisfying(
                        IwarpException.class, e -> assertThat(e.violation()).isEqualTo(violation));
    }

    // ---- initiator

    @Test
    void ourRequestIsThatOfALinuxClientWhoWantsCrc() {
        var initiator = new MpaInitiator(true, 128, 0, RPC_RDMA);
        assertThat(Bytes.hex(initiator.request())).isEqualTo(REQ + "5002000c00800000" + "f6ab0e1801010303");
    }

    @ParameterizedTest
    @CsvSource({
        // we ask, the peer's flags, CRC is on
        "true, 50, true",
        "true, 10, true",
        "false, 50, true",
        "false, 10, false"
    })
    void crcIsOnIfEitherAsks(boolean asked, String flags, boolean isOn) throws Exception {
        var initiator = new MpaInitiator(asked, 4, 4, new byte[0]);
        assertThat(accepted(initiator, REP + flags + "02 0004 0004 0004").crc()).isEqualTo(isOn);
    }

    @ParameterizedTest
    @CsvSource({
        // our IRD, our ORD, the peer's word, what holds, whether known
        "16, 16, 00100010, 16, 16, true",
        "16, 16, 00040001, 16, 4, true",
        "16, 16, 00000000, 16, 0, true",
        "16, 16, 00800000, 16, 16, true",
        "128, 128, 3fff3fff, 128, 1, false"
    })
    void readsAreLimitedToWhatThePeerServes(int ird, int ord, String word, int inbound, int outbound, boolean isKnown)
            throws Exception {
        Outcome.Accepted accepted = accepted(new MpaInitiator(true, ird, ord, new byte[0]), REP + "50 02 0004" + word);
        assertThat(accepted.inboundReads()).isEqualTo(inbound);
        assertThat(accepted.outboundReads()).isEqualTo(outbound);
        assertThat(accepted.isReadLimitKnown()).isEqualTo(isKnown);
    }

    /** B82: a reply that comes byte by byte gives one outcome, with its last byte. */
    @Test
    void aReplyMayComeByteByByte() throws Exception {
        var initiator = new MpaInitiator(true, 128, 0, RPC_RDMA);
        ByteBuffer whole = Bytes.of(REP + "1002000c00000080f6ab0e1801000303");
        for (int length = 0; length < whole.capacity(); length++) {
            assertThat(initiator.onBytes(whole.duplicate().limit(length))).isNull();
        }
        Outcome.Accepted accepted = (Outcome.Accepted) Objects.requireNonNull(initiator.onBytes(whole));
        assertThat(accepted.privateData()).asHexString().isEqualTo("F6AB0E1801000303");
    }

    @Test
    void bytesBehindTheReplyAreLeftForTheStream() throws Exception {
        ByteBuffer in = Bytes.of(REP + "10020004 00040004 aabbcc");
        assertThat(new MpaInitiator(true, 4, 4, new byte[0]).onBytes(in)).isInstanceOf(Outcome.Accepted.class);
        assertThat(Bytes.hex(in)).isEqualTo("aabbcc");
    }

    @Test
    void aRejectionCarriesThePeersPrivateData() throws Exception {
        var initiator = new MpaInitiator(true, 4, 4, new byte[0]);
        for (String reply : new String[] {REP + "20 01 0002 0708", REP + "30 02 0006 00100000 0708"}) {
            var rejected = (Outcome.Rejected) Objects.requireNonNull(initiator.onBytes(Bytes.of(reply)));
            assertThat(rejected.privateData()).containsExactly(7, 8);
        }
    }

    @Test
    void whatAnInitiatorCannotAcceptIsRefused() {
        var initiator = new MpaInitiator(true, 4, 4, new byte[0]);
        assertViolation(Violation.MPA_KEY, () -> initiator.onBytes(Bytes.of(REQ)));
        assertViolation(Violation.MPA_MARKERS, () -> initiator.onBytes(Bytes.of(REP + "90 02 0004 00040004")));
        assertViolation(Violation.MPA_ENHANCED_DATA, () -> initiator.onBytes(Bytes.of(REP + "00 01 0000")));
        assertViolation(Violation.MPA_ENHANCED_DATA, () -> initiator.onBytes(Bytes.of(REP + "10 02 0003 000400")));
        assertViolation(Violation.MPA_REVISION, () -> initiator.onBytes(Bytes.of(REP + "10 03 0004")));
        assertViolation(Violation.MPA_PRIVATE_DATA_LENGTH, () -> initiator.onBytes(Bytes.of(REP + "10 02 0201")));
        assertViolation(Violation.MPA_INSUFFICIENT_IRD, () -> initiator.onBytes(Bytes.of(REP + "10 02 0004 00040005")));
    }

    @Test
    void aPeerThatWantsTooManyReadsIsToldSo() {
        var initiator = new MpaInitiator(true, 4, 4, new byte[0]);
        assertThatThrownBy(() -> initiator.onBytes(Bytes.of(REP + "10 02 0004 00040005")))
                .isInstanceOfSatisfying(
                        IwarpException.class,
                        e -> assertThat(Bytes.hex(initiator.farewell(e)))
                                .startsWith("0016414700000000000000020000000100000000" + "20060000"));
        assertThat(initiator
                        .farewell(new IwarpException(Violation.MPA_KEY, "x"))
                        .hasRemaining())
                .isFalse();
    }

    // ---- responder

    @Test
    void ourReplyToALinuxClientIsThatOfALinuxServer() throws Exception {
        MpaResponder responder = responder(REQ + "1002000c00800000f6ab0e1801010303");
        assertThat(responder.privateData()).isEqualTo(RPC_RDMA);
        assertThat(responder.peerInboundReads()).isEqualTo(128);
        assertThat(responder.peerOutboundReads()).isZero();
        MpaResponder.Accepted accepted =
                responder.accept(false, 128, 128, HexFormat.of().parseHex("f6ab0e1801000303"));
        assertThat(Bytes.hex(accepted.reply())).isEqualTo(REP + "1002000c00000080f6ab0e1801000303");
        assertThat(accepted.crc()).isFalse();
        assertThat(accepted.inboundReads()).isZero();
        assertThat(accepted.outboundReads()).isEqualTo(128);
    }

    /** B87: the answer is in the peer's revision, and CRC is on if either asks. */
    @Test
    void aRevision1RequestIsAnsweredInRevision1() throws Exception {
        MpaResponder responder = responder(REQ + "40010008f6ab0e1801010303");
        assertThat(responder.isReadLimitKnown()).isFalse();
        assertThat(responder.peerInboundReads()).isEqualTo(1);
        MpaResponder.Accepted accepted = responder.accept(false, 16, 16, new byte[] {5});
        assertThat(Bytes.hex(accepted.reply())).isEqualTo(REP + "4001000105");
        assertThat(accepted.crc()).isTrue();
        assertThat(accepted.inboundReads()).isEqualTo(16);
        assertThat(accepted.outboundReads()).isEqualTo(1);
    }

    @Test
    void revision2WithoutEnhancedDataIsAnsweredWithoutIt() throws Exception {
        MpaResponder responder = responder(REQ + "00020000");
        assertThat(responder.isReadLimitKnown()).isFalse();
        MpaResponder.Accepted accepted = responder.accept(true, 16, 16, new byte[0]);
        assertThat(Bytes.hex(accepted.reply())).isEqualTo(REP + "40020000");
        assertThat(accepted.outboundReads()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        // the peer's word, our offer and wish, our word, what holds
        "00010001, 16, 16, 00010001, 1, 1",
        "00100004, 2, 8, 00020008, 2, 8",
        "00000010, 16, 16, 00100000, 16, 0",
        "012c012c, 128, 128, 00800080, 128, 128",
        "3fff3fff, 16, 16, 00100001, 16, 1"
    })
    void readsAreLimitedToWhatBothWant(String word, int offer, int wish, String ours, int inbound, int outbound)
            throws Exception {
        MpaResponder.Accepted accepted = responder(REQ + "10020004" + word).accept(false, offer, wish, new byte[0]);
        assertThat(Bytes.hex(accepted.reply())).isEqualTo(REP + "10020004" + ours);
        assertThat(accepted.inboundReads()).isEqualTo(inbound);
        assertThat(accepted.outboundReads()).isEqualTo(outbound);
    }

    @ParameterizedTest
    @CsvSource({
        // what the peer offers as its first message (A B C D), what we choose, whether it is a Send
        "c0108010, 80108010, false",
        "80104010, 80104010, false",
        "c0100010, c0100010, true",
        "80100010, 80108010, false",
        "4010c010, 00100010, false"
    })
    void aPeerToPeerStartIsAnsweredWithOneMessageThatBothKnow(String word, String ours, boolean isSend)
            throws Exception {
        MpaResponder.Accepted accepted = responder(REQ + "10020004" + word).accept(false, 16, 16, new byte[0]);
        assertThat(Bytes.hex(accepted.reply())).isEqualTo(REP + "10020004" + ours);
        assertThat(accepted.rtrSend()).isEqualTo(isSend);
    }

    @Test
    void aReadyToReceiveReadNeedsOneInboundRead() throws Exception {
        MpaResponder.Accepted accepted =
                responder(REQ + "10020004" + "80104000").accept(false, 0, 16, new byte[0]);
        assertThat(accepted.inboundReads()).isEqualTo(1);
    }

    @Test
    void aReadyToReceiveSendTakesANumberButNoReceive() {
        var script = new Script();
        script.open(new StreamSettings(false, true, 4, 4, 1442, true, 1, 1));
        script.receive(1, script.domain.memory(10, TestDomain.ALL), 0, 10);
        script.peerSends(new byte[0]);
        script.expectNoCompletion();
        script.peerSends(new byte[0]);
        script.expectCompletion(io.rpcrdma4j.verbs.Opcode.RECEIVE, 1, io.rpcrdma4j.verbs.CompletionStatus.SUCCESS);
    }

    @Test
    void markersAreRejectedAsSiwDoes() throws Exception {
        MpaResponder responder = responder(REQ + "90020004 00040004");
        assertThat(responder.wantsMarkers()).isTrue();
        assertThat(Bytes.hex(responder.reject(new byte[0]))).isEqualTo(REP + "30020004" + "00040004");
    }

    @Test
    void aRejectionIsInThePeersRevision() throws Exception {
        assertThat(Bytes.hex(responder(REQ + "00010000").reject(new byte[] {9})))
                .isEqualTo(REP + "2001000109");
    }

    /** A request that comes byte by byte is taken with its last byte; anything behind it is a fault. */
    @Test
    void aRequestMayComeByteByByteAndNothingBehindIt() throws Exception {
        ByteBuffer whole = Bytes.of(REQ + "1002000c00800000f6ab0e1801010303");
        for (int length = 0; length < whole.capacity(); length++) {
            assertThat(MpaResponder.onBytes(whole.duplicate().limit(length))).isNull();
        }
        assertThat(MpaResponder.onBytes(whole.duplicate())).isNotNull();
        assertViolation(
                Violation.MPA_EARLY_DATA,
                () -> MpaResponder.onBytes(Bytes.of(REQ + "1002000c00800000f6ab0e1801010303 00")));
    }

    /** B83, and two initiators that meet. */
    @Test
    void whatAResponderCannotAcceptIsRefused() {
        assertViolation(Violation.MPA_KEY, () -> MpaResponder.onBytes(Bytes.of(REP)));
        assertViolation(
                Violation.MPA_KEY,
                () -> MpaResponder.onBytes(
                        ByteBuffer.wrap("GET / HT".getBytes(java.nio.charset.StandardCharsets.US_ASCII))));
        assertViolation(Violation.MPA_REVISION, () -> MpaResponder.onBytes(Bytes.of(REQ + "10 00 0004")));
        assertViolation(Violation.MPA_REVISION, () -> MpaResponder.onBytes(Bytes.of(REQ + "10 03 0004")));
        assertViolation(Violation.MPA_PRIVATE_DATA_LENGTH, () -> MpaResponder.onBytes(Bytes.of(REQ + "10 02 0201")));
        assertViolation(Violation.MPA_ENHANCED_DATA, () -> MpaResponder.onBytes(Bytes.of(REQ + "10 02 0003 000000")));
    }
}
