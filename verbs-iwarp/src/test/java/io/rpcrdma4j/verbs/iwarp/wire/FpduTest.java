package io.rpcrdma4j.verbs.iwarp.wire;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole FPDUs; the bytes are from RFC 5044 and from captures of Linux 6.1 siw. */
class FpduTest {

    /** Send, MSN 1: an RPC NULL call in its RPC-over-RDMA header. */
    private static final String SEND = "0056 4143 00000000 00000000 00000001 00000000"
            + "11223344 00000001 00000080 00000000 00000000 00000000 00000000"
            + "11223344 00000000 00000002 000186a3 00000003 00000000 00000000 00000000 00000000 00000000"
            + "aaa137d9";

    /** Write of "hello" with three bytes of pad. */
    private static final String WRITE = "0013 c140 00051a07 11223345 0a000000 68656c6c 6f 000000 db9bb130";

    private static final String WRITE_OF_NOTHING = "000e c140 00000001 00000000 00000000 ebd34c5f";

    private static final String READ_REQUEST = "002e 4141 00000000 00000001 00000001 00000000"
            + "00091e00 00007f00 00001000 0000000a 00062b03 11223346 0b000100 e027be84";

    private static final String READ_RESPONSE =
            "0018 c142 00091e00 00007f00 00001000 30313233 34353637 3839 0000 9fc65fdd";

    @Test
    void theCrcOfTheCheckStringIsSentLowByteFirst() {
        ByteBuffer text = ByteBuffer.wrap("123456789".getBytes(StandardCharsets.US_ASCII));
        assertThat(FpduCrc.of(text)).isEqualTo(0x839206e3);
        assertThat(text.remaining()).isEqualTo(9);
    }

    @Test
    void theFirstFpduOfRfc5044HasItsCrc() throws Exception {
        ByteBuffer in = Bytes.of("002a 4143 00000000 00000000 00000001 00000000" + "00".repeat(24) + "b7243ec3");
        Fpdu fpdu = requireNonNull(Fpdu.parse(in));
        assertThat(fpdu.crc()).isEqualTo(fpdu.expectedCrc());
    }

    @Test
    void aSendIsParsed() throws Exception {
        Fpdu fpdu = parsed(SEND);
        assertThat(fpdu.header()).isEqualTo(new DdpHeader.Untagged(RdmapOpcode.SEND, true, 0, 0, 1, 0));
        assertThat(fpdu.payload().remaining()).isEqualTo(68);
        assertThat(fpdu.payload().getInt(0)).isEqualTo(0x11223344);
    }

    @Test
    void aWriteIsParsed() throws Exception {
        Fpdu fpdu = parsed(WRITE);
        assertThat(fpdu.header())
                .isEqualTo(new DdpHeader.Tagged(RdmapOpcode.WRITE, true, 0x00051a07, 0x112233450a000000L));
        assertThat(Bytes.hex(fpdu.payload())).isEqualTo("68656c6c6f");
        assertThat(parsed(WRITE_OF_NOTHING).payload().hasRemaining()).isFalse();
    }

    @Test
    void aReadAndItsResponseAreParsed() throws Exception {
        Fpdu request = parsed(READ_REQUEST);
        assertThat(request.header())
                .isEqualTo(
                        new DdpHeader.Untagged(RdmapOpcode.READ_REQUEST, true, 0, DdpHeader.QUEUE_READ_REQUEST, 1, 0));
        assertThat(ReadRequest.parse(request.payload()))
                .isEqualTo(new ReadRequest(0x00091e00, 0x00007f0000001000L, 10, 0x00062b03, 0x112233460b000100L));
        Fpdu response = parsed(READ_RESPONSE);
        assertThat(response.header())
                .isEqualTo(new DdpHeader.Tagged(RdmapOpcode.READ_RESPONSE, true, 0x00091e00, 0x00007f0000001000L));
        assertThat(Bytes.hex(response.payload())).isEqualTo("30313233343536373839");
    }

    private static Fpdu parsed(String hex) throws IwarpException {
        ByteBuffer in = Bytes.of(hex);
        Fpdu fpdu = requireNonNull(Fpdu.parse(in));
        assertThat(in.hasRemaining()).isFalse();
        assertThat(fpdu.crc()).isEqualTo(fpdu.expectedCrc());
        assertThat(Bytes.written(fpdu.encodedLength(), fpdu::writeTo)).isEqualTo(Bytes.hex(Bytes.of(hex)));
        return fpdu;
    }

    @Test
    void theReadRequestBodyIsWrittenToTheByte() {
        var body = new ReadRequest(0x00091e00, 0x00007f0000001000L, 0xFFFF_FFFFL, 0x00062b03, -2);
        assertThat(Bytes.written(ReadRequest.BYTES, body::writeTo))
                .isEqualTo("00091e0000007f0000001000ffffffff00062b03fffffffffffffffe");
        assertThatThrownBy(() -> new ReadRequest(0, 0, 1L << 32, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aReadRequestBodyHasExactly28Bytes() {
        for (int length = 0; length < 40; length++) {
            ByteBuffer in = ByteBuffer.allocate(length);
            if (length == ReadRequest.BYTES) {
                continue;
            }
            assertThatThrownBy(() -> ReadRequest.parse(in))
                    .isInstanceOfSatisfying(
                            IwarpException.class,
                            e -> assertThat(e.violation()).isEqualTo(Violation.READ_REQUEST_LENGTH));
        }
    }

    @Test
    void whatIsWrittenIsReadBack() throws Exception {
        var random = new SplittableRandom(5041);
        for (int i = 0; i < 5000; i++) {
            int opcode = random.nextInt(8);
            DdpHeader header = RdmapOpcode.isTagged(opcode)
                    ? new DdpHeader.Tagged(opcode, random.nextBoolean(), random.nextInt(), random.nextLong())
                    : new DdpHeader.Untagged(
                            opcode,
                            random.nextBoolean(),
                            random.nextInt(),
                            random.nextInt(),
                            random.nextInt(),
                            random.nextInt());
            var payload = new byte[random.nextInt(300)];
            random.nextBytes(payload);
            Fpdu fpdu = new Fpdu(header, ByteBuffer.wrap(payload), 0).withCrc();
            ByteBuffer out = ByteBuffer.allocate(fpdu.encodedLength());
            fpdu.writeTo(out);
            Fpdu back = requireNonNull(Fpdu.parse(out.flip()));
            assertThat(back.header()).isEqualTo(header);
            assertThat(back.payload()).isEqualTo(fpdu.payload());
            assertThat(back.crc()).isEqualTo(fpdu.crc()).isEqualTo(back.expectedCrc());
            assertThat(back.encodedLength() % 4).isZero();
        }
    }

    @Test
    void anyProperPrefixAsksForMore() throws Exception {
        ByteBuffer whole = Bytes.of(SEND);
        for (int length = 0; length < whole.capacity(); length++) {
            ByteBuffer part = whole.duplicate().limit(length);
            assertThat(Fpdu.parse(part)).isNull();
            assertThat(part.position()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        // offset, value, what it breaks in the Write
        "2, 0xc0, DDP_VERSION_TAGGED",
        "2, 0xc3, DDP_VERSION_TAGGED",
        "2, 0x40, DDP_VERSION_UNTAGGED",
        "2, 0x41, UNEXPECTED_OPCODE",
        "3, 0x00, RDMAP_VERSION",
        "3, 0xc0, RDMAP_VERSION",
        "3, 0x43, UNEXPECTED_OPCODE",
        "3, 0x48, UNEXPECTED_OPCODE",
        "3, 0x4f, UNEXPECTED_OPCODE"
    })
    void eachControlFieldIsChecked(int offset, String value, Violation violation) {
        ByteBuffer in = Bytes.of(WRITE).put(offset, (byte) (int) Integer.decode(value));
        assertViolation(in, violation);
    }

    @Test
    void anUlpduShorterThanItsHeaderIsRefusedAtEveryLength() throws Exception {
        for (int ulpdu = 0; ulpdu < 18; ulpdu++) {
            ByteBuffer tagged = Bytes.of(WRITE).putShort(0, (short) ulpdu);
            ByteBuffer untagged = Bytes.of(SEND).putShort(0, (short) ulpdu);
            if (ulpdu < 14) {
                assertViolation(tagged, Violation.FPDU_TOO_SHORT);
            } else {
                assertThat(Fpdu.parse(tagged)).isNotNull();
            }
            assertViolation(untagged, Violation.FPDU_TOO_SHORT);
        }
    }

    @Test
    void reservedBitsAreIgnored() throws Exception {
        ByteBuffer in = Bytes.of(WRITE).put(2, (byte) 0xFD).put(3, (byte) 0x70);
        Fpdu fpdu = requireNonNull(Fpdu.parse(in));
        assertThat(fpdu.header())
                .isEqualTo(new DdpHeader.Tagged(RdmapOpcode.WRITE, true, 0x00051a07, 0x112233450a000000L));
    }

    @Test
    void lengthsAreThoseOfRfc5044() {
        assertThat(Fpdu.padBytes(86)).isZero();
        assertThat(Fpdu.padBytes(19)).isEqualTo(3);
        assertThat(Fpdu.padBytes(24)).isEqualTo(2);
        assertThat(Fpdu.totalBytes(65_535)).isEqualTo(Fpdu.FPDU_BYTES_MAX).isEqualTo(65_544);
        assertThat(Fpdu.mulpduFor(1460)).isEqualTo(1454);
        assertThat(Fpdu.mulpduFor(1448)).isEqualTo(1442);
        assertThat(Fpdu.mulpduFor(1447)).isEqualTo(1438);
        assertThat(Fpdu.mulpduFor(65_483)).isEqualTo(65_474);
        assertThat(Fpdu.mulpduFor(200_000)).isEqualTo(65_535);
        assertThat(Fpdu.mulpduFor(0)).isEqualTo(128);
    }

    @Test
    void aPayloadThatDoesNotFitIsRefused() {
        var header = new DdpHeader.Tagged(RdmapOpcode.WRITE, true, 0, 0);
        assertThat(new Fpdu(header, ByteBuffer.allocate(65_521), 0).ulpduLength())
                .isEqualTo(65_535);
        assertThatThrownBy(() -> new Fpdu(header, ByteBuffer.allocate(65_522), 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void headersOfTheWrongKindCannotBeMade() {
        assertThatThrownBy(() -> new DdpHeader.Tagged(RdmapOpcode.SEND, true, 0, 0))
                .hasMessage("Send is not tagged");
        assertThatThrownBy(() -> new DdpHeader.Untagged(RdmapOpcode.WRITE, true, 0, 0, 0, 0))
                .hasMessage("RDMA Write is not untagged");
        assertThatThrownBy(() -> new DdpHeader.Tagged(9, true, 0, 0)).hasMessage("opcode 9 is not tagged");
    }

    @Test
    void opcodesKnowWhatTheyAre() {
        assertThat(RdmapOpcode.isSend(RdmapOpcode.SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE))
                .isTrue();
        assertThat(RdmapOpcode.isSend(RdmapOpcode.TERMINATE)).isFalse();
        assertThat(RdmapOpcode.isInvalidating(4) && RdmapOpcode.isInvalidating(6))
                .isTrue();
        assertThat(RdmapOpcode.isInvalidating(3) || RdmapOpcode.isInvalidating(5))
                .isFalse();
        assertThat(RdmapOpcode.isSolicited(5) && RdmapOpcode.isSolicited(6)).isTrue();
        assertThat(RdmapOpcode.isSolicited(3) || RdmapOpcode.isSolicited(4)).isFalse();
        assertThat(RdmapOpcode.isKnown(-1) || RdmapOpcode.isKnown(8)).isFalse();
    }

    private static void assertViolation(ByteBuffer in, Violation violation) {
        assertThatThrownBy(() -> Fpdu.parse(in))
                .isInstanceOfSatisfying(
                        IwarpException.class, e -> assertThat(e.violation()).isEqualTo(violation));
    }
}
