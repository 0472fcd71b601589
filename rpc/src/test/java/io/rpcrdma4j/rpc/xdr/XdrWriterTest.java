package io.rpcrdma4j.rpc.xdr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.Hex;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class XdrWriterTest {
    private final NativeAllocator memory = new NativeAllocator();
    private final XdrBuffer buffer = new XdrBuffer();
    private final XdrWriter writer = new XdrWriter(buffer);

    @AfterEach
    void nothingIsLeftOut() {
        buffer.releaseAll();
        assertThat(memory.outstanding()).isZero();
        memory.close();
    }

    @Test
    void valuesAreWrittenAsTheRfcSays() {
        start(512);
        writer.writeInt(-2);
        writer.writeUnsignedInt(0xffff_ffffL);
        writer.writeLong(0x0102030405060708L);
        writer.writeBoolean(true);
        writer.writeBoolean(false);
        writer.writeOpaque(new byte[] {1, 2, 3, 4, 5});
        writer.writeFixed(new byte[] {6});
        writer.writeString("é");
        writer.writeOpaque(new byte[0]);
        assertThat(hex())
                .isEqualTo("fffffffe ffffffff 01020304 05060708 00000001 00000000"
                        + " 00000005 01020304 05000000 06000000 00000002 c3a90000 00000000");
        assertThatThrownBy(() -> writer.writeUnsignedInt(1L << 32)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.writeUnsignedInt(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMessageGoesOnInFurtherBuffersWhenItsHeadIsFull() {
        start(12);
        writer.writeLong(1);
        writer.writeLong(2);
        writer.writeInt(3);
        XdrBuffer message = writer.finish();
        assertThat(message.fragmentCount()).isEqualTo(2);
        assertThat(message.fragmentLength(0)).isEqualTo(8);
        assertThat(hex()).isEqualTo("00000000 00000001 00000000 00000002 00000003");
    }

    @Test
    void opaqueBytesMayStraddleBuffers() {
        start(8);
        byte[] bytes = new byte[100_001];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31);
        }
        writer.writeOpaque(bytes);
        writer.writeInt(9);
        byte[] message = writer.finish().toByteArray();
        assertThat(message).hasSize(4 + 100_004 + 4);
        assertThat(MemorySegment.ofArray(message).asSlice(4, bytes.length).mismatch(MemorySegment.ofArray(bytes)))
                .isEqualTo(-1);
        assertThat(Hex.of(message)).endsWith("000000 00000009");
    }

    @Test
    void beyondTheLimitNothingIsWritten() {
        writer.start(memory, head(64), 0, 64, 12);
        writer.writeInt(1);
        assertThat(writer.remaining()).isEqualTo(8);
        writer.writeLong(2);
        assertThatThrownBy(() -> writer.writeInt(3))
                .isInstanceOf(XdrOverflowException.class)
                .hasMessageContaining("16")
                .hasMessageContaining("12");
        assertThat(hex()).isEqualTo("00000001 00000000 00000002");
    }

    @Test
    void aPayloadIsReferredToAndMarkedAndFollowedByItsPad() {
        start(512);
        writer.writeInt(7);
        PayloadBuffer data = memory.allocate(512);
        data.segment().set(XdrLayouts.LONG, 3, 0x1112131415161718L);
        writer.payload(data, 4, 5);
        writer.writeInt(8);
        XdrBuffer message = writer.finish();
        assertThat(hex()).isEqualTo("00000007 00000005 12131415 16000000 00000008");
        assertThat(message.fragmentCount()).isEqualTo(3);
        assertThat(message.isPayload(0)).isFalse();
        assertThat(message.isPayload(1)).isTrue();
        assertThat(message.fragmentBuffer(1)).isSameAs(data);
        assertThat(message.fragmentOffset(1)).isEqualTo(4);
        assertThat(message.fragmentLength(1)).isEqualTo(5);
        assertThat(message.fragmentLength(2)).isEqualTo(7);
        assertThat(message.payloadCount()).isEqualTo(1);
        assertThat(message.payloadOffset(0)).isEqualTo(8);
        assertThat(message.payloadLength(0)).isEqualTo(5);
        assertThat(message.payloadPad(0)).isEqualTo(3);
        assertThat(message.payloadFragment(0)).isEqualTo(1);
        assertThat(message.payloadFragmentCount(0)).isEqualTo(1);
    }

    @Test
    void aLentPayloadIsSentLikeAnyOtherAndStaysWithItsLender() {
        PayloadBuffer data = memory.allocate(512);
        data.segment().set(XdrLayouts.LONG, 3, 0x1112131415161718L);
        for (int round = 0; round < 2; round++) {
            start(512);
            writer.lendPayload(data, 4, 5);
            writer.writeInt(8);
            XdrBuffer message = writer.finish();
            assertThat(hex()).isEqualTo("00000005 12131415 16000000 00000008");
            assertThat(message.payloadLength(0)).isEqualTo(5);
            assertThat(message.fragmentBuffer(1)).isSameAs(data);
            buffer.releaseAll();
            assertThat(memory.outstanding()).isEqualTo(1);
        }
        data.release();
    }

    @Test
    void payloadsDoNotCountAgainstTheLimit() {
        writer.start(memory, head(64), 0, 64, 12);
        writer.payload(memory.allocate(1000), 0, 1000);
        writer.writeLong(5);
        assertThat(writer.remaining()).isZero();
        assertThat(writer.position()).isEqualTo(1012);
        assertThatThrownBy(() -> writer.writeInt(3)).isInstanceOf(XdrOverflowException.class);
    }

    @Test
    void anEmptyPayloadIsALengthWordOnly() {
        start(64);
        PayloadBuffer data = memory.allocate(1);
        writer.payload(data, 0, 0);
        writer.writeInt(1);
        assertThat(hex()).isEqualTo("00000000 00000001");
        assertThat(buffer.payloadCount()).isZero();
        assertThat(buffer.fragmentCount()).isEqualTo(1);
        buffer.releaseAll();
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void aPayloadOfSeveralPagesIsOneMark() {
        start(64);
        PayloadBuffer data = memory.allocate(512);
        MemorySegment.copy(new byte[] {1, 2, 3, 4, 5, 6, 7}, 0, data.segment(), XdrLayouts.BYTE, 0, 7);
        writer.beginPayload();
        writer.payloadPage(data, 0, 3);
        writer.payloadPage(data, 5, 2);
        assertThatThrownBy(() -> writer.beginPayload()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> writer.finish()).isInstanceOf(IllegalStateException.class);
        writer.endPayload();
        assertThat(hex()).isEqualTo("00000005 01020306 07000000");
        assertThat(buffer.payloadCount()).isEqualTo(1);
        assertThat(buffer.payloadFragmentCount(0)).isEqualTo(2);
        assertThat(buffer.ownedCount()).isEqualTo(1);
    }

    @Test
    void aPayloadBehindAFullHeadGetsItsPadInANewBuffer() {
        start(8);
        writer.writeInt(1);
        writer.payload(memory.allocate(512), 0, 6);
        writer.writeInt(2);
        XdrBuffer message = writer.finish();
        assertThat(message.length()).isEqualTo(20);
        assertThat(message.fragmentCount()).isEqualTo(3);
        assertThat(message.fragmentLength(2)).isEqualTo(6);
        assertThat(Hex.of(message.toByteArray())).endsWith("0000 00000002");
    }

    @Test
    void whatIsCutBackIsForgottenAndReleased() {
        start(16);
        writer.writeInt(1);
        long mark = writer.position();
        writer.writeInt(2);
        writer.payload(memory.allocate(100), 0, 100);
        writer.writeFixed(new byte[40_000]);
        writer.payload(memory.allocate(100), 0, 100);
        writer.truncate(mark);
        assertThat(buffer.payloadCount()).isZero();
        assertThat(memory.outstanding()).isEqualTo(0);
        writer.writeInt(3);
        assertThat(hex()).isEqualTo("00000001 00000003");
    }

    @Test
    void cuttingBackBehindAPayloadKeepsIt() {
        start(64);
        writer.payload(memory.allocate(8), 0, 8);
        long mark = writer.position();
        writer.writeInt(2);
        writer.payload(memory.allocate(8), 0, 8);
        writer.truncate(mark);
        assertThat(buffer.payloadCount()).isEqualTo(1);
        assertThat(memory.outstanding()).isEqualTo(1);
        assertThat(writer.position()).isEqualTo(12);
        assertThatThrownBy(() -> writer.truncate(8)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.truncate(13)).isInstanceOf(IllegalArgumentException.class);
        assertThat(buffer.payloadCount()).isEqualTo(1);
    }

    @Test
    void aReservedWordIsFilledInLaterWhereverItIs() {
        start(8);
        writer.writeInt(0);
        long inHead = writer.reserveInt();
        long inOverflow = writer.reserveInt();
        writer.payload(memory.allocate(4), 0, 4);
        long inTail = writer.reserveInt();
        writer.patchInt(inHead, 1);
        writer.patchInt(inOverflow, 2);
        writer.patchInt(inTail, 3);
        byte[] message = writer.finish().toByteArray();
        assertThat(Hex.of(message))
                .startsWith("00000000 00000001 00000002 00000004")
                .endsWith("00000003");
        assertThatThrownBy(() -> writer.patchInt(16, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.patchInt(writer.position(), 1)).isInstanceOf(IllegalArgumentException.class);
    }

    private PayloadBuffer head(int bytes) {
        byte[] dirty = new byte[bytes];
        Arrays.fill(dirty, (byte) 0xa5);
        MemorySegment segment = MemorySegment.ofArray(dirty);
        return new PayloadBuffer() {
            @Override
            public MemorySegment segment() {
                return segment;
            }

            @Override
            public void release() {
                throw new AssertionError("a lent head is not released");
            }
        };
    }

    private void start(int headBytes) {
        writer.start(memory, head(headBytes), 0, headBytes, Long.MAX_VALUE);
    }

    private String hex() {
        return Hex.of(writer.finish().toByteArray());
    }
}
