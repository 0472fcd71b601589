package io.rpcrdma4j.verbs.iwarp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Terminates in the RFC's form, and in the form of siw on little-endian machines. */
class TerminateTest {

    /** No buffer for Send MSN 9 with 100 data bytes: control word, segment length 118, untagged header. */
    private static final String NO_BUFFER = "1202c000 0076 4143 00000000 00000000 00000009 00000000";

    /** The same from siw: nibbles swapped, flags reversed, and the payload length where the segment's should be. */
    private static final String NO_BUFFER_SIW = "21020300 0064 4143 00000000 00000000 00000009 00000000";

    @Test
    void theRfcFormIsParsed() {
        Terminate terminate = Terminate.parse(Bytes.of(NO_BUFFER));
        assertThat(terminate.knownCode()).isEqualTo(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
        assertThat(terminate.segmentLength()).isEqualTo(118);
        assertThat(terminate.ddpHeader()).hasSize(18).startsWith(0x41, 0x43);
        assertThat(terminate.readRequest()).isEmpty();
        assertThat(terminate.text()).isEqualTo("DDP: no buffer for this message");
    }

    @Test
    void theFormOfSiwIsParsed() {
        Terminate terminate = Terminate.parse(Bytes.of(NO_BUFFER_SIW));
        assertThat(terminate.knownCode()).isEqualTo(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
        assertThat(terminate.segmentLength()).isEqualTo(100);
        assertThat(terminate.ddpHeader()).hasSize(18);
    }

    @ParameterizedTest
    @CsvSource({
        "20020000, MPA_CRC",
        "02020000, MPA_CRC",
        "1202c000, DDP_UNTAGGED_NO_BUFFER",
        "21020300, DDP_UNTAGGED_NO_BUFFER",
        "0102e000, RDMAP_ACCESS",
        "10020700, RDMAP_ACCESS",
        "1100c000, DDP_TAGGED_INVALID_STAG",
        "11000300, DDP_TAGGED_INVALID_STAG",
        "02090000, RDMAP_OPERATION_CANNOT_INVALIDATE",
        "20090000, RDMAP_OPERATION_CANNOT_INVALIDATE"
    })
    void controlWordsOfBothFormsAreUnderstood(String word, TerminateCode code) {
        assertThat(Terminate.parse(Bytes.of(word)).knownCode()).isEqualTo(code);
    }

    @Test
    void theRfcFormIsWrittenToTheByte() {
        var header = new byte[18];
        Bytes.of("4143 00000000 00000000 00000009 00000000").get(header);
        Terminate terminate = Terminate.of(TerminateCode.DDP_UNTAGGED_NO_BUFFER, 118, header, new byte[0]);
        assertThat(Bytes.written(terminate.encodedLength(), terminate::writeTo))
                .isEqualTo(Bytes.hex(Bytes.of(NO_BUFFER)));
        Terminate bare = Terminate.of(TerminateCode.MPA_CRC);
        assertThat(Bytes.written(bare.encodedLength(), bare::writeTo)).isEqualTo("20020000");
    }

    @Test
    void theBareTerminateIsAWholeFpdu() {
        ByteBuffer body = ByteBuffer.allocate(4);
        Terminate.of(TerminateCode.MPA_CRC).writeTo(body);
        Fpdu fpdu = new Fpdu(new DdpHeader.Untagged(7, true, 0, 2, 1, 0), body.flip(), 0).withCrc();
        assertThat(Bytes.written(fpdu.encodedLength(), fpdu::writeTo))
                .isEqualTo(Bytes.hex(Bytes.of("0016 4147 00000000 00000002 00000001 00000000 20020000 7fe42585")));
    }

    @Test
    void whatIsWrittenIsReadBack() {
        var random = new SplittableRandom(5040);
        List<TerminateCode> codes = List.of(TerminateCode.values());
        for (int i = 0; i < 2000; i++) {
            TerminateCode code = codes.get(random.nextInt(codes.size()));
            int kind = random.nextInt(4);
            var header = new byte[kind == 0 ? 0 : kind == 1 ? 14 : 18];
            random.nextBytes(header);
            if (header.length > 0) {
                header[0] = (byte) (kind == 1 ? 0xC1 : 0x41);
            }
            var request = new byte[kind == 3 ? 28 : 0];
            Terminate terminate = Terminate.of(code, kind == 0 ? -1 : random.nextInt(65536), header, request);
            ByteBuffer out = ByteBuffer.allocate(terminate.encodedLength());
            terminate.writeTo(out);
            Terminate back = Terminate.parse(out.flip());
            assertThat(back.knownCode()).isEqualTo(code);
            assertThat(back.segmentLength()).isEqualTo(terminate.segmentLength());
            assertThat(back.ddpHeader()).isEqualTo(header);
            assertThat(back.readRequest()).isEqualTo(request);
        }
    }

    @Test
    void nothingCutShortOrSenselessMakesTheParserFail() {
        ByteBuffer whole = Bytes.of(NO_BUFFER);
        for (int length = 0; length < whole.capacity(); length++) {
            ByteBuffer part = whole.duplicate().limit(length);
            assertThat(Terminate.parse(part).text()).isNotEmpty();
            assertThat(part.hasRemaining()).isFalse();
        }
        var random = new SplittableRandom(7);
        for (int i = 0; i < 20_000; i++) {
            var bytes = new byte[random.nextInt(Terminate.BYTES_MAX + 8)];
            random.nextBytes(bytes);
            Terminate any = Terminate.parse(ByteBuffer.wrap(bytes));
            assertThat(any.encodedLength()).isLessThanOrEqualTo(Terminate.BYTES_MAX);
        }
        assertThat(Terminate.parse(Bytes.of("f3aa0000")).text()).isEqualTo("unknown error, layer 15 type 3 code aa");
    }

    @Test
    void illegalOnesCannotBeMade() {
        var none = new byte[0];
        assertThatThrownBy(() -> new Terminate(16, 0, 0, -1, none, none)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Terminate(0, 0, 256, -1, none, none)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Terminate(0, 0, 0, 65_536, none, none))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Terminate(0, 0, 0, -1, new byte[5], none))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Terminate(0, 0, 0, -1, none, new byte[27]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void noTwoCodesHaveTheSameValues() {
        var seen = new HashSet<Integer>();
        for (TerminateCode code : TerminateCode.values()) {
            assertThat(seen.add(code.layer() << 16 | code.type() << 8 | code.code()))
                    .isTrue();
            assertThat(TerminateCode.of(code.layer(), code.type(), code.code())).isEqualTo(code);
            assertThat(code.text()).isNotEmpty();
        }
        assertThat(TerminateCode.of(9, 9, 9)).isNull();
    }
}
