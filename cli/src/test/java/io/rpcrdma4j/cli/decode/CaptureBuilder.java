package io.rpcrdma4j.cli.decode;

import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.EnhancedData;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.MpaFrame;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Writes captures: one TCP connection at a time, packet by packet. */
final class CaptureBuilder {
    static final String CLIENT = "10.0.0.1:901";
    static final String SERVER = "10.0.0.2:20049";

    private static final int SYN = 0x02;
    private static final int ACK = 0x10;
    private static final int LINK_ETHERNET = 1;

    private final List<byte[]> packets = new ArrayList<>();
    private int clientPort = 901;
    private final int[] nextSequence = {0xFFFF_FF00, 5000};
    private final int[] nextMsn = {1, 1};
    private boolean crc;

    /** Bytes of a hex text in which blanks and bars do not count. */
    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replaceAll("[\\s|]", ""));
    }

    static byte[] words(long... words) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * words.length);
        for (long word : words) {
            buffer.putInt((int) word);
        }
        return buffer.array();
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    /** TCP handshake. */
    CaptureBuilder connect() {
        segment(true, SYN, nextSequence[0]++, new byte[0]);
        segment(false, SYN | ACK, nextSequence[1]++, new byte[0]);
        return this;
    }

    /** From now on a connection from another port. */
    CaptureBuilder clientPort(int port) {
        clientPort = port;
        nextMsn[0] = 1;
        nextMsn[1] = 1;
        return this;
    }

    /** MPA start-up, the request with or without a wish for CRCs. */
    CaptureBuilder start(boolean withCrc) {
        crc = withCrc;
        return data(true, mpa(MpaFrame.Kind.REQUEST, withCrc, false))
                .data(false, mpa(MpaFrame.Kind.REPLY, false, false));
    }

    static byte[] mpa(MpaFrame.Kind kind, boolean withCrc, boolean rejected) {
        MpaFrame frame = new MpaFrame(
                kind, false, withCrc, rejected, 2, Optional.of(new EnhancedData(128, 0)), hex("f6ab0e18 01 01 03 03"));
        ByteBuffer bytes = ByteBuffer.allocate(frame.encodedLength());
        frame.writeTo(bytes);
        return bytes.array();
    }

    /** The next bytes of a direction, in one segment. */
    CaptureBuilder data(boolean fromClient, byte[] bytes) {
        int side = fromClient ? 0 : 1;
        segment(fromClient, ACK, nextSequence[side], bytes);
        nextSequence[side] += bytes.length;
        return this;
    }

    /** A Send in one FPDU. */
    CaptureBuilder send(boolean fromClient, byte[] message) {
        return data(fromClient, sendFpdu(fromClient, RdmapOpcode.SEND, 0, message));
    }

    /** The bytes of the next Send of a direction. */
    byte[] sendFpdu(boolean fromClient, int opcode, int stag, byte[] message) {
        int msn = nextMsn[fromClient ? 0 : 1]++;
        return fpdu(new DdpHeader.Untagged(opcode, true, stag, DdpHeader.QUEUE_SEND, msn, 0), message);
    }

    byte[] fpdu(DdpHeader header, byte[] payload) {
        Fpdu fpdu = new Fpdu(header, ByteBuffer.wrap(payload), 0);
        ByteBuffer bytes = ByteBuffer.allocate(fpdu.encodedLength());
        (crc ? fpdu.withCrc() : fpdu).writeTo(bytes);
        return bytes.array();
    }

    int nextSequence(boolean fromClient) {
        return nextSequence[fromClient ? 0 : 1];
    }

    /** A segment with a sequence number of its own. */
    CaptureBuilder segment(boolean fromClient, int flags, int sequence, byte[] payload) {
        packets.add(join(hex("020000000002 020000000001 0800"), ipv4(fromClient, flags, sequence, payload)));
        return this;
    }

    CaptureBuilder raw(byte[] packet) {
        packets.add(packet);
        return this;
    }

    byte[] ipv4(boolean fromClient, int flags, int sequence, byte[] payload) {
        ByteBuffer ip = ByteBuffer.allocate(20);
        ip.put((byte) 0x45)
                .put((byte) 0)
                .putShort((short) (40 + payload.length))
                .putInt(0);
        ip.put((byte) 64).put((byte) 6).putShort((short) 0);
        ip.putInt(fromClient ? 0x0A00_0001 : 0x0A00_0002).putInt(fromClient ? 0x0A00_0002 : 0x0A00_0001);
        return join(ip.array(), tcp(fromClient, flags, sequence, payload));
    }

    byte[] tcp(boolean fromClient, int flags, int sequence, byte[] payload) {
        ByteBuffer tcp = ByteBuffer.allocate(20 + payload.length);
        tcp.putShort((short) (fromClient ? clientPort : 20049)).putShort((short) (fromClient ? 20049 : clientPort));
        tcp.putInt(sequence)
                .putInt(0)
                .put((byte) 0x50)
                .put((byte) flags)
                .putShort((short) 0xFFFF)
                .putInt(0);
        return tcp.put(payload).array();
    }

    List<byte[]> packets() {
        return packets;
    }

    /** A capture in the classic format, little-endian, microseconds. */
    byte[] pcap() {
        return pcap(ByteOrder.LITTLE_ENDIAN, 0xA1B2C3D4, LINK_ETHERNET);
    }

    byte[] pcap(ByteOrder order, int magic, int linkType) {
        int size = 24 + packets.stream().mapToInt(packet -> 16 + packet.length).sum();
        ByteBuffer file = ByteBuffer.allocate(size).order(order);
        file.putInt(magic)
                .putShort((short) 2)
                .putShort((short) 4)
                .putInt(0)
                .putInt(0)
                .putInt(262144)
                .putInt(linkType);
        for (byte[] packet : packets) {
            file.putInt(1).putInt(2).putInt(packet.length).putInt(packet.length).put(packet);
        }
        return file.array();
    }
}
