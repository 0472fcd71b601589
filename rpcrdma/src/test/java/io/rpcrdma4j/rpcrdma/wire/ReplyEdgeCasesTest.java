package io.rpcrdma4j.rpcrdma.wire;

import static io.rpcrdma4j.rpcrdma.wire.Messages.join;
import static io.rpcrdma4j.rpcrdma.wire.Messages.words;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Inputs on the edge of the rules, at the Requester. */
class ReplyEdgeCasesTest {
    private static final int XID = 0x11223344;
    private static final byte[] MSG = words(XID, 1, 64, 0);
    private static final byte[] BODY = words(XID, 1, 0, 0, 0, 0);

    private final TransportHeader header = new TransportHeader();
    private final ChunkLists offered = new ChunkLists();

    @Test
    void errorOfTwentyBytesIsValid() {
        assertThat(reply(words(XID, 1, 64, 4, 2))).isEqualTo(ReplyOutcome.ACCEPT);
        assertThat(header.errorCode()).isEqualTo(2);
        assertThat(header.headerLength()).isEqualTo(20);
    }

    @Test
    void unknownErrorCodeIsHandedOnSoThatTheCallFails() {
        assertThat(reply(words(XID, 1, 64, 4, 0xFFFF_FFFFL))).isEqualTo(ReplyOutcome.ACCEPT);
        assertThat(header.errorCode()).isEqualTo(0xFFFF_FFFFL);
    }

    @Test
    void errorOfAnotherVersionIsUnderstood() {
        assertThat(reply(words(XID, 2, 64, 4, 1, 1, 2))).isEqualTo(ReplyOutcome.ACCEPT);
        assertThat(header.highVersion()).isEqualTo(2);
    }

    @Test
    void doneMsgpAndUnknownTypesAreDropped() {
        for (int type : new int[] {2, 3, 5}) {
            assertThat(reply(join(words(XID, 1, 64, type, 0, 0, 0), BODY))).isEqualTo(ReplyOutcome.DISCARD);
        }
    }

    @Test
    void replyWithAReadListIsDropped() {
        assertThat(reply(join(MSG, words(1, 4, 1, 4, 0, 0, 0, 0, 0), BODY))).isEqualTo(ReplyOutcome.DISCARD);
        assertThat(header.fault()).isEqualTo(HeaderFault.READ_LIST_IN_REPLY);
    }

    @Test
    void zeroCreditsAreReportedAsTheyAre() {
        assertThat(reply(join(words(XID, 1, 0, 0, 0, 0, 0), BODY))).isEqualTo(ReplyOutcome.ACCEPT);
        assertThat(header.credits()).isZero();
    }

    @Test
    void nomsgReplyWithoutBytesFailsTheCallAtOnce() {
        byte[] empty = words(XID, 1, 64, 1, 0, 0, 1, 1, 5, 0, 0, 0);
        assertThat(reply(empty)).isEqualTo(ReplyOutcome.FAIL_CALL);
        assertThat(header.xid()).isEqualTo(XID);
        assertThat(header.credits()).isEqualTo(64);
    }

    @Test
    void writeListAndReplyChunkMayBothBeUsed() {
        byte[] both = words(XID, 1, 64, 1, 0, 1, 1, 5, 4, 0, 0, 0, 1, 1, 6, 8, 0, 0);
        assertThat(reply(both)).isEqualTo(ReplyOutcome.ACCEPT);
    }

    @Test
    void unusedReplyChunkMayAccompanyAnInlineReply() {
        assertThat(reply(join(MSG, words(0, 0, 1, 1, 6, 0, 0, 0), BODY))).isEqualTo(ReplyOutcome.ACCEPT);
        assertThat(Objects.requireNonNull(header.chunks().replyChunk()).length())
                .isZero();
    }

    @Test
    void returnedChunkMayBeShorterButMustBeFilledInOrder() {
        offered.startWriteChunk();
        offered.addWriteSegment(0x501, 8, 0x1000);
        offered.addWriteSegment(0x502, 8, 0x2000);
        offered.addWriteSegment(0x503, 4, 0x3000);

        assertThat(returned(8, 8, 4)).isTrue();
        assertThat(returned(8, 3, 0)).isTrue();
        assertThat(returned(8, 0, 0)).isTrue();
        assertThat(returned(0, 0, 0)).as("unused").isTrue();
        assertThat(returned(7, 8, 0)).as("gap before the second segment").isFalse();
        assertThat(returned(0, 8, 0)).as("first segment skipped").isFalse();
        assertThat(returned(9, 0, 0)).as("more than offered").isFalse();
        assertThat(returned(8, 0, 4)).as("second segment skipped").isFalse();
    }

    @Test
    void returnedChunkMustHaveTheSameSegments() {
        offered.startWriteChunk();
        offered.addWriteSegment(0x501, 8, 0x1000);
        WriteChunk chunk = offered.writeChunk(0);

        assertThat(chunkOf(0x501, 8, 0x1000).returns(chunk)).isTrue();
        assertThat(chunkOf(0x502, 8, 0x1000).returns(chunk)).isFalse();
        assertThat(chunkOf(0x501, 8, 0x1001).returns(chunk)).isFalse();
        reply(join(MSG, words(0, 1, 0, 0, 0), BODY));
        assertThat(header.chunks().writeChunk(0).returns(chunk))
                .as("segment missing")
                .isFalse();
    }

    private boolean returned(long first, long second, long third) {
        byte[] list = words(0, 1, 3, 0x501, first, 0, 0x1000, 0x502, second, 0, 0x2000, 0x503, third, 0, 0x3000, 0, 0);
        assertThat(reply(join(MSG, list, BODY))).isEqualTo(ReplyOutcome.ACCEPT);
        return header.chunks().writeChunk(0).returns(offered.writeChunk(0));
    }

    private WriteChunk chunkOf(long handle, long length, long offset) {
        assertThat(reply(join(MSG, words(0, 1, 1, handle, length, 0, offset, 0, 0), BODY)))
                .isEqualTo(ReplyOutcome.ACCEPT);
        return header.chunks().writeChunk(0);
    }

    private ReplyOutcome reply(byte[] message) {
        return header.parseReply(MemorySegment.ofArray(message), message.length, HeaderLimits.DEFAULT);
    }
}
