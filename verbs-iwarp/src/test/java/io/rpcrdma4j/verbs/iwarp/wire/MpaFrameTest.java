package io.rpcrdma4j.verbs.iwarp.wire;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.verbs.iwarp.wire.MpaFrame.Kind;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames as Linux siw sends them; the bytes are from captures of Linux 6.1. */
class MpaFrameTest {

    private static final byte[] RPC_RDMA = HexFormat.of().parseHex("f6ab0e1801010303");

    /** key, flags S, revision 2, 12 bytes; IRD 128, ORD 0; RFC 8797 private data. */
    private static final String LINUX_REQUEST =
            "4d504120 49442052 65712046 72616d65 | 10 02 000c | 0080 0000 | f6ab0e18 01010303";

    private static final String LINUX_REPLY =
            "4d504120 49442052 65702046 72616d65 | 10 02 000c | 0000 0080 | f6ab0e18 01000303";

    /** Flags C, revision 1, 8 bytes. */
    private static final String REVISION_1_REQUEST =
            "4d504120 49442052 65712046 72616d65 | 40 01 0008 | f6ab0e18 01010303";

    private static MpaFrame request(boolean crc, int revision, Optional<EnhancedData> enhanced) {
        return new MpaFrame(Kind.REQUEST, false, crc, false, revision, enhanced, RPC_RDMA);
    }

    @Test
    void theRequestOfALinuxClientIsParsed() throws Exception {
        MpaFrame frame = MpaFrame.parse(Kind.REQUEST, Bytes.of(LINUX_REQUEST));
        assertThat(frame).isEqualTo(request(false, 2, Optional.of(new EnhancedData(128, 0))));
    }

    @Test
    void theReplyOfALinuxServerIsParsed() throws Exception {
        MpaFrame frame = requireNonNull(MpaFrame.parse(Kind.REPLY, Bytes.of(LINUX_REPLY)));
        assertThat(frame.enhanced()).contains(new EnhancedData(0, 128));
        assertThat(frame.privateData()).asHexString().isEqualTo("F6AB0E1801000303");
        assertThat(frame.toString()).contains("REPLY revision 2", "f6ab0e1801000303");
    }

    @Test
    void aRevision1RequestHasNoEnhancedData() throws Exception {
        assertThat(MpaFrame.parse(Kind.REQUEST, Bytes.of(REVISION_1_REQUEST)))
                .isEqualTo(request(true, 1, Optional.empty()));
    }

    @Test
    void framesAreWrittenToTheByte() {
        MpaFrame linux = request(false, 2, Optional.of(new EnhancedData(128, 0)));
        assertThat(Bytes.written(linux.encodedLength(), linux::writeTo)).isEqualTo(Bytes.hex(Bytes.of(LINUX_REQUEST)));
        MpaFrame old = request(true, 1, Optional.empty());
        assertThat(Bytes.written(old.encodedLength(), old::writeTo)).isEqualTo(Bytes.hex(Bytes.of(REVISION_1_REQUEST)));
        MpaFrame rejection =
                new MpaFrame(Kind.REPLY, false, false, true, 2, Optional.of(new EnhancedData(16, 0)), new byte[0]);
        assertThat(Bytes.written(rejection.encodedLength(), rejection::writeTo))
                .isEqualTo("4d504120494420526570204672616d65300200040010" + "0000");
    }

    @Test
    void whatIsWrittenIsReadBack() throws Exception {
        var random = new SplittableRandom(5044);
        for (int i = 0; i < 2000; i++) {
            int revision = 1 + random.nextInt(2);
            Optional<EnhancedData> enhanced = revision == 2 && random.nextBoolean()
                    ? Optional.of(EnhancedData.parse(random.nextInt()))
                    : Optional.empty();
            var privateData = new byte[random.nextInt(509)];
            random.nextBytes(privateData);
            Kind kind = random.nextBoolean() ? Kind.REQUEST : Kind.REPLY;
            boolean rejected = kind == Kind.REPLY && random.nextBoolean();
            var frame = new MpaFrame(
                    kind, random.nextBoolean(), random.nextBoolean(), rejected, revision, enhanced, privateData);
            ByteBuffer out = ByteBuffer.allocate(frame.encodedLength());
            frame.writeTo(out);
            assertThat(MpaFrame.parse(kind, out.flip())).isEqualTo(frame).hasSameHashCodeAs(frame);
            assertThat(out.hasRemaining()).isFalse();
        }
    }

    @Test
    void anyProperPrefixAsksForMore() throws Exception {
        ByteBuffer whole = Bytes.of(LINUX_REQUEST);
        for (int length = 0; length < whole.capacity(); length++) {
            ByteBuffer part = whole.duplicate().limit(length);
            assertThat(MpaFrame.parse(Kind.REQUEST, part)).isNull();
            assertThat(part.position()).isZero();
        }
    }

    @Test
    void bytesBehindTheFrameAreLeft() throws Exception {
        ByteBuffer in = Bytes.of(LINUX_REQUEST + "aabb");
        assertThat(MpaFrame.parse(Kind.REQUEST, in)).isNotNull();
        assertThat(Bytes.hex(in)).isEqualTo("aabb");
    }

    @Test
    void aWrongKeyIsKnownByItsFirstWrongByte() {
        for (int i = 0; i < 16; i++) {
            ByteBuffer in = Bytes.of(LINUX_REQUEST).limit(i + 1);
            in.put(i, (byte) (in.get(i) ^ 0x20));
            assertViolation(in, Violation.MPA_KEY);
        }
    }

    @Test
    void aReplyIsNoRequest() {
        assertViolation(Bytes.of(LINUX_REPLY), Violation.MPA_KEY);
    }

    @ParameterizedTest
    @CsvSource({
        "17, 0, MPA_REVISION",
        "17, 3, MPA_REVISION",
        "17, -1, MPA_REVISION",
        "18, 2, MPA_PRIVATE_DATA_LENGTH",
        "18, -1, MPA_PRIVATE_DATA_LENGTH",
        "19, 3, MPA_ENHANCED_DATA",
        "19, 0, MPA_ENHANCED_DATA"
    })
    void eachFieldIsChecked(int offset, byte value, Violation violation) {
        assertViolation(Bytes.of(LINUX_REQUEST).put(offset, value), violation);
    }

    @Test
    void reservedFlagsAndAnEnhancedFlagInRevision1AreIgnored() throws Exception {
        ByteBuffer in = Bytes.of(REVISION_1_REQUEST).put(16, (byte) 0x7F);
        assertThat(MpaFrame.parse(Kind.REQUEST, in)).isEqualTo(request(true, 1, Optional.empty()));
    }

    @Test
    void illegalFramesCannotBeMade() {
        assertThatThrownBy(() -> request(false, 3, Optional.empty())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> request(false, 1, Optional.of(new EnhancedData(1, 1))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new MpaFrame(Kind.REPLY, false, false, false, 2, Optional.empty(), new byte[513]))
                .hasMessage("private data of 513 bytes, more than 512");
        assertThatThrownBy(() -> new MpaFrame(Kind.REQUEST, false, false, true, 2, Optional.empty(), RPC_RDMA))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void enhancedDataHasItsBitsWhereTheRfcPutsThem() {
        assertThat(EnhancedData.parse(0x0080_0000)).isEqualTo(new EnhancedData(128, 0));
        assertThat(EnhancedData.parse(0xC001_8002))
                .isEqualTo(new EnhancedData(
                        1, 2, EnhancedData.PEER_TO_PEER | EnhancedData.RTR_SEND | EnhancedData.RTR_WRITE));
        assertThat(new EnhancedData(0, 0, EnhancedData.PEER_TO_PEER | EnhancedData.RTR_READ).toWord())
                .isEqualTo(0x8000_4000);
        assertThat(new EnhancedData(0x3FFF, 0x3FFF, 0xF).toWord()).isEqualTo(-1);
        assertThat(EnhancedData.parse(-1).has(EnhancedData.RTR_READ | EnhancedData.PEER_TO_PEER))
                .isTrue();
        assertThatThrownBy(() -> new EnhancedData(0x4000, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new EnhancedData(0, 0, 16)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void assertViolation(ByteBuffer in, Violation violation) {
        assertThatThrownBy(() -> MpaFrame.parse(Kind.REQUEST, in))
                .isInstanceOfSatisfying(
                        IwarpException.class, e -> assertThat(e.violation()).isEqualTo(violation));
    }
}
