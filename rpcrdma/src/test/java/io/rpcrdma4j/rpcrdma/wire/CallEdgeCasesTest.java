package io.rpcrdma4j.rpcrdma.wire;

import static io.rpcrdma4j.rpcrdma.wire.Messages.join;
import static io.rpcrdma4j.rpcrdma.wire.Messages.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Inputs on the edge of the rules, at the Responder: which are legal, and what becomes of them. */
class CallEdgeCasesTest {
    private static final int XID = 0x11223344;
    private static final byte[] MSG = words(XID, 1, 128, 0);
    private static final byte[] NOMSG = words(XID, 1, 128, 1);
    private static final byte[] NO_LISTS = words(0, 0, 0);

    private final TransportHeader header = new TransportHeader();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15})
    void sendBelowTheFixedWordsIsDropped(int length) {
        assertThat(call(new byte[length])).isEqualTo(CallOutcome.DISCARD);
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 17, 27})
    void sendBelowTheShortestHeaderIsAnswered(int length) {
        byte[] message = join(MSG, NO_LISTS);
        assertThat(header.parseCall(MemorySegment.ofArray(message), length, HeaderLimits.DEFAULT))
                .isEqualTo(CallOutcome.ERR_CHUNK);
        assertThat(header.xid()).isEqualTo(XID);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 2, 0xFFFF_FFFFL})
    void otherVersionsAreAnsweredWithTheirVersionWord(long version) {
        assertThat(call(join(words(XID, version, 128, 0), NO_LISTS, body(10)))).isEqualTo(CallOutcome.ERR_VERS);
        assertThat(header.version()).isEqualTo(version);
    }

    @Test
    void trailingBytesOfNomsgAreIgnored() {
        byte[] lists = words(1, 0, 0x501, 80, 0, 0, 0, 0, 0);
        accept(join(NOMSG, lists, words(0xDEAD_BEEFL, 1, 2, 3)));
        assertThat(header.inlineLength()).isZero();
        assertThat(header.headerLength()).isEqualTo(52);
    }

    @Test
    void positionAtTheVeryEndOfTheInlineBytesIsLegal() {
        accept(join(MSG, words(1, 40, 0x501, 4, 0, 0, 0, 0, 0), body(10)));
        assertThat(header.chunks().readChunk(0).reducedOffset()).isEqualTo(40);
    }

    @Test
    void positionOneWordPastTheInlineBytesIsRefused() {
        CallOutcome outcome = call(join(MSG, words(1, 44, 0x501, 4, 0, 0, 0, 0, 0), body(10)));
        assertThat(outcome).isEqualTo(CallOutcome.ERR_CHUNK);
        assertThat(header.fault()).isEqualTo(HeaderFault.POSITION_BEYOND_MESSAGE);
    }

    @Test
    void positionsOfALongCallAreHeldAgainstItsCallChunk() {
        accept(join(NOMSG, words(1, 0, 0x501, 80, 0, 0, 1, 80, 0x601, 9, 0, 0, 0, 0, 0)));
        assertThat(header.chunks().readChunk(0).reducedOffset()).isEqualTo(80);
        assertThat(Objects.requireNonNull(header.chunks().callChunk()).length()).isEqualTo(80);

        assertThat(call(join(NOMSG, words(1, 0, 0x501, 80, 0, 0, 1, 84, 0x601, 9, 0, 0, 0, 0, 0))))
                .isEqualTo(CallOutcome.ERR_CHUNK);
        assertThat(header.fault()).isEqualTo(HeaderFault.POSITION_BEYOND_MESSAGE);
    }

    @Test
    void callChunkInRdmaMsgCountsIfNothingIsInline() {
        accept(join(MSG, words(1, 0, 0x501, 80, 0, 0, 0, 0, 0)));
        assertThat(header.chunks().callChunk()).isNotNull();
    }

    @Test
    void callChunkWithoutBytesIsNone() {
        accept(join(MSG, words(1, 0, 0x501, 0, 0, 0, 0, 0, 0), body(10)));
        assertThat(header.chunks().callChunk()).isNull();
        assertThat(header.chunks().readSegmentCount()).isEqualTo(1);
    }

    @Test
    void readChunkWithoutBytesIsLegal() {
        accept(join(MSG, words(1, 40, 0x501, 0, 0, 0, 0, 0, 0), body(10)));
        ReadChunk chunk = header.chunks().readChunk(0);
        assertThat(chunk.length()).isZero();
        assertThat(chunk.segmentCount()).isEqualTo(1);
    }

    @Test
    void overlappingReadChunksAreRefused() {
        byte[] lists = words(1, 60, 0x501, 100, 0, 0, 1, 120, 0x501, 4, 0, 0, 0, 0, 0);
        assertThat(call(join(MSG, lists, body(50)))).isEqualTo(CallOutcome.ERR_CHUNK);
        assertThat(header.fault()).isEqualTo(HeaderFault.READ_CHUNKS_OVERLAP);
    }

    @Test
    void interleavedEntriesAreGroupedByPositionInListOrder() {
        accept(join(
                MSG,
                words(1, 40, 0x501, 8, 0, 0x10),
                words(1, 20, 0x601, 4, 0, 0x20),
                words(1, 40, 0x502, 4, 0, 0x30),
                words(1, 20, 0x602, 12, 0, 0x40),
                words(0, 0, 0),
                body(10)));
        ChunkLists chunks = header.chunks();
        assertThat(chunks.readChunkCount()).isEqualTo(2);
        assertThat(chunks.readChunk(0).position()).isEqualTo(20);
        assertThat(chunks.readChunk(0).length()).isEqualTo(16);
        assertThat(handles(chunks.readChunk(0))).containsExactly(0x601, 0x602);
        assertThat(chunks.readChunk(0).offset(1)).isEqualTo(0x40);
        assertThat(chunks.readChunk(1).position()).isEqualTo(40);
        assertThat(handles(chunks.readChunk(1))).containsExactly(0x501, 0x502);
        assertThat(chunks.readChunk(1).reducedOffset()).isEqualTo(24);
        assertThat(chunks.readSegmentHandle(0)).as("wire order is kept").isEqualTo(0x501);
        assertThat(chunks.readSegmentPosition(1)).isEqualTo(20);
    }

    /** Item of 9 bytes at 20, then 8 bytes of other arguments, then an item at 20 + 12 + 8. */
    @Test
    void laterPositionsCountThePadOfAnOddItemWhetherOrNotTheChunkHasIt() {
        for (long firstLength : new long[] {9, 12}) {
            accept(join(MSG, words(1, 20, 0x501, firstLength, 0, 0, 1, 40, 0x601, 16, 0, 0, 0, 0, 0), body(10)));
            assertThat(header.chunks().readChunk(0).reducedOffset()).isEqualTo(20);
            assertThat(header.chunks().readChunk(1).reducedOffset()).isEqualTo(28);
        }
    }

    @Test
    void padMayComeInASegmentOfItsOwn() {
        accept(join(MSG, words(1, 40, 0x501, 9, 0, 0, 1, 40, 0x601, 3, 0, 0, 0, 0, 0), body(10)));
        assertThat(header.chunks().readChunkCount()).isEqualTo(1);
        assertThat(header.chunks().readChunk(0).length()).isEqualTo(12);
    }

    @Test
    void sameHandleMayOccurInAllSegmentsAndIsThenTheSoleOne() {
        accept(join(
                MSG,
                words(1, 40, 0x501, 8, 0, 0, 1, 40, 0x501, 8, 0, 8, 0),
                words(1, 1, 0x501, 8, 0, 16, 0),
                words(1, 1, 0x501, 8, 0, 24),
                body(10)));
        assertThat(header.chunks().hasSoleHandle()).isTrue();
        assertThat(header.chunks().soleHandle()).isEqualTo(0x501);
    }

    @Test
    void twoDistinctHandlesInDifferentListsLeaveNoneToInvalidate() {
        accept(join(MSG, words(0, 1, 1, 0x501, 8, 0, 0, 0), words(1, 1, 0x502, 8, 0, 0), body(10)));
        assertThat(header.chunks().hasSoleHandle()).isFalse();
    }

    @Test
    void noHandleIsNoSoleHandle() {
        accept(join(MSG, NO_LISTS, body(10)));
        assertThat(header.chunks().hasSoleHandle()).isFalse();
    }

    @Test
    void absurdSegmentCountIsRefusedBeforeAnythingIsAllocated() {
        for (long count : new long[] {0xFFFF_FFFFL, 0x1000_0001, 0x8000_0000L, 3}) {
            assertThat(call(join(MSG, words(0, 1, count), body(10)))).isEqualTo(CallOutcome.ERR_CHUNK);
            assertThat(header.fault()).isEqualTo(HeaderFault.SEGMENT_COUNT_BEYOND_MESSAGE);
            assertThat(call(join(MSG, words(0, 0, 1, count), body(10)))).isEqualTo(CallOutcome.ERR_CHUNK);
            assertThat(header.fault()).isEqualTo(HeaderFault.SEGMENT_COUNT_BEYOND_MESSAGE);
        }
    }

    @Test
    void sumsBeyondFourGibibytesDoNotWrap() {
        byte[] segments = words(1, 40, 1, 0xFFFF_FFFFL, 0, 0, 1, 40, 1, 0xFFFF_FFFFL, 0, 0, 0, 0, 0);
        assertThat(call(join(MSG, segments, body(10)))).isEqualTo(CallOutcome.ERR_CHUNK);
        assertThat(header.fault()).isEqualTo(HeaderFault.SEGMENT_TOO_LONG);

        HeaderLimits wide = new HeaderLimits(16, 64, 16, 1L << 40, 1L << 40);
        byte[] message = join(MSG, segments, body(10));
        assertThat(header.parseCall(MemorySegment.ofArray(message), message.length, wide))
                .isEqualTo(CallOutcome.ACCEPT);
        assertThat(header.chunks().readChunk(0).length()).isEqualTo(0x1_FFFF_FFFEL);
    }

    @Test
    void segmentMayEndAtTwoToTheSixtyFourButNotPassIt() {
        accept(join(MSG, words(0, 1, 1, 5, 16, 0xFFFF_FFFFL, 0xFFFF_FFF0L, 0, 0), body(10)));
        accept(join(MSG, words(0, 1, 1, 5, 0, 0xFFFF_FFFFL, 0xFFFF_FFFFL, 0, 0), body(10)));
        assertThat(call(join(MSG, words(0, 1, 1, 5, 17, 0xFFFF_FFFFL, 0xFFFF_FFF0L, 0, 0), body(10))))
                .isEqualTo(CallOutcome.ERR_CHUNK);
        assertThat(header.fault()).isEqualTo(HeaderFault.SEGMENT_WRAPS);
    }

    @Test
    void emptyWriteChunkIsLegalAndReturnedEmpty() {
        accept(join(MSG, words(0, 1, 0, 0, 0), body(10)));
        assertThat(header.chunks().writeChunkCount()).isEqualTo(1);
        assertThat(header.chunks().writeChunk(0).segmentCount()).isZero();
        assertThat(header.chunks().writeChunk(0).recordResult(1)).isFalse();

        MemorySegment target = Messages.filled(64);
        int length =
                new HeaderEncoder().reset(target, 0, 64).encodeReply(XID, 64, MessageType.RDMA_MSG, header.chunks(), 0);
        assertThat(Messages.bytes(target, 0, length)).isEqualTo(words(XID, 1, 64, 0, 0, 1, 0, 0, 0));
    }

    @Test
    void emptyReplyChunkCountsAsNoneAndIsReturnedAbsent() {
        accept(join(MSG, words(0, 0, 1, 0), body(10)));
        assertThat(header.headerLength()).isEqualTo(32);
        assertThat(header.chunks().replyChunk()).isNull();
        assertThat(header.chunks().hasEmptyReplyChunk()).isTrue();

        MemorySegment target = Messages.filled(64);
        int length =
                new HeaderEncoder().reset(target, 0, 64).encodeReply(XID, 64, MessageType.RDMA_MSG, header.chunks(), 0);
        assertThat(Messages.bytes(target, 0, length)).isEqualTo(words(XID, 1, 64, 0, 0, 0, 0));
    }

    @Test
    void headerEndsBehindItsListsForEveryCombinationOfThem() {
        byte[] reads = words(1, 40, 0x501, 8, 0, 0);
        byte[] writes = words(1, 2, 0x501, 8, 0, 0, 0x502, 8, 0, 0);
        byte[] reply = words(1, 1, 0x503, 8, 0, 0);
        for (int bits = 0; bits < 8; bits++) {
            byte[] lists = join(
                    (bits & 1) != 0 ? reads : new byte[0],
                    words(0),
                    (bits & 2) != 0 ? writes : new byte[0],
                    words(0),
                    (bits & 4) != 0 ? reply : words(0));
            accept(join(MSG, lists, body(10)));
            assertThat(header.headerLength()).as("lists %d", bits).isEqualTo(16 + lists.length);
            assertThat(header.inlineLength()).isEqualTo(40);
            assertThat(HeaderEncoder.callLength(header.chunks())).isEqualTo(16 + lists.length);
        }
    }

    @Test
    void sixteenSegmentsInAChunkAreTakenAndSeventeenAreNot() {
        byte[] segment = words(0x501, 4, 0, 0);
        byte[] sixteen = join(segment, segment, segment, segment);
        sixteen = join(sixteen, sixteen, sixteen, sixteen);
        accept(join(MSG, words(0, 1, 16), sixteen, words(0, 0), body(10)));
        assertThat(call(join(MSG, words(0, 1, 17), sixteen, segment, words(0, 0), body(10))))
                .isEqualTo(CallOutcome.ERR_CHUNK);
        accept(join(MSG, words(0, 0, 1, 16), sixteen, body(10)));
        assertThat(call(join(MSG, words(0, 0, 1, 17), sixteen, segment, body(10))))
                .isEqualTo(CallOutcome.ERR_CHUNK);
    }

    @Test
    void whatTheLinuxClientOffersForAnAccessControlListIsTaken() {
        byte[] reply = words(1, 4, 1, 96, 0, 0, 2, 1048576, 0, 0, 3, 4096, 0, 0, 4, 24, 0, 0);
        accept(join(MSG, words(0, 0), reply, body(10)));
        assertThat(Objects.requireNonNull(header.chunks().replyChunk()).length())
                .isEqualTo(1052792);
    }

    @Test
    void readChunkOfTheLargestPayloadIsTakenAndOneMoreByteIsNot() {
        accept(join(MSG, words(1, 40, 0x501, 1048576, 0, 0, 0, 0, 0), body(10)));
        assertThat(call(join(MSG, words(1, 40, 0x501, 1048577, 0, 0, 0, 0, 0), body(10))))
                .isEqualTo(CallOutcome.ERR_CHUNK);
        assertThat(header.fault()).isEqualTo(HeaderFault.READ_CHUNK_TOO_LONG);
    }

    @Test
    void inlineAndChunkBytesMayAddUpToTheLargestMessageAndNoFurther() {
        HeaderLimits limits = new HeaderLimits(16, 64, 16, 1000, 1040);
        byte[] message = join(MSG, words(1, 40, 0x501, 1000, 0, 0, 0, 0, 0), body(10));
        assertThat(header.parseCall(MemorySegment.ofArray(message), message.length, limits))
                .isEqualTo(CallOutcome.ACCEPT);
        message = join(message, words(0));
        assertThat(header.parseCall(MemorySegment.ofArray(message), message.length, limits))
                .isEqualTo(CallOutcome.ERR_CHUNK);
        assertThat(header.fault()).isEqualTo(HeaderFault.MESSAGE_TOO_LONG);
    }

    @Test
    void lengthBeyondTheSegmentIsTheCallersMistake() {
        MemorySegment message = MemorySegment.ofArray(join(MSG, NO_LISTS));
        assertThatThrownBy(() -> header.parseCall(message, 29, HeaderLimits.DEFAULT))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    private static byte[] body(int words) {
        long[] body = new long[words];
        body[0] = XID;
        return words(body);
    }

    private static int[] handles(Chunk chunk) {
        int[] handles = new int[chunk.segmentCount()];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = chunk.handle(i);
        }
        return handles;
    }

    private CallOutcome call(byte[] message) {
        return header.parseCall(MemorySegment.ofArray(message), message.length, HeaderLimits.DEFAULT);
    }

    private void accept(byte[] message) {
        CallOutcome outcome = call(message);
        assertThat(outcome).as(header.faultText()).isEqualTo(CallOutcome.ACCEPT);
    }
}
