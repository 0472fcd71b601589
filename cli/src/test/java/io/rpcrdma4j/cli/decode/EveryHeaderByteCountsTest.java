package io.rpcrdma4j.cli.decode;

import static io.rpcrdma4j.cli.decode.CaptureBuilder.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpcrdma.wire.HeaderLimits;
import io.rpcrdma4j.rpcrdma.wire.MessageDirection;
import io.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * No byte of an RPC-over-RDMA header may change unseen: a flipped byte makes the message malformed or changes its line.
 * The headers are Linux's own, one of each shape found in the captures, on a connection without CRCs, and two errors.
 */
class EveryHeaderByteCountsTest {
    private static final int HEADERS = 20;

    @Test
    void flippingAnyByteOfTwentyHeadersShowsInTheirLines() throws Exception {
        List<CapturedSends.Message> messages = messagesOfAllShapes();
        assertThat(messages).hasSize(HEADERS);

        int flips = 0;
        for (CapturedSends.Message message : messages) {
            flips += flipAll(message);
        }
        assertThat(flips).as("flips tried").isGreaterThan(3 * 28 * HEADERS);
    }

    private static int flipAll(CapturedSends.Message message) throws Exception {
        byte[] capture = new CaptureBuilder()
                .connect()
                .start(false)
                .send(message.fromClient(), message.bytes())
                .pcap();
        Decoded original = Decoded.of(capture);
        assertThat(original.lines()).singleElement().asString().doesNotContain("malformed");
        assertThat(original.clean()).isTrue();

        // The message is the last thing in the file but for its FPDU's pad and CRC.
        int cut = Fpdu.padBytes(DdpHeader.UNTAGGED_BYTES - Fpdu.LENGTH_BYTES + message.bytes().length) + Fpdu.CRC_BYTES;
        int start = capture.length - cut - message.bytes().length;
        int headerLength = (int) parse(message.bytes()).headerLength();
        int flips = 0;
        for (int at = 0; at < headerLength; at++) {
            for (int mask : new int[] {0xFF, 0x01, 0x80}) {
                byte[] flipped = capture.clone();
                flipped[start + at] ^= (byte) mask;
                assertThat(Decoded.of(flipped).lines())
                        .as("byte %d flipped by %02x in: %s", at, mask, original.lines())
                        .hasSize(1)
                        .isNotEqualTo(original.lines());
                flips++;
            }
        }
        return flips;
    }

    /** The first message of each shape (direction, type, lists and their segment counts), and others up to twenty. */
    private static List<CapturedSends.Message> messagesOfAllShapes() throws Exception {
        List<CapturedSends.Message> all = new ArrayList<>();
        all.addAll(CapturedSends.of(LinuxCapturesTest.bytes("nfs3-siw.pcap.xz")));
        all.addAll(CapturedSends.of(LinuxCapturesTest.bytes("nfs42-siw.pcap.xz")));
        assertThat(all).hasSize(1294 + 442);

        Map<String, CapturedSends.Message> chosen = new LinkedHashMap<>();
        chosen.put("ERR_VERS", new CapturedSends.Message(false, words(0x1122_3349, 2, 64, 4, 1, 1, 1)));
        chosen.put("ERR_CHUNK", new CapturedSends.Message(false, words(0x1122_334A, 1, 64, 4, 2)));
        all.forEach(message -> chosen.putIfAbsent(shape(message), message));
        assertThat(chosen.size()).as("shapes").isBetween(12, HEADERS);
        for (int i = 0; chosen.size() < HEADERS; i++) {
            chosen.put("more " + i, all.get(100 + i));
        }
        return List.copyOf(chosen.values());
    }

    private static String shape(CapturedSends.Message message) {
        TransportHeader header = parse(message.bytes());
        StringBuilder shape = new StringBuilder(header.type() + " " + message.fromClient());
        shape.append(" R").append(header.chunks().readSegmentCount());
        shape.append(" W").append(header.chunks().writeChunkCount());
        var reply = header.chunks().replyChunk();
        return shape.append(" P")
                .append(reply == null ? 0 : reply.segmentCount())
                .toString();
    }

    private static TransportHeader parse(byte[] message) {
        TransportHeader header = new TransportHeader();
        MemorySegment bytes = MemorySegment.ofArray(message);
        if (MessageDirection.peek(bytes, message.length) == MessageDirection.REPLY) {
            header.parseReply(bytes, message.length, HeaderLimits.NONE);
        } else {
            header.parseCall(bytes, message.length, HeaderLimits.NONE);
        }
        assertThat(header.fault()).isNull();
        return header;
    }
}
