package io.rpcrdma4j.rpcrdma.wire;

import static io.rpcrdma4j.rpcrdma.wire.Messages.bytes;
import static io.rpcrdma4j.rpcrdma.wire.Messages.filled;
import static io.rpcrdma4j.rpcrdma.wire.Messages.hex;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Whole messages, byte for byte: AUTH_NONE, file handle f0..ff. Built from RFC 8166 and checked by dissecting them with
 * tshark inside iWARP.
 */
class WorkedExamplesTest {
    private static final String NO_LISTS = "00000000 00000000 00000000";
    private static final String NULL_CALL_BODY =
            "00000000 00000002 000186a3 00000003 00000000 00000000 00000000 00000000 00000000";
    private static final String EMPTY_REPLY_BODY = "00000001 00000000 00000000 00000000 00000000";
    private static final String READ_BODY = """
            00000000 00000002 000186a3 00000003 00000006 00000000 00000000 00000000 00000000
            00000010 f0f1f2f3 f4f5f6f7 f8f9fafb fcfdfeff 00000000 00000000 00010000
            """;
    private static final String READ_REPLY_BODY = """
            00000001 00000000 00000000 00000000 00000000
            00000000 00000000 00010000 00000000 00010000
            """;
    private static final String READ_LISTS =
            "00000000 | 00000001 00000001 00051a07 00010000 11223345 0a000000 00000000 | 00000000";
    private static final String WRITE_BODY = """
            00000000 00000002 000186a3 00000003 00000007 00000000 00000000 00000000 00000000
            00000010 f0f1f2f3 f4f5f6f7 f8f9fafb fcfdfeff 00000000 00000000 0000000a 00000002 0000000a
            """;
    private static final String READDIR_BODY = """
            00000000 00000002 000186a3 00000003 00000010 00000000 00000000 00000000 00000000
            00000010 f0f1f2f3 f4f5f6f7 f8f9fafb fcfdfeff 00000000 00000000 00000000 00000000 00008000
            """;
    private static final String READDIR_CHUNK =
            "00000000 | 00000000 | 00000001 00000001 00073c11 00008100 11223347 0c000000";
    private static final String READDIR_RETURNED =
            "00000000 | 00000000 | 00000001 00000001 00073c11 00002a5c 11223347 0c000000";

    private final TransportHeader header = new TransportHeader();
    private final HeaderEncoder encoder = new HeaderEncoder();
    private final ChunkLists lists = new ChunkLists();

    @Test
    void nullCallHasNoLists() {
        byte[] message = hex("11223344 00000001 00000080 00000000" + NO_LISTS + "11223344" + NULL_CALL_BODY);

        parseCall(message, 68, 28);
        assertThat(header.xid()).isEqualTo(0x11223344);
        assertThat(header.version()).isEqualTo(1);
        assertThat(header.credits()).isEqualTo(128);
        assertThat(header.type()).isEqualTo(MessageType.RDMA_MSG);
        assertThat(header.chunks().isEmpty()).isTrue();
        assertThat(header.inlineLength()).isEqualTo(40);

        encodesCall(0x11223344, MessageType.RDMA_MSG, message, 28);
    }

    @Test
    void nullReplyGrantsCredits() {
        byte[] message = hex("11223344 00000001 00000040 00000000" + NO_LISTS + "11223344" + EMPTY_REPLY_BODY);

        parseReply(message, 52, 28);
        assertThat(header.credits()).isEqualTo(64);
        assertThat(header.inlineLength()).isEqualTo(24);

        encodesReply(0x11223344, MessageType.RDMA_MSG, 0, message, 28);
    }

    @Test
    void readCallOffersOneWriteChunk() {
        byte[] message = hex("11223345 00000001 00000080 00000000" + READ_LISTS + "11223345" + READ_BODY);

        parseCall(message, 124, 52);
        assertThat(header.chunks().writeChunkCount()).isEqualTo(1);
        assertThat(header.chunks().callChunk()).isNull();
        assertThat(header.chunks().replyChunk()).isNull();
        isSegment(header.chunks().writeChunk(0), 0x00051a07, 65536, 0x11223345_0a000000L);
        assertThat(header.chunks().hasSoleHandle()).isTrue();
        assertThat(header.chunks().soleHandle()).isEqualTo(0x00051a07);

        lists.startWriteChunk();
        lists.addWriteSegment(0x00051a07, 65536, 0x11223345_0a000000L);
        encodesCall(0x11223345, MessageType.RDMA_MSG, message, 52);
    }

    @Test
    void readReplyReturnsTheWriteChunkAndNoData() {
        byte[] message = hex("11223345 00000001 00000040 00000000" + READ_LISTS + "11223345" + READ_REPLY_BODY);

        parseReply(message, 96, 52);
        lists.startWriteChunk();
        lists.addWriteSegment(0x00051a07, 65536, 0x11223345_0a000000L);
        assertThat(header.chunks().writeChunk(0).returns(lists.writeChunk(0))).isTrue();

        assertThat(lists.writeChunk(0).recordResult(65536)).isTrue();
        encodesReply(0x11223345, MessageType.RDMA_MSG, 0, message, 52);
    }

    @Test
    void writeCallEndsRightBehindTheLengthWordOfTheReducedItem() {
        byte[] message = hex("""
                11223346 00000001 00000080 00000000 |
                00000001 00000050 00062b03 0000000a 11223346 0b000100 00000000 | 00000000 | 00000000 11223346
                """ + WRITE_BODY);

        parseCall(message, 132, 52);
        assertThat(header.chunks().readChunkCount()).isEqualTo(1);
        ReadChunk chunk = header.chunks().readChunk(0);
        assertThat(chunk.position()).isEqualTo(80);
        assertThat(chunk.reducedOffset()).isEqualTo(80).isEqualTo(header.inlineLength());
        isSegment(chunk, 0x00062b03, 10, 0x11223346_0b000100L);

        lists.addReadSegment(80, 0x00062b03, 10, 0x11223346_0b000100L);
        encodesCall(0x11223346, MessageType.RDMA_MSG, message, 52);

        message[31] = 0x0c;
        parseCall(message, 132, 52);
        assertThat(header.chunks().readChunk(0).length()).as("with pad").isEqualTo(12);
    }

    @Test
    void readdirCallOffersAReplyChunk() {
        byte[] message = hex("11223347 00000001 00000080 00000000" + READDIR_CHUNK + "11223347" + READDIR_BODY);

        parseCall(message, 128, 48);
        isSegment(header.chunks().replyChunk(), 0x00073c11, 33024, 0x11223347_0c000000L);

        offerReaddirReplyChunk();
        encodesCall(0x11223347, MessageType.RDMA_MSG, message, 48);
    }

    @Test
    void longReplyIsNothingButAHeaderThatReturnsTheReplyChunk() {
        byte[] message = hex("11223347 00000001 00000040 00000001" + READDIR_RETURNED);

        parseReply(message, 48, 48);
        WriteChunk returned = header.chunks().replyChunk();
        isSegment(returned, 0x00073c11, 10844, 0x11223347_0c000000L);
        offerReaddirReplyChunk();
        WriteChunk offered = lists.replyChunk();
        assertThat(offered != null && returned != null && returned.returns(offered))
                .isTrue();

        encodesReply(0x11223347, MessageType.RDMA_NOMSG, 10844, message, 48);
    }

    @Test
    void longCallIsNothingButAHeaderWithAPositionZeroChunk() {
        byte[] message = hex("""
                11223348 00000001 00000080 00000001 |
                00000001 00000000 00084d21 00001400 11223348 0d000000 00000000 | 00000000 | 00000000
                """);

        parseCall(message, 52, 52);
        assertThat(header.chunks().readChunkCount()).isZero();
        isSegment(header.chunks().callChunk(), 0x00084d21, 5120, 0x11223348_0d000000L);

        lists.addReadSegment(0, 0x00084d21, 5120, 0x11223348_0d000000L);
        encodesCall(0x11223348, MessageType.RDMA_NOMSG, message, 52);
    }

    @Test
    void errVersAnswersAnotherVersionWithOurs() {
        byte[] message = hex("11223349 00000002 00000040 00000004 00000001 00000001 00000001");

        parseReply(message, 28, 28);
        assertThat(header.type()).isEqualTo(MessageType.RDMA_ERROR);
        assertThat(header.version()).isEqualTo(2);
        assertThat(header.errorCode()).isEqualTo(TransportHeader.ERR_VERS);
        assertThat(header.lowVersion()).isEqualTo(1);
        assertThat(header.highVersion()).isEqualTo(1);

        MemorySegment target = filled(64);
        assertThat(encoder.reset(target, 0, 64).encodeErrVers(0x11223349, 2, 64))
                .isEqualTo(28);
        isEncoded(target, 0, message, 28);
    }

    @Test
    void errChunkHasTwentyBytes() {
        byte[] message = hex("1122334a 00000001 00000040 00000004 00000002");

        parseReply(message, 20, 20);
        assertThat(header.errorCode()).isEqualTo(TransportHeader.ERR_CHUNK);

        MemorySegment target = filled(64);
        assertThat(encoder.reset(target, 0, 64).encodeErrChunk(0x1122334a, 1, 64))
                .isEqualTo(20);
        isEncoded(target, 0, message, 20);
    }

    private void offerReaddirReplyChunk() {
        lists.startReplyChunk();
        lists.addWriteSegment(0x00073c11, 33024, 0x11223347_0c000000L);
    }

    private void parseCall(byte[] message, int messageLength, int headerLength) {
        assertThat(message).hasSize(messageLength);
        CallOutcome outcome = header.parseCall(MemorySegment.ofArray(message), message.length, HeaderLimits.DEFAULT);
        assertThat(outcome).as(header.faultText()).isEqualTo(CallOutcome.ACCEPT);
        assertThat(header.headerLength()).isEqualTo(headerLength);
    }

    private void parseReply(byte[] message, int messageLength, int headerLength) {
        assertThat(message).hasSize(messageLength);
        ReplyOutcome outcome = header.parseReply(MemorySegment.ofArray(message), message.length, HeaderLimits.DEFAULT);
        assertThat(outcome).as(header.faultText()).isEqualTo(ReplyOutcome.ACCEPT);
        assertThat(header.headerLength()).isEqualTo(headerLength);
    }

    private void encodesCall(int xid, MessageType type, byte[] message, int headerLength) {
        MemorySegment target = filled(256);
        assertThat(encoder.reset(target, 3, 256).encodeCall(xid, 128, type, lists))
                .isEqualTo(headerLength);
        assertThat(HeaderEncoder.callLength(lists)).isEqualTo(headerLength);
        isEncoded(target, 3, message, headerLength);
    }

    private void encodesReply(int xid, MessageType type, long replyChunkBytes, byte[] message, int headerLength) {
        MemorySegment target = filled(256);
        assertThat(encoder.reset(target, 3, 256).encodeReply(xid, 64, type, lists, replyChunkBytes))
                .isEqualTo(headerLength);
        assertThat(HeaderEncoder.replyLength(lists)).isEqualTo(headerLength);
        isEncoded(target, 3, message, headerLength);
    }

    private static void isEncoded(MemorySegment target, int from, byte[] message, int headerLength) {
        assertThat(bytes(target, from, from + headerLength)).isEqualTo(Arrays.copyOf(message, headerLength));
        assertThat(bytes(target, 0, from)).isEqualTo(bytes(filled(from), 0, from));
        assertThat(bytes(target, from + headerLength, target.byteSize())).containsOnly((byte) 0xA5);
    }

    private static void isSegment(@Nullable Chunk found, int handle, long length, long offset) {
        Chunk chunk = Objects.requireNonNull(found);
        assertThat(chunk.segmentCount()).isEqualTo(1);
        assertThat(chunk.length()).isEqualTo(length);
        assertThat(chunk.handle(0)).isEqualTo(handle);
        assertThat(chunk.segmentLength(0)).isEqualTo(length);
        assertThat(chunk.offset(0)).isEqualTo(offset);
    }
}
