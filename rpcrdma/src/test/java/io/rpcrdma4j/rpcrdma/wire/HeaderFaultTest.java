package io.rpcrdma4j.rpcrdma.wire;

import static io.rpcrdma4j.rpcrdma.wire.Messages.join;
import static io.rpcrdma4j.rpcrdma.wire.Messages.words;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One message for each rule that a peer can break: what is found, what is done about it, and what the log says. */
class HeaderFaultTest {
    private static final int XID = 0x11223344;
    private static final byte[] MSG = words(XID, 1, 128, 0);
    private static final byte[] NOMSG = words(XID, 1, 128, 1);
    private static final byte[] BODY = words(XID, 0, 2, 100003, 3, 0, 0, 0, 0, 0);
    private static final byte[] SEGMENT = words(0x501, 4, 0, 0x1000);
    private static final byte[] NO_READS_NO_WRITES = words(0, 0);

    /** Bounds small enough to be reached with short messages. */
    private static final HeaderLimits SMALL = new HeaderLimits(3, 4, 2, 100, 200);

    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Call(HeaderFault fault, byte[] message, String text) {
        @Override
        public String toString() {
            return fault + " (" + message.length + " bytes)";
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Reply(HeaderFault fault, byte[] message, ReplyOutcome outcome, String text) {
        @Override
        public String toString() {
            return fault + " (" + message.length + " bytes)";
        }
    }

    @ParameterizedTest
    @MethodSource("calls")
    void responderFindsTheFaultAndNamesIt(Call row) {
        TransportHeader header = new TransportHeader();
        CallOutcome outcome = header.parseCall(MemorySegment.ofArray(row.message), row.message.length, SMALL);

        assertThat(header.fault()).isEqualTo(row.fault);
        assertThat(outcome).isEqualTo(row.fault.callOutcome()).isNotEqualTo(CallOutcome.ACCEPT);
        String suffix = row.fault == HeaderFault.FIXED_WORDS_TRUNCATED ? "" : " (xid 0x11223344)";
        assertThat(header.faultText()).isEqualTo(row.text + suffix);
    }

    @ParameterizedTest
    @MethodSource("replies")
    void requesterFindsTheFaultAndNamesIt(Reply row) {
        TransportHeader header = new TransportHeader();
        ReplyOutcome outcome = header.parseReply(MemorySegment.ofArray(row.message), row.message.length, SMALL);

        assertThat(header.fault()).isEqualTo(row.fault);
        assertThat(outcome).isEqualTo(row.outcome);
        String suffix = row.fault == HeaderFault.FIXED_WORDS_TRUNCATED ? "" : " (xid 0x11223344)";
        assertThat(header.faultText()).isEqualTo(row.text + suffix);
    }

    @Test
    void everyRuleIsBrokenHere() {
        EnumSet<HeaderFault> missing = EnumSet.allOf(HeaderFault.class);
        calls().forEach(row -> missing.remove(row.fault));
        replies().forEach(row -> missing.remove(row.fault));
        assertThat(missing).isEmpty();
    }

    @Test
    void outcomesOfTheResponderAreThoseOfRfc8166() {
        assertThat(Stream.of(HeaderFault.values()).filter(fault -> fault.callOutcome() == CallOutcome.DISCARD))
                .containsExactly(
                        HeaderFault.FIXED_WORDS_TRUNCATED,
                        HeaderFault.ERROR_AT_RESPONDER,
                        HeaderFault.DONE_FORBIDDEN,
                        HeaderFault.ERROR_TRUNCATED);
        assertThat(Stream.of(HeaderFault.values()).filter(fault -> fault.callOutcome() == CallOutcome.ERR_VERS))
                .containsExactly(HeaderFault.BAD_VERSION);
    }

    private static Stream<Call> calls() {
        return Stream.of(fixedWordCalls(), readListCalls(), writeListCalls(), replyChunkCalls(), payloadCalls())
                .flatMap(rows -> rows);
    }

    private static Stream<Call> fixedWordCalls() {
        return Stream.of(
                new Call(
                        HeaderFault.FIXED_WORDS_TRUNCATED,
                        words(XID, 1, 128),
                        "message of 12 bytes is below the 16 bytes of the fixed words"),
                new Call(HeaderFault.ERROR_AT_RESPONDER, words(XID, 1, 128, 4, 2), "RDMA_ERROR sent to a responder"),
                new Call(HeaderFault.ERROR_AT_RESPONDER, words(XID, 2, 128, 4), "RDMA_ERROR sent to a responder"),
                new Call(HeaderFault.BAD_VERSION, words(XID, 0, 128, 0), "protocol version 0 is not 1"),
                new Call(
                        HeaderFault.BAD_VERSION,
                        words(XID, 0xFFFF_FFFFL, 128, 3),
                        "protocol version 4294967295 is not 1"),
                new Call(
                        HeaderFault.DONE_FORBIDDEN,
                        words(XID, 1, 128, 3),
                        "RDMA_DONE is not used by this protocol version"),
                new Call(
                        HeaderFault.MSGP_FORBIDDEN,
                        words(XID, 1, 128, 2, 0, 0, 0),
                        "RDMA_MSGP is not used by this protocol version"),
                new Call(HeaderFault.UNKNOWN_TYPE, words(XID, 1, 128, 5), "message type 5 exceeds 4"),
                new Call(
                        HeaderFault.UNKNOWN_TYPE,
                        words(XID, 1, 128, 0xFFFF_FFFFL, 0, 0, 0),
                        "message type 4294967295 exceeds 4"),
                new Call(
                        HeaderFault.HEADER_TRUNCATED,
                        words(XID, 1, 128, 0, 0, 0),
                        "message of 24 bytes is below the 28 bytes of the shortest header"));
    }

    private static Stream<Call> readListCalls() {
        byte[] one = join(words(1, 40), SEGMENT);
        return Stream.of(
                new Call(
                        HeaderFault.READ_LIST_TRUNCATED,
                        join(MSG, words(1, 40, 0x501, 4, 0)),
                        "Read list needs 40 bytes of a message of 36"),
                new Call(
                        HeaderFault.READ_LIST_TRUNCATED, join(MSG, one), "Read list needs 44 bytes of a message of 40"),
                new Call(
                        HeaderFault.READ_LIST_DISCRIMINATOR,
                        join(MSG, words(2, 0, 0), BODY),
                        "Read list discriminator 2 exceeds 1"),
                new Call(
                        HeaderFault.POSITION_UNALIGNED,
                        join(MSG, words(1, 42), SEGMENT, words(0, 0, 0), BODY),
                        "Read chunk position 42 is not a multiple of 4"),
                new Call(
                        HeaderFault.TOO_MANY_READ_SEGMENTS,
                        join(MSG, one, one, one, one, one, words(0, 0, 0), BODY),
                        "Read list segment count 5 exceeds 4"),
                new Call(
                        HeaderFault.TOO_MANY_SEGMENTS_IN_READ_CHUNK,
                        join(MSG, one, one, one, one, words(0, 0, 0), BODY),
                        "Read chunk segment count 4 exceeds 3"),
                new Call(
                        HeaderFault.TOO_MANY_READ_CHUNKS,
                        join(
                                MSG,
                                join(words(1, 12), SEGMENT),
                                join(words(1, 24), SEGMENT),
                                join(words(1, 36), SEGMENT),
                                words(0, 0, 0),
                                BODY),
                        "Read chunk count 3 exceeds 2"),
                new Call(
                        HeaderFault.READ_CHUNK_TOO_LONG,
                        join(MSG, words(1, 40, 0x501, 99, 0, 0, 1, 40, 0x501, 2, 0, 0), words(0, 0, 0), BODY),
                        "Read chunk of 101 bytes exceeds 100"),
                new Call(
                        HeaderFault.READ_CHUNK_TOO_LONG,
                        join(NOMSG, words(1, 0, 0x501, 200, 0, 0, 1, 0, 0x501, 1, 0, 0), words(0, 0, 0)),
                        "Read chunk of 201 bytes exceeds 200"),
                new Call(
                        HeaderFault.SEGMENT_TOO_LONG,
                        join(MSG, words(1, 40, 0x501, 0x7FFF_FFFF, 0, 0), words(0, 0, 0), BODY),
                        "segment of 2147483647 bytes exceeds 200"),
                new Call(
                        HeaderFault.SEGMENT_WRAPS,
                        join(MSG, words(1, 40, 0x501, 4, 0xFFFF_FFFFL, 0xFFFF_FFFDL), words(0, 0, 0), BODY),
                        "segment at offset 0xfffffffffffffffd with 4 bytes passes 2^64"));
    }

    private static Stream<Call> writeListCalls() {
        return Stream.of(
                new Call(
                        HeaderFault.WRITE_LIST_TRUNCATED,
                        join(MSG, words(0, 1), words(1), SEGMENT),
                        "Write list needs 48 bytes of a message of 44"),
                new Call(
                        HeaderFault.WRITE_LIST_DISCRIMINATOR,
                        join(MSG, words(0, 0x8000_0000L, 0), BODY),
                        "Write list discriminator 2147483648 exceeds 1"),
                new Call(
                        HeaderFault.TOO_MANY_WRITE_CHUNKS,
                        join(MSG, words(0, 1, 0, 1, 0, 1, 0, 0, 0), BODY),
                        "Write chunk count 3 exceeds 2"),
                new Call(
                        HeaderFault.TOO_MANY_WRITE_SEGMENTS,
                        join(
                                MSG,
                                words(0, 1, 3),
                                join(SEGMENT, SEGMENT, SEGMENT),
                                words(1, 2),
                                join(SEGMENT, SEGMENT),
                                words(0, 0),
                                BODY),
                        "Write list segment count 5 exceeds 4"),
                new Call(
                        HeaderFault.WRITE_CHUNK_TOO_LONG,
                        join(MSG, words(0, 1, 2, 0x501, 200, 0, 0, 0x501, 1, 0, 0), words(0, 0), BODY),
                        "Write chunk of 201 bytes exceeds 200"),
                new Call(
                        HeaderFault.SEGMENT_COUNT_BEYOND_MESSAGE,
                        join(MSG, words(0, 1, 0x1000_0001), BODY),
                        "segment count 268435457 exceeds the 2 that the message holds"),
                new Call(
                        HeaderFault.SEGMENT_COUNT_BEYOND_LIMIT,
                        join(MSG, words(0, 1, 4), join(SEGMENT, SEGMENT, SEGMENT, SEGMENT), words(0, 0), BODY),
                        "segment count 4 exceeds 3"));
    }

    private static Stream<Call> replyChunkCalls() {
        return Stream.of(
                new Call(
                        HeaderFault.REPLY_CHUNK_TRUNCATED,
                        join(MSG, NO_READS_NO_WRITES, words(1)),
                        "Reply chunk needs 32 bytes of a message of 28"),
                new Call(
                        HeaderFault.REPLY_CHUNK_DISCRIMINATOR,
                        join(MSG, NO_READS_NO_WRITES, words(XID), BODY),
                        "Reply chunk discriminator 287454020 exceeds 1"),
                new Call(
                        HeaderFault.REPLY_CHUNK_TOO_LONG,
                        join(MSG, NO_READS_NO_WRITES, words(1, 2, 0x501, 200, 0, 0, 0x501, 1, 0, 0), BODY),
                        "Reply chunk of 201 bytes exceeds 200"),
                new Call(
                        HeaderFault.SEGMENT_COUNT_BEYOND_MESSAGE,
                        join(MSG, NO_READS_NO_WRITES, words(1, 0xFFFF_FFFFL), BODY),
                        "segment count 4294967295 exceeds the 2 that the message holds"));
    }

    private static Stream<Call> payloadCalls() {
        byte[] two = words(1, 12, 0x501, 20, 0, 0, 1, 28, 0x501, 4, 0, 0);
        return Stream.of(
                new Call(
                        HeaderFault.NOMSG_WITHOUT_CALL_CHUNK,
                        join(NOMSG, words(0, 0, 0), BODY),
                        "RDMA_NOMSG call without a position-zero Read chunk"),
                new Call(
                        HeaderFault.NOMSG_WITHOUT_CALL_CHUNK,
                        join(NOMSG, words(1, 0, 0x501, 0, 0, 0, 0, 0, 0)),
                        "RDMA_NOMSG call without a position-zero Read chunk"),
                new Call(
                        HeaderFault.PAYLOAD_MISSING,
                        join(MSG, words(0, 0, 0), new byte[3]),
                        "RDMA_MSG with 3 inline bytes is below 4"),
                new Call(
                        HeaderFault.INLINE_BESIDE_CALL_CHUNK,
                        join(MSG, words(1, 0, 0x501, 80, 0, 0, 0, 0, 0), BODY),
                        "40 inline bytes beside a position-zero Read chunk of 80 bytes"),
                new Call(
                        HeaderFault.XID_MISMATCH,
                        join(MSG, words(0, 0, 0), words(XID + 1, 0, 2)),
                        "header xid 0x11223344 differs from payload xid 0x11223345"),
                new Call(
                        HeaderFault.READ_CHUNKS_OVERLAP,
                        join(MSG, two, words(0, 0, 0), BODY),
                        "Read chunk at position 28 starts before 32, where another ends"),
                new Call(
                        HeaderFault.POSITION_BEYOND_MESSAGE,
                        join(MSG, words(1, 44), SEGMENT, words(0, 0, 0), BODY),
                        "Read chunk belongs at byte 44 of a reduced message of 40 bytes"),
                new Call(
                        HeaderFault.MESSAGE_TOO_LONG,
                        join(MSG, words(1, 4, 0x501, 98, 0, 0, 1, 108, 0x501, 62, 0, 0), words(0, 0, 0), BODY),
                        "call of 204 bytes exceeds 200"),
                new Call(
                        HeaderFault.MESSAGE_TOO_LONG,
                        join(
                                MSG,
                                words(1, 4, 0x501, 100, 0, 0, 1, 108, 0x501, 64, 0, 0),
                                words(0, 0, 0),
                                join(IntStream.range(0, 10)
                                        .mapToObj(i -> words(XID))
                                        .toArray(byte[][]::new))),
                        "call of 204 bytes exceeds 200"));
    }

    private static Stream<Reply> replies() {
        byte[] bodiless = words(XID, 1, 64, 1);
        return Stream.of(
                new Reply(
                        HeaderFault.FIXED_WORDS_TRUNCATED,
                        new byte[15],
                        ReplyOutcome.DISCARD,
                        "message of 15 bytes is below the 16 bytes of the fixed words"),
                new Reply(
                        HeaderFault.BAD_VERSION,
                        join(words(XID, 2, 64, 0, 0, 0, 0), BODY),
                        ReplyOutcome.DISCARD,
                        "protocol version 2 is not 1"),
                new Reply(
                        HeaderFault.MSGP_FORBIDDEN,
                        join(words(XID, 1, 64, 2, 0, 0, 0, 0, 0), BODY),
                        ReplyOutcome.DISCARD,
                        "RDMA_MSGP is not used by this protocol version"),
                new Reply(
                        HeaderFault.ERROR_TRUNCATED,
                        words(XID, 1, 64, 4),
                        ReplyOutcome.DISCARD,
                        "RDMA_ERROR of 16 bytes is below 20"),
                new Reply(
                        HeaderFault.ERROR_TRUNCATED,
                        words(XID, 1, 64, 4, 1, 1),
                        ReplyOutcome.DISCARD,
                        "RDMA_ERROR of 24 bytes is below 28"),
                new Reply(
                        HeaderFault.READ_LIST_IN_REPLY,
                        join(words(XID, 1, 64, 0, 1, 40), SEGMENT, words(0, 0, 0), BODY),
                        ReplyOutcome.DISCARD,
                        "reply has a Read list of 1 segments"),
                new Reply(
                        HeaderFault.NOMSG_WITHOUT_REPLY_CHUNK,
                        join(bodiless, words(0, 0, 0)),
                        ReplyOutcome.FAIL_CALL,
                        "RDMA_NOMSG reply without bytes in a Reply chunk"),
                new Reply(
                        HeaderFault.NOMSG_WITHOUT_REPLY_CHUNK,
                        join(bodiless, words(0, 0, 1, 2, 0x501, 0, 0, 0, 0x601, 0, 0, 0)),
                        ReplyOutcome.FAIL_CALL,
                        "RDMA_NOMSG reply without bytes in a Reply chunk"),
                new Reply(
                        HeaderFault.XID_MISMATCH,
                        join(words(XID, 1, 64, 0, 0, 0, 0), words(XID - 1, 1, 0)),
                        ReplyOutcome.DISCARD,
                        "header xid 0x11223344 differs from payload xid 0x11223343"),
                new Reply(
                        HeaderFault.PAYLOAD_MISSING,
                        words(XID, 1, 64, 0, 0, 0, 0),
                        ReplyOutcome.DISCARD,
                        "RDMA_MSG with 0 inline bytes is below 4"));
    }
}
