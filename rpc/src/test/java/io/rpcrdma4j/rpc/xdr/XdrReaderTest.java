package io.rpcrdma4j.rpc.xdr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.Hex;
import java.lang.foreign.MemorySegment;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class XdrReaderTest {
    private final XdrReader reader = new XdrReader();

    @Test
    void valuesAreReadAsTheRfcSays() throws XdrException {
        start("fffffffe ffffffff 01020304 05060708 00000001 00000000"
                + " 00000005 01020304 05000000 06000000 00000002 c3a90000 00000000");
        assertThat(reader.readInt()).isEqualTo(-2);
        assertThat(reader.readUnsignedInt()).isEqualTo(0xffff_ffffL);
        assertThat(reader.readLong()).isEqualTo(0x0102030405060708L);
        assertThat(reader.readBoolean()).isTrue();
        assertThat(reader.readBoolean()).isFalse();
        assertThat(reader.readOpaque(5)).containsExactly(1, 2, 3, 4, 5);
        byte[] one = new byte[1];
        reader.readFixed(one);
        assertThat(one).containsExactly(6);
        assertThat(reader.readString(2)).isEqualTo("é");
        assertThat(reader.readOpaqueSlice(0).byteSize()).isZero();
        assertThat(reader.position()).isEqualTo(13 * 4);
        reader.finish();
    }

    @Test
    void everyTruncationIsAnErrorOfTheReader() {
        String message = "00000003 01020300 00000001 00000002 00000003";
        byte[] bytes = Hex.bytes(message);
        for (int length = 0; length < bytes.length; length++) {
            reader.start(MemorySegment.ofArray(bytes), 0, length, null);
            fails(
                    () -> {
                        reader.readOpaqueSlice(100);
                        reader.readLong();
                        reader.readInt();
                    },
                    XdrException.Reason.TRUNCATED);
        }
    }

    @Test
    void lengthsAreCheckedBeforeTheyAreUsed() {
        start("ffffffff 00000000");
        fails(() -> reader.readOpaque(Integer.MAX_VALUE), XdrException.Reason.TOO_LONG);
        start("7fffffff 00000000");
        fails(() -> reader.readOpaque(Integer.MAX_VALUE), XdrException.Reason.TRUNCATED);
        start("ffffffff 00000000");
        fails(() -> reader.readCount(16, 4), XdrException.Reason.TOO_LONG);
        start("00000002 00000000");
        fails(() -> reader.readCount(16, 4), XdrException.Reason.TRUNCATED);
        start("ffffffff 00000000");
        fails(() -> reader.readPayload(0xffff_ffffL), XdrException.Reason.TRUNCATED);
        start("00000005 00000000 00000000");
        fails(() -> reader.readString(4), XdrException.Reason.TOO_LONG);
    }

    @Test
    void aBooleanIsZeroOrOne() {
        start("00000002");
        fails(reader::readBoolean, XdrException.Reason.BAD_VALUE);
    }

    @Test
    void textIsUtf8() {
        start("00000002 c3280000");
        fails(() -> reader.readString(2), XdrException.Reason.BAD_TEXT);
    }

    @Test
    void whatIsLeftOverIsAnError() throws XdrException {
        start("00000001 00000000");
        reader.readInt();
        fails(reader::finish, XdrException.Reason.TRAILING_BYTES);
    }

    @Test
    void aPayloadIsFoundInlineOrInItsChunk() throws XdrException {
        start("00000001 00000003 0a0b0c00 00000002");
        reader.readInt();
        assertThat(reader.readPayload(3).toArray(XdrLayouts.BYTE)).containsExactly(10, 11, 12);
        assertThat(reader.position()).isEqualTo(12);
        assertThat(reader.readInt()).isEqualTo(2);
        reader.finish();

        MemorySegment chunk = Hex.segment("0a0b0c");
        OneChunk claims = new OneChunk(8, chunk);
        MemorySegment inline = Hex.segment("ffffffff 00000001 00000003 00000002");
        reader.start(inline, 4, 12, claims);
        reader.readInt();
        assertThat(reader.readPayload(3)).isEqualTo(chunk);
        assertThat(reader.position()).as("counts the chunk and its pad").isEqualTo(12);
        assertThat(reader.readInt()).isEqualTo(2);
        assertThat(reader.position()).isEqualTo(16);
        reader.finish();
    }

    @Test
    void aChunkThatNothingClaimsIsAnError() throws XdrException {
        reader.start(Hex.segment("00000001 00000003 00000002"), 0, 12, new OneChunk(4, Hex.segment("0a0b0c")));
        reader.readInt();
        reader.readInt();
        reader.readInt();
        fails(reader::finish, XdrException.Reason.CHUNK_UNCLAIMED);
    }

    @Test
    void theSinkGetsTheFirstPayloadThatCameInline() throws XdrException {
        start("00000003 0a0b0c00 00000001 0d000000");
        MemorySegment sink = MemorySegment.ofArray(new byte[8]);
        reader.payloadSink(sink, 2, 4);
        MemorySegment first = reader.readPayload(8);
        assertThat(first.toArray(XdrLayouts.BYTE)).containsExactly(10, 11, 12);
        assertThat(reader.payloadSegment()).isSameAs(sink);
        assertThat(reader.payloadOffset()).isEqualTo(2);
        assertThat(sink.toArray(XdrLayouts.BYTE)).containsExactly(0, 0, 10, 11, 12, 0, 0, 0);
        assertThat(reader.readPayload(8).toArray(XdrLayouts.BYTE)).containsExactly(13);
        assertThat(sink.toArray(XdrLayouts.BYTE)).containsExactly(0, 0, 10, 11, 12, 0, 0, 0);

        start("00000005 0a0b0c0d 0e000000");
        reader.payloadSink(sink, 2, 4);
        fails(() -> reader.readPayload(8), XdrException.Reason.TOO_LONG);
    }

    private void start(String hex) {
        reader.start(Hex.segment(hex));
    }

    private static void fails(ThrowingCallable read, XdrException.Reason reason) {
        assertThatThrownBy(read)
                .isInstanceOfSatisfying(
                        XdrException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    private static final class OneChunk implements ChunkClaims {
        private final long at;
        private final MemorySegment memory;
        private boolean claimed;

        OneChunk(long at, MemorySegment memory) {
            this.at = at;
            this.memory = memory;
        }

        @Override
        public @Nullable MemorySegment claim(long position, long length) {
            claimed |= position == at;
            return position == at ? memory.asSlice(0, length) : null;
        }

        @Override
        public void finish() throws XdrException {
            if (!claimed) {
                throw new XdrException(XdrException.Reason.CHUNK_UNCLAIMED, "a chunk at " + at);
            }
        }
    }
}
