package io.rpcrdma4j.cli.decode;

import static io.rpcrdma4j.cli.decode.CaptureBuilder.hex;
import static io.rpcrdma4j.cli.decode.CaptureBuilder.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** The capture formats, and files that only look like captures. */
class CaptureReaderTest {
    private static final int ETHERNET = 1;
    private static final int RAW = 101;

    private final CaptureBuilder builder =
            new CaptureBuilder().raw(hex("0102030405")).raw(new byte[0]).raw(hex("ff"));

    @Test
    void classicFormatIsReadInBothByteOrdersAndBothResolutions() throws Exception {
        for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
            for (int magic : new int[] {0xA1B2C3D4, 0xA1B23C4D}) {
                assertThat(read(builder.pcap(order, magic, ETHERNET)))
                        .containsExactly("1 link 1: 0102030405", "2 link 1: ", "3 link 1: ff");
            }
        }
    }

    @Test
    void checkSequenceBitsAreNoPartOfTheLinkType() throws Exception {
        assertThat(read(builder.pcap(ByteOrder.LITTLE_ENDIAN, 0xA1B2C3D4, 0x5400_0065)))
                .startsWith("1 link 101: 0102030405");
    }

    @Test
    void compressedCapturesAreReadWhateverTheirName() throws Exception {
        byte[] plain = builder.pcap();
        ByteArrayOutputStream gzip = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(gzip)) {
            out.write(plain);
        }
        ByteArrayOutputStream xz = new ByteArrayOutputStream();
        try (OutputStream out = new XZOutputStream(xz, new LZMA2Options(0))) {
            out.write(plain);
        }
        assertThat(read(gzip.toByteArray())).isEqualTo(read(plain));
        assertThat(read(xz.toByteArray())).isEqualTo(read(plain));
    }

    @Test
    void blockFormatIsReadInBothByteOrders() throws Exception {
        for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
            byte[] file = join(
                    sectionHeader(order),
                    block(order, 1, interfaceOf(order, ETHERNET)),
                    block(order, 1, interfaceOf(order, RAW)),
                    block(order, 5, new byte[8]),
                    block(order, 6, join(ints(order, 1, 0, 0, 5, 5), hex("0102030405 000000"), ints(order, 0))),
                    block(order, 3, join(ints(order, 2), hex("beef 0000"))),
                    block(order, 2, join(shorts(order, 1, 0), ints(order, 0, 0, 1, 1), hex("77 000000"))),
                    sectionHeader(order),
                    block(order, 1, interfaceOf(order, ETHERNET)),
                    block(order, 6, join(ints(order, 0, 0, 0, 1, 1), hex("88 000000"))));
            assertThat(read(file))
                    .containsExactly("1 link 101: 0102030405", "2 link 1: beef", "3 link 101: 77", "4 link 1: 88");
        }
    }

    @Test
    void captureThatStopsInsideARecordEndsWithTheRecordBefore() throws Exception {
        ByteOrder order = ByteOrder.LITTLE_ENDIAN;
        byte[] blocks = join(
                sectionHeader(order),
                block(order, 1, interfaceOf(order, ETHERNET)),
                block(order, 6, join(ints(order, 0, 0, 0, 1, 1), hex("88 000000"))),
                block(order, 6, join(ints(order, 0, 0, 0, 1, 1), hex("99 000000"))));
        stopsAnywhere(builder.pcap(), 24);
        stopsAnywhere(blocks, 28);
    }

    private static void stopsAnywhere(byte[] file, int fileHeader) throws Exception {
        List<String> all = read(file);
        for (int length = fileHeader; length < file.length; length++) {
            List<String> some = read(Arrays.copyOf(file, length));
            assertThat(some).hasSizeLessThan(all.size()).isEqualTo(all.subList(0, some.size()));
        }
        for (int length = 0; length < fileHeader; length++) {
            byte[] cut = Arrays.copyOf(file, length);
            assertThatThrownBy(() -> read(cut)).isInstanceOf(CaptureException.class);
        }
    }

    @Test
    void otherFilesAreNamedForWhatTheyAre() {
        refused(new byte[0], "not a capture: it has 0 bytes");
        refused("GET / HTTP/1.1".getBytes(StandardCharsets.US_ASCII), "starts with the bytes 47455420");
        byte[] huge = builder.pcap();
        ByteBuffer.wrap(huge).order(ByteOrder.LITTLE_ENDIAN).putInt(24 + 8, 0x7FFF_FFFF);
        refused(huge, "packet of 2147483647 bytes exceeds 1048576 after packet 0");
        ByteBuffer.wrap(huge).order(ByteOrder.LITTLE_ENDIAN).putInt(24 + 8, -1);
        refused(huge, "packet of 4294967295 bytes exceeds 1048576 after packet 0");
    }

    @Test
    void brokenBlocksAreRefused() {
        ByteOrder order = ByteOrder.BIG_ENDIAN;
        byte[] start = join(sectionHeader(order), block(order, 1, interfaceOf(order, ETHERNET)));
        refused(join(start, ints(order, 6, 8, 8)), "block of -4 bytes");
        refused(join(start, ints(order, 6, 0x7FFF_FFF0, 0)), "block of 2147483620 bytes exceeds 1048576");
        refused(join(start, block(order, 6, ints(order, 1, 0, 0, 0, 0))), "packet of interface 1 of 1");
        refused(join(start, block(order, 6, ints(order, -1, 0, 0, 0, 0))), "packet of interface 4294967295 of 1");
        refused(join(start, block(order, 6, ints(order, 0, 0, 0, 1, 1))), "packet of 1 bytes in a block of 20");
        refused(join(start, block(order, 6, ints(order, 0, 0, 0, -1, 1))), "packet of 4294967295 bytes");
        refused(join(start, block(order, 6, ints(order, 0, 0))), "block of 8 bytes is below 20");
        refused(join(start, block(order, 1, ints(order, 0))), "block of 4 bytes is below 8");
        refused(join(hex("0a0d0d0a 0000001c 12345678"), new byte[16]), "pcapng section without byte order: 12345678");
    }

    private static void refused(byte[] file, String text) {
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(CaptureException.class)
                .hasMessageContaining(text);
    }

    private static List<String> read(byte[] file) throws IOException, CaptureException {
        List<String> packets = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(new ByteArrayInputStream(file))) {
            for (Packet packet = reader.next(); packet != null; packet = reader.next()) {
                byte[] bytes = new byte[packet.bytes().remaining()];
                packet.bytes().get(bytes);
                packets.add(packet.number() + " link " + packet.linkType() + ": "
                        + HexFormat.of().formatHex(bytes));
            }
        }
        return packets;
    }

    private static byte[] sectionHeader(ByteOrder order) {
        return block(order, 0x0A0D0D0A, join(ints(order, 0x1A2B3C4D), shorts(order, 1, 0), ints(order, -1, -1)));
    }

    private static byte[] interfaceOf(ByteOrder order, int linkType) {
        return join(shorts(order, linkType, 0), ints(order, 262144));
    }

    private static byte[] block(ByteOrder order, int type, byte[] body) {
        int length = 12 + body.length;
        return join(ints(order, type, length), body, ints(order, length));
    }

    private static byte[] ints(ByteOrder order, int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(order);
        Arrays.stream(values).forEach(bytes::putInt);
        return bytes.array();
    }

    private static byte[] shorts(ByteOrder order, int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * values.length).order(order);
        Arrays.stream(values).forEach(value -> bytes.putShort((short) value));
        return bytes.array();
    }
}
