package io.rpcrdma4j.cli.decode;

import static io.rpcrdma4j.cli.decode.CaptureBuilder.hex;
import static io.rpcrdma4j.cli.decode.CaptureBuilder.join;
import static io.rpcrdma4j.cli.decode.CaptureBuilder.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.MpaFrame;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Connections as they come over the wire, and as they must not upset the decoder. */
class IwarpDecodingTest {
    private static final int ACK = TcpSegment.ACK;
    private static final String CLIENT_SENDS = CaptureBuilder.CLIENT + " > " + CaptureBuilder.SERVER;
    private static final String SERVER_SENDS = CaptureBuilder.SERVER + " > " + CaptureBuilder.CLIENT;

    private static final byte[] NULL_CALL = call(1);
    private static final byte[] NULL_REPLY = words(1, 1, 64, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0);
    private static final String NULL_CALL_LINE =
            CLIENT_SENDS + " xid=0x00000001 credits=128 RDMA_MSG call NFSv3 NULL inline=40";
    private static final String NULL_REPLY_LINE =
            SERVER_SENDS + " xid=0x00000001 credits=64 RDMA_MSG reply NFSv3 NULL inline=24";

    private final CaptureBuilder capture = new CaptureBuilder();

    @Test
    void callAndReplyAreDecodedWithAndWithoutCrc() throws Exception {
        for (boolean crc : new boolean[] {false, true}) {
            CaptureBuilder each = new CaptureBuilder().connect().start(crc);
            Decoded decoded = Decoded.of(
                    each.send(true, NULL_CALL).send(false, NULL_REPLY).pcap());
            assertThat(decoded.lines()).containsExactly("5 " + NULL_CALL_LINE, "6 " + NULL_REPLY_LINE);
            assertThat(decoded.troubles()).isEmpty();
            assertThat(decoded.clean()).isTrue();
        }
    }

    @Test
    void everyFlippedBitOfAnFpduWithCrcIsFound() throws Exception {
        byte[] fpdu = capture.connect().start(true).sendFpdu(true, RdmapOpcode.SEND, 0, NULL_CALL);
        byte[] file = capture.data(true, fpdu).pcap();
        int start = file.length - fpdu.length;
        // Past the length field: with a wrong length there is no FPDU to check.
        for (int bit = 16; bit < fpdu.length * 8; bit++) {
            byte[] flipped = file.clone();
            flipped[start + bit / 8] ^= (byte) (1 << (bit % 8));
            assertThat(Decoded.of(flipped).clean()).as("bit %d", bit).isFalse();
        }
    }

    @Test
    void wrongCrcIsNamedAndIsNotWhatWeWouldEncode() throws Exception {
        byte[] fpdu = capture.connect().start(true).sendFpdu(true, RdmapOpcode.SEND, 0, NULL_CALL);
        fpdu[fpdu.length - 1] ^= 0x55;
        Decoded decoded = Decoded.of(capture.data(true, fpdu).pcap());
        assertThat(decoded.lines()).containsExactly("5 " + NULL_CALL_LINE);
        assertThat(decoded.troubles()).hasSize(2);
        assertThat(decoded.troubles().get(0)).isEqualTo("5 " + CLIENT_SENDS + ": FPDU with a wrong CRC");
        assertThat(decoded.troubles().get(1)).contains("FPDU differs at byte 91 when encoded again");
        assertThat(decoded.count("troubles")).isEqualTo(1);
        assertThat(decoded.count("differences")).isEqualTo(1);
    }

    @Test
    void streamsMayBeCutAnywhereAndComeInAnyOrder() throws Exception {
        capture.connect().start(true);
        byte[] calls = new byte[0];
        for (int i = 0; i < 5; i++) {
            calls = join(calls, capture.sendFpdu(true, RdmapOpcode.SEND, 0, call(i)));
        }
        int sequence = capture.nextSequence(true);
        for (int seed = 0; seed < 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            CaptureBuilder cut = new CaptureBuilder();
            capture.packets().forEach(cut::raw);
            for (int end = calls.length; end > 0; ) {
                int start = Math.max(0, end - 1 - random.nextInt(60));
                cut.segment(
                        true, ACK, sequence + start, Arrays.copyOfRange(calls, start, Math.min(end + 7, calls.length)));
                end = start;
            }
            Decoded decoded = Decoded.of(cut.pcap());
            assertThat(decoded.lines()).as("seed %d", seed).hasSize(5);
            assertThat(decoded.clean()).isTrue();
        }
    }

    @Test
    void bothSidesMayBeCapturedInTheOtherOrder() throws Exception {
        CaptureBuilder builder = new CaptureBuilder().connect();
        byte[] request = CaptureBuilder.mpa(MpaFrame.Kind.REQUEST, false, false);
        byte[] reply = CaptureBuilder.mpa(MpaFrame.Kind.REPLY, false, false);
        builder.data(true, request).send(true, NULL_CALL).data(false, reply).send(false, NULL_REPLY);
        Decoded decoded = Decoded.of(builder.pcap());
        assertThat(decoded.lines()).containsExactly("5 " + NULL_CALL_LINE, "6 " + NULL_REPLY_LINE);
    }

    @Test
    void sendsOfSeveralSegmentsAreJoined() throws Exception {
        capture.connect().start(false);
        byte[] first = Arrays.copyOf(NULL_CALL, 41);
        byte[] second = Arrays.copyOfRange(NULL_CALL, 41, NULL_CALL.length);
        capture.data(true, capture.fpdu(new DdpHeader.Untagged(3, false, 0, 0, 1, 0), first));
        capture.data(true, capture.fpdu(new DdpHeader.Untagged(3, true, 0, 0, 1, 41), second));
        Decoded decoded = Decoded.of(capture.pcap());
        assertThat(decoded.lines()).containsExactly("6 " + NULL_CALL_LINE);
        assertThat(decoded.count("fpdus")).isEqualTo(2);
        assertThat(decoded.count("sends")).isEqualTo(1);
        assertThat(decoded.clean()).isTrue();
    }

    @Test
    void gapsInSequenceNumbersAndOffsetsAreToldAndSurvived() throws Exception {
        capture.connect().start(false);
        capture.data(true, capture.fpdu(new DdpHeader.Untagged(3, true, 0, 0, 3, 0), NULL_CALL));
        capture.data(true, capture.fpdu(new DdpHeader.Untagged(3, true, 0, 0, 4, 8), NULL_CALL));
        capture.data(true, capture.fpdu(new DdpHeader.Untagged(3, true, 0, 7, 5, 0), NULL_CALL));
        capture.data(true, capture.fpdu(new DdpHeader.Untagged(3, true, 0, 0, 5, 0), NULL_CALL));
        Decoded decoded = Decoded.of(capture.pcap());
        assertThat(decoded.lines()).containsExactly("8 " + NULL_CALL_LINE);
        assertThat(decoded.troubles())
                .containsExactly(
                        "5 " + CLIENT_SENDS + ": Send with message sequence number 3, expected 1",
                        "6 " + CLIENT_SENDS + ": Send segment at message offset 8, expected 0",
                        "7 " + CLIENT_SENDS + ": Send on queue 7");
        assertThat(decoded.clean()).isFalse();
    }

    @Test
    void remoteInvalidationIsShown() throws Exception {
        capture.connect().start(false);
        byte[] reply = capture.sendFpdu(false, RdmapOpcode.SEND_WITH_INVALIDATE, 0x501, NULL_REPLY);
        Decoded decoded =
                Decoded.of(capture.send(true, NULL_CALL).data(false, reply).pcap());
        assertThat(decoded.lines()).contains("6 " + NULL_REPLY_LINE + " invalidates=0x00000501");
    }

    @Test
    void errorsAreShownWithWhatTheyAnswer() throws Exception {
        capture.connect().start(false).send(true, NULL_CALL).send(true, call(2)).send(true, call(3));
        capture.send(false, words(1, 2, 64, 4, 1, 1, 3)).send(false, words(2, 1, 64, 4, 2));
        capture.send(false, words(9, 1, 64, 4, 77));
        assertThat(Decoded.of(capture.pcap()).lines().subList(3, 6))
                .containsExactly(
                        "8 " + SERVER_SENDS
                                + " xid=0x00000001 credits=64 RDMA_ERROR NFSv3 NULL version=2 ERR_VERS low=1 high=3",
                        "9 " + SERVER_SENDS + " xid=0x00000002 credits=64 RDMA_ERROR NFSv3 NULL ERR_CHUNK",
                        "10 " + SERVER_SENDS + " xid=0x00000009 credits=64 RDMA_ERROR ? error=77");
    }

    @Test
    void malformedMessagesAreNamedAndTheRestGoesOn() throws Exception {
        capture.connect().start(false).send(true, words(7, 1, 128, 0, 5)).send(true, NULL_CALL);
        Decoded decoded = Decoded.of(capture.pcap());
        assertThat(decoded.lines())
                .containsExactly(
                        "5 " + CLIENT_SENDS + " malformed call: message of 20 bytes is below the 28 bytes of the"
                                + " shortest header (xid 0x00000007)",
                        "6 " + NULL_CALL_LINE);
        assertThat(decoded.count("malformed")).isEqualTo(1);
        assertThat(decoded.clean()).isFalse();
    }

    @Test
    void longCallIsNamedOnceItsReadResponsesHaveComeBy() throws Exception {
        capture.connect().start(false);
        capture.send(true, words(1, 1, 128, 1, 1, 0, 0x501, 8, 0, 0x1000, 1, 0, 0x502, 32, 0, 0x2000, 0, 0, 0));
        capture.send(true, call(2));
        readRequest(1, 0x901, 0, 100, 0x777, 0x5000);
        readRequest(2, 0x902, 0, 8, 0x501, 0x1000);
        readRequest(3, 0x903, 0, 32, 0x502, 0x2000);
        readResponse(0x901, 0, true, new byte[100]);
        readResponse(0x902, 0, true, words(1, 0));
        readResponse(0x903, 0, false, words(2, 100003, 3));
        readResponse(0x903, 12, true, words(7, 0, 0, 0, 0));
        Decoded decoded = Decoded.of(capture.pcap());
        assertThat(decoded.lines().getFirst())
                .isEqualTo("5 " + CLIENT_SENDS + " xid=0x00000001 credits=128 RDMA_NOMSG call NFSv3 WRITE"
                        + " R@0[8@0x00000501:0x0000000000001000 32@0x00000502:0x0000000000002000]");
        assertThat(decoded.lines()).hasSize(2);
        assertThat(decoded.clean()).isTrue();
    }

    @Test
    void longCallWhoseBytesAreNeverSeenIsShownWithoutItsName() throws Exception {
        capture.connect().start(false);
        capture.send(true, words(1, 1, 128, 1, 1, 0, 0x501, 40, 0, 0x1000, 0, 0, 0));
        capture.send(false, words(1, 1, 64, 4, 2));
        assertThat(Decoded.of(capture.pcap()).lines().getFirst())
                .contains("RDMA_NOMSG call ? R@0[40@0x00000501:0x0000000000001000]");
    }

    @Test
    void readResponseThatNobodyAskedForIsTold() throws Exception {
        capture.connect().start(false);
        readResponse(0x901, 0, true, new byte[4]);
        assertThat(Decoded.of(capture.pcap()).troubles())
                .containsExactly("5 " + CLIENT_SENDS + ": RDMA Read Response that nobody asked for");
    }

    @Test
    void whatIsNotEncodedAsWeWouldIsADifference() throws Exception {
        byte[] message = Arrays.copyOf(NULL_CALL, 69);
        byte[] fpdu = capture.connect().start(false).sendFpdu(true, RdmapOpcode.SEND, 0, message);
        fpdu[fpdu.length - 5] = 1;
        Decoded pad = Decoded.of(capture.data(true, fpdu).pcap());
        assertThat(pad.troubles())
                .containsExactly("5 " + CLIENT_SENDS
                        + ": FPDU differs at byte 91 when encoded again: 01 in the capture, 00 encoded");
        assertThat(pad.count("differences")).isEqualTo(1);
        assertThat(pad.clean()).isFalse();
    }

    @Test
    void otherConnectionsInTheCaptureAreIgnored() throws Exception {
        capture.connect().data(false, ascii("SSH-2.0-x\r\n")).data(true, ascii("SSH-2.0-y\r\n"));
        capture.clientPort(902)
                .connect()
                .data(true, ascii("GET / HTTP/1.0\r\n\r\n"))
                .data(false, ascii("HTTP/1.0"));
        capture.clientPort(903).data(true, ascii("the middle of something")).data(false, new byte[1000]);
        capture.clientPort(904).connect().start(false).send(true, NULL_CALL);
        Decoded decoded = Decoded.of(capture.pcap());
        assertThat(decoded.lines()).hasSize(1);
        assertThat(decoded.troubles()).isEmpty();
        assertThat(decoded.count("connections")).isEqualTo(1);
        assertThat(decoded.clean()).isTrue();
    }

    @Test
    void connectionIsFollowedWithoutItsHandshakeButNotWithoutItsMpaRequest() throws Exception {
        Decoded decoded = Decoded.of(capture.start(false).send(true, NULL_CALL).pcap());
        assertThat(decoded.lines()).hasSize(1);
        CaptureBuilder late = new CaptureBuilder().connect().start(false).send(true, NULL_CALL);
        CaptureBuilder tail = new CaptureBuilder();
        late.packets().subList(3, 5).forEach(tail::raw);
        assertThat(Decoded.of(tail.pcap()).count("connections")).isZero();
    }

    @Test
    void portsMayBeUsedAgainByALaterConnection() throws Exception {
        capture.connect().start(false).send(true, NULL_CALL).send(false, NULL_REPLY);
        capture.clientPort(901).connect().start(true).send(true, NULL_CALL).send(false, NULL_REPLY);
        Decoded decoded = Decoded.of(capture.pcap());
        assertThat(decoded.lines()).hasSize(4);
        assertThat(decoded.count("connections")).isEqualTo(2);
        assertThat(decoded.clean()).isTrue();
    }

    @Test
    void rejectedConnectionAndTerminateAreTold() throws Exception {
        capture.connect().data(true, CaptureBuilder.mpa(MpaFrame.Kind.REQUEST, false, false));
        capture.data(false, CaptureBuilder.mpa(MpaFrame.Kind.REPLY, false, true));
        capture.clientPort(902).connect().start(false);
        capture.data(false, capture.fpdu(new DdpHeader.Untagged(7, true, 0, 2, 1, 0), hex("20020000")));
        Decoded decoded = Decoded.of(capture.pcap());
        assertThat(decoded.troubles()).hasSize(2);
        assertThat(decoded.troubles().get(0)).endsWith("the MPA Reply rejects the connection");
        assertThat(decoded.troubles().get(1)).contains("Terminate, ").contains("CRC");
        assertThat(decoded.clean()).as("neither is a fault of the capture").isTrue();
    }

    @Test
    void garbageInPlaceOfAnFpduEndsTheConnectionWithOneLine() throws Exception {
        capture.connect().start(false).data(true, new byte[64]).data(true, new byte[64]);
        Decoded decoded = Decoded.of(capture.pcap());
        assertThat(decoded.troubles()).hasSize(1);
        assertThat(decoded.troubles().getFirst()).startsWith("5 " + CLIENT_SENDS + ": ");
        assertThat(decoded.clean()).isFalse();
    }

    @Test
    void bytesMissingInTheCaptureAreTold() throws Exception {
        capture.connect().start(false).send(true, NULL_CALL);
        capture.segment(true, ACK, capture.nextSequence(true) + 1, new byte[10]);
        Decoded decoded = Decoded.of(capture.pcap());
        assertThat(decoded.troubles())
                .containsExactly(CLIENT_SENDS + ": bytes are missing in the capture after stream offset 124");
        assertThat(decoded.clean()).isFalse();
    }

    @Test
    void captureThatEndsInsideAnFpduIsNoFault() throws Exception {
        byte[] fpdu = capture.connect().start(false).sendFpdu(true, RdmapOpcode.SEND, 0, NULL_CALL);
        Decoded decoded = Decoded.of(capture.data(true, Arrays.copyOf(fpdu, 30)).pcap());
        assertThat(decoded.troubles())
                .containsExactly(CLIENT_SENDS + ": the capture ends inside an FPDU, after 30 bytes of it");
        assertThat(decoded.clean()).isTrue();
    }

    @Test
    void corruptedCapturesNeverThrowAnythingButACaptureException() throws Exception {
        capture.connect().start(false).send(true, NULL_CALL).send(false, NULL_REPLY);
        capture.send(true, words(2, 1, 128, 1, 1, 0, 0x501, 40, 0, 0x1000, 0, 0, 0));
        readRequest(1, 0x901, 0, 40, 0x501, 0x1000);
        readResponse(0x901, 0, true, new byte[40]);
        byte[] file = capture.pcap();
        for (int at = 0; at < file.length; at++) {
            for (int value : new int[] {0x00, 0xFF, file[at] ^ 0x01, file[at] ^ 0x40}) {
                byte[] corrupted = file.clone();
                corrupted[at] = (byte) value;
                try {
                    Decoded.of(corrupted);
                } catch (CaptureException | IOException e) {
                    assertThat(e).hasMessageMatching("(?s).+");
                }
            }
        }
    }

    private void readRequest(int msn, int sinkStag, long sinkOffset, int length, int stag, long offset) {
        byte[] body = words(sinkStag, sinkOffset >>> 32, sinkOffset, length, stag, offset >>> 32, offset);
        DdpHeader header = new DdpHeader.Untagged(RdmapOpcode.READ_REQUEST, true, 0, 1, msn, 0);
        capture.data(false, capture.fpdu(header, body));
    }

    private void readResponse(int stag, long offset, boolean last, byte[] payload) {
        capture.data(true, capture.fpdu(new DdpHeader.Tagged(RdmapOpcode.READ_RESPONSE, last, stag, offset), payload));
    }

    private static byte[] call(int xid) {
        return words(xid, 1, 128, 0, 0, 0, 0, xid, 0, 2, 100003, 3, 0, 0, 0, 0, 0);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
