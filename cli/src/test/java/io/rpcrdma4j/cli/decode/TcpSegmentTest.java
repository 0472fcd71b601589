package io.rpcrdma4j.cli.decode;

import static io.rpcrdma4j.cli.decode.CaptureBuilder.hex;
import static io.rpcrdma4j.cli.decode.CaptureBuilder.join;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Where a TCP segment can sit in a packet. */
class TcpSegmentTest {
    private static final int ETHERNET = 1;
    private static final int RAW = 101;

    /** 10.0.0.1:901 to 10.0.0.2:20049, sequence 7, "hello". */
    private static final byte[] IPV4 = new CaptureBuilder().ipv4(true, TcpSegment.ACK, 7, hex("68656c6c6f"));

    private static final byte[] TCP = Arrays.copyOfRange(IPV4, 20, IPV4.length);
    private static final String FLOW_IPV4 = "10.0.0.1:901 > 10.0.0.2:20049";
    private static final String FLOW_IPV6 = "[fd00:0:0:0:0:0:0:1]:901 > [fd00:0:0:0:0:0:0:2]:20049";

    @Test
    void everyLinkTypeLeadsToTheSameSegment() {
        byte[] macs = new byte[12];
        isHello(ETHERNET, join(macs, hex("0800"), IPV4));
        isHello(ETHERNET, join(macs, hex("8100 0064 0800"), IPV4));
        isHello(ETHERNET, join(macs, hex("88a8 0001 8100 0064 0800"), IPV4));
        isHello(113, join(new byte[14], hex("0800"), IPV4));
        isHello(276, join(hex("0800"), new byte[18], IPV4));
        isHello(0, join(hex("02000000"), IPV4));
        isHello(108, join(hex("00000002"), IPV4));
        for (int raw : new int[] {12, 14, 101, 228}) {
            isHello(raw, IPV4);
        }
    }

    @Test
    void paddingOfShortFramesIsNoPayload() {
        isHello(ETHERNET, join(new byte[12], hex("0800"), IPV4, new byte[9]));
    }

    @Test
    void ipAndTcpOptionsAreSteppedOver() {
        byte[] ip = IPV4.clone();
        ip[0] = 0x46;
        ip[3] = (byte) (ip[3] + 4);
        isHello(RAW, join(Arrays.copyOf(ip, 20), new byte[4], TCP));

        byte[] tcp = TCP.clone();
        tcp[12] = (byte) 0x80;
        ip = IPV4.clone();
        ip[3] = (byte) (ip[3] + 12);
        isHello(RAW, join(Arrays.copyOf(ip, 20), Arrays.copyOf(tcp, 20), new byte[12], hex("68656c6c6f")));
    }

    @Test
    void lengthLeftToTheAdapterIsThatOfTheCapture() {
        byte[] ip = IPV4.clone();
        ip[2] = 0;
        ip[3] = 0;
        isHello(RAW, ip);
    }

    @Test
    void ipv6IsReadWithAndWithoutExtensionHeaders() {
        TcpSegment plain = Objects.requireNonNull(parse(RAW, ipv6(6, TCP)));
        assertThat(plain.flow()).hasToString(FLOW_IPV6);
        assertThat(payload(plain)).isEqualTo("68656c6c6f");

        byte[] options = join(hex("3c 00 000000000000"), hex("06 01"), new byte[14], TCP);
        TcpSegment extended = Objects.requireNonNull(parse(RAW, ipv6(0, options)));
        assertThat(extended.flow()).hasToString(FLOW_IPV6);
        assertThat(payload(extended)).isEqualTo("68656c6c6f");
        assertThat(parse(229, ipv6(6, TCP))).isNotNull();
    }

    @Test
    void whatIsNoWholeTcpSegmentIsPassedOver() {
        byte[] udp = IPV4.clone();
        udp[9] = 17;
        byte[] moreFragments = IPV4.clone();
        moreFragments[6] = 0x20;
        byte[] laterFragment = IPV4.clone();
        laterFragment[7] = 1;
        byte[] badHeaderLength = IPV4.clone();
        badHeaderLength[0] = 0x44;
        byte[] badOffset = IPV4.clone();
        badOffset[32] = 0x40;
        byte[] offsetBeyond = IPV4.clone();
        offsetBeyond[32] = (byte) 0xF0;
        for (byte[] ip : new byte[][] {udp, moreFragments, laterFragment, badHeaderLength, badOffset, offsetBeyond}) {
            assertThat(parse(RAW, ip)).isNull();
        }
        assertThat(parse(RAW, ipv6(44, TCP))).as("IPv6 fragment").isNull();
        assertThat(parse(ETHERNET, join(new byte[12], hex("0806"), IPV4)))
                .as("ARP")
                .isNull();
        assertThat(parse(147, IPV4)).as("unknown link type").isNull();
    }

    @Test
    void bytesThatWereNotCapturedAreCounted() {
        TcpSegment cut = Objects.requireNonNull(parse(RAW, Arrays.copyOf(IPV4, IPV4.length - 2)));
        assertThat(payload(cut)).isEqualTo("68656c");
        assertThat(cut.missing()).isEqualTo(2);
        TcpSegment none = Objects.requireNonNull(parse(RAW, Arrays.copyOf(IPV4, 40)));
        assertThat(payload(none)).isEmpty();
        assertThat(none.missing()).isEqualTo(5);
    }

    @Test
    void neitherCutNorCorruptedPacketsThrow() {
        SplittableRandom random = new SplittableRandom(1);
        byte[][] packets = {
            join(new byte[12], hex("8100 0064 0800"), IPV4),
            join(new byte[12], hex("86dd"), ipv6(0, TCP)),
            IPV4,
            ipv6(6, TCP)
        };
        for (byte[] packet : packets) {
            for (int round = 0; round < 2000; round++) {
                byte[] bytes = Arrays.copyOf(packet, random.nextInt(packet.length + 1));
                for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
                for (int linkType : new int[] {0, 1, 101, 113, 276}) {
                    parse(linkType, bytes);
                }
            }
        }
    }

    private static void isHello(int linkType, byte[] packet) {
        TcpSegment segment = Objects.requireNonNull(parse(linkType, packet));
        assertThat(segment.flow()).hasToString(FLOW_IPV4);
        assertThat(segment.sequence()).isEqualTo(7);
        assertThat(segment.has(TcpSegment.ACK)).isTrue();
        assertThat(segment.has(TcpSegment.SYN)).isFalse();
        assertThat(payload(segment)).isEqualTo("68656c6c6f");
        assertThat(segment.missing()).isZero();
    }

    private static String payload(TcpSegment segment) {
        byte[] bytes = new byte[segment.payload().remaining()];
        segment.payload().duplicate().get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static @Nullable TcpSegment parse(int linkType, byte[] packet) {
        return TcpSegment.of(new Packet(1, linkType, ByteBuffer.wrap(packet)));
    }

    private static byte[] ipv6(int nextHeader, byte[] payload) {
        ByteBuffer header = ByteBuffer.allocate(40);
        header.putInt(0x6000_0000)
                .putShort((short) payload.length)
                .put((byte) nextHeader)
                .put((byte) 64);
        header.put(hex("fd000000000000000000000000000001")).put(hex("fd000000000000000000000000000002"));
        return join(header.array(), payload);
    }
}
