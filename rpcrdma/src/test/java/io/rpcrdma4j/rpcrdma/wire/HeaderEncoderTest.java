package io.rpcrdma4j.rpcrdma.wire;

import static io.rpcrdma4j.rpcrdma.wire.Messages.bytes;
import static io.rpcrdma4j.rpcrdma.wire.Messages.filled;
import static io.rpcrdma4j.rpcrdma.wire.Messages.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** What the encoder writes, and what it does when there is no room. */
class HeaderEncoderTest {
    private static final int ROOM = 256;

    private final ChunkLists lists = new ChunkLists();

    @Test
    void everyPieceLeavesTheBufferAloneBehindItsLimitAndItsPositionWhereItWas() {
        lists.addReadSegment(80, 0x501, 10, 0x1_0000_0001L);
        lists.startWriteChunk();
        lists.addWriteSegment(0x601, 100, 0x2_0000_0002L);
        lists.addWriteSegment(0x602, 4, 0x3_0000_0003L);
        lists.startReplyChunk();
        lists.addWriteSegment(0x701, 200, 0x4_0000_0004L);
        assertThat(lists.writeChunk(0).recordResult(50)).isTrue();

        fitsExactly(28 + 24 + 40 + 20, e -> e.encodeCall(1, 2, MessageType.RDMA_MSG, lists));
        fitsExactly(28 + 40 + 20, e -> e.encodeReply(1, 2, MessageType.RDMA_NOMSG, lists, 150));
        fitsExactly(28, e -> e.encodeErrVers(1, 2, 3));
        fitsExactly(20, e -> e.encodeErrChunk(1, 1, 3));
        fitsExactly(20, e -> e.encodeError(1, 1, 3, 99));
        fitsExactly(16, e -> e.encodeFixedWords(1, 1, 3, 0));
        fitsExactly(4, HeaderEncoder::encodeAbsentReadList);
        fitsExactly(28, e -> e.encodeReadList(lists));
        fitsExactly(16, e -> e.encodeWriteSegment(1, 2, 3));
        fitsExactly(40, e -> e.encodeWriteChunk(lists.writeChunk(0), 104));
        fitsExactly(44, e -> e.encodeWriteList(lists));
        fitsExactly(44, e -> e.encodeOfferedWriteList(lists));
        fitsExactly(24, e -> e.encodeReplyChunk(lists.replyChunk(), 7));
        fitsExactly(4, e -> e.encodeReplyChunk(null, 0));
        fitsExactly(24, e -> e.encodeOfferedReplyChunk(lists));
    }

    @Test
    void writtenBytesFillSegmentsInOrderAndUnusedOnesKeepHandleAndOffset() {
        lists.startWriteChunk();
        lists.addWriteSegment(0x601, 100, 0x2_0000_0002L);
        lists.addWriteSegment(0x602, 100, 0x3_0000_0003L);
        lists.addWriteSegment(0x603, 4, 0x4_0000_0004L);
        assertThat(lists.writeChunk(0).recordResult(101)).isTrue();

        MemorySegment target = filled(ROOM);
        int length = new HeaderEncoder().reset(target, 0, ROOM).encodeWriteList(lists);
        assertThat(bytes(target, 0, length))
                .isEqualTo(words(1, 3, 0x601, 100, 2, 2, 0x602, 1, 3, 3, 0x603, 0, 4, 4, 0));
    }

    @Test
    void unusedWriteChunkIsReturnedWithZeroLengths() {
        lists.startWriteChunk();
        lists.addWriteSegment(0x601, 100, 0x2_0000_0002L);
        lists.startWriteChunk();
        lists.addWriteSegment(0x602, 100, 0x3_0000_0003L);
        assertThat(lists.writeChunk(0).recordResult(100)).isTrue();

        MemorySegment target = filled(ROOM);
        int length = new HeaderEncoder().reset(target, 0, ROOM).encodeWriteList(lists);
        assertThat(bytes(target, 0, length)).isEqualTo(words(1, 1, 0x601, 100, 2, 2, 1, 1, 0x602, 0, 3, 3, 0));
    }

    @Test
    void moreBytesThanAChunkHoldsAreRefused() {
        lists.startWriteChunk();
        lists.addWriteSegment(0x601, 100, 0);
        lists.startReplyChunk();
        lists.addWriteSegment(0x701, 200, 0);
        HeaderEncoder encoder = new HeaderEncoder().reset(filled(ROOM), 0, ROOM);

        assertThat(lists.writeChunk(0).recordResult(101)).isFalse();
        assertThat(lists.writeChunk(0).resultLength()).isZero();
        assertThat(encoder.encodeWriteChunk(lists.writeChunk(0), 101)).isEqualTo(HeaderEncoder.CHUNK_TOO_SHORT);
        assertThat(encoder.encodeReplyChunk(lists.replyChunk(), 201)).isEqualTo(HeaderEncoder.CHUNK_TOO_SHORT);
        assertThat(encoder.encodeReplyChunk(null, 1)).isEqualTo(HeaderEncoder.CHUNK_TOO_SHORT);
        assertThat(encoder.encodeReply(1, 1, MessageType.RDMA_NOMSG, lists, 201))
                .isEqualTo(HeaderEncoder.CHUNK_TOO_SHORT);
        assertThat(encoder.length()).isZero();
    }

    @Test
    void pieceByPieceGivesTheSameAsAWholeReply() {
        lists.startWriteChunk();
        lists.addWriteSegment(0x601, 100, 5);
        MemorySegment whole = filled(ROOM);
        int length = new HeaderEncoder().reset(whole, 0, ROOM).encodeReply(9, 8, MessageType.RDMA_MSG, lists, 0);

        MemorySegment pieces = filled(ROOM);
        HeaderEncoder encoder = new HeaderEncoder().reset(pieces, 0, ROOM);
        int sum = encoder.encodeFixedWords(9, 1, 8, 0)
                + encoder.encodeAbsentReadList()
                + encoder.encodeWriteList(lists)
                + encoder.encodeReplyChunk(lists.replyChunk(), 0);
        assertThat(sum).isEqualTo(length);
        assertThat(encoder.length()).isEqualTo(length);
        assertThat(bytes(pieces, 0, ROOM)).isEqualTo(bytes(whole, 0, ROOM));
    }

    @Test
    void valuesThatDoNotFitTheirWordsAreTheCallersMistake() {
        HeaderEncoder encoder = new HeaderEncoder().reset(filled(ROOM), 0, ROOM);
        assertThatThrownBy(() -> encoder.encodeFixedWords(1, 1, 1L << 32, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("credits 4294967296 is not an unsigned 32-bit number");
        assertThatThrownBy(() -> encoder.encodeWriteSegment(1, -1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> encoder.reset(filled(8), 0, 9)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> lists.addReadSegment(2, 1, 1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("position 2 is not a multiple of 4");
        assertThatThrownBy(() -> lists.addReadSegment(4, 1, 1L << 32, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lists.addWriteSegment(1, 1, 1)).isInstanceOf(IllegalStateException.class);
        lists.startReplyChunk();
        assertThatThrownBy(lists::startReplyChunk).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(lists::startWriteChunk).isInstanceOf(IllegalStateException.class);
    }

    private static void fitsExactly(int length, ToIntFunction<HeaderEncoder> piece) {
        MemorySegment target = filled(ROOM);
        HeaderEncoder encoder = new HeaderEncoder();
        assertThat(piece.applyAsInt(encoder.reset(target, 4, 4 + length))).isEqualTo(length);
        assertThat(encoder.position()).isEqualTo(4 + length);
        for (int room = 0; room < length; room++) {
            target = filled(ROOM);
            assertThat(piece.applyAsInt(encoder.reset(target, 4, 4 + room))).isEqualTo(HeaderEncoder.DOES_NOT_FIT);
            assertThat(encoder.position()).isEqualTo(4);
            assertThat(bytes(target, 4 + room, ROOM)).containsOnly((byte) 0xA5);
            assertThat(bytes(target, 0, 4)).containsOnly((byte) 0xA5);
        }
    }
}
