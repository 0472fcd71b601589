package io.rpcrdma4j.rpcrdma;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A client made by hand on a plain socket, which can say anything: right MPA and FPDU framing, any content. */
final class RawIwarpClient implements AutoCloseable {

    static final int XID = 0x1234_5678;

    private final Socket socket = new Socket();
    private final DataInputStream input;
    private int sendSequence;

    RawIwarpClient(InetSocketAddress server) throws IOException {
        socket.setTcpNoDelay(true);
        socket.connect(server, 5000);
        socket.setSoTimeout(7_000);
        input = new DataInputStream(socket.getInputStream());
    }

    int localPort() {
        return socket.getLocalPort();
    }

    void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits.replaceAll("[ |\n]", ""));
    }

    /** An MPA request of revision 2 with CRC, IRD 16, ORD 0 and RFC 8797 private data of 4096 bytes both ways. */
    static byte[] mpaRequest() {
        ByteBuffer frame = ByteBuffer.allocate(32);
        frame.put("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII));
        frame.put(hex("5002000c 00100000 f6ab0e18 01010303"));
        return frame.array();
    }

    /** Connects as a well-behaved client does. */
    RawIwarpClient handshake() throws IOException {
        write(mpaRequest());
        byte[] reply = new byte[20];
        input.readFully(reply);
        input.readFully(new byte[reply[18] << 8 | (reply[19] & 0xff)]);
        return this;
    }

    /** One FPDU with a right length, pad and CRC. */
    static byte[] fpdu(byte[] ulpdu) {
        int padded = (2 + ulpdu.length + 3) & ~3;
        ByteBuffer frame = ByteBuffer.allocate(padded + 4);
        frame.putShort((short) ulpdu.length).put(ulpdu);
        CRC32C crc = new CRC32C();
        crc.update(frame.array(), 0, padded);
        frame.putInt(padded, Integer.reverseBytes((int) crc.getValue()));
        return frame.array();
    }

    /** A Send with the next sequence number. */
    byte[] send(byte[] payload) {
        ByteBuffer ulpdu = ByteBuffer.allocate(18 + payload.length);
        ulpdu.putShort((short) 0x4143)
                .putInt(0)
                .putInt(0)
                .putInt(++sendSequence)
                .putInt(0);
        ulpdu.put(payload);
        return fpdu(ulpdu.array());
    }

    void sendMessage(String digits) throws IOException {
        write(send(hex(digits)));
    }

    /** The payload of the next Send that comes; null if the connection ends first, or a Terminate comes. */
    byte @Nullable [] receive() throws IOException {
        try {
            while (true) {
                int length = input.readUnsignedShort();
                byte[] ulpdu = new byte[length];
                input.readFully(ulpdu);
                input.skipNBytes(((2 + length + 3) & ~3) - 2 - length + 4);
                int opcode = ulpdu[1] & 0xf;
                if (opcode == 7) {
                    return null;
                }
                if (opcode >= 3 && opcode <= 6) {
                    byte[] payload = new byte[length - 18];
                    System.arraycopy(ulpdu, 18, payload, 0, payload.length);
                    return payload;
                }
            }
        } catch (EOFException | SocketException ended) {
            return null;
        }
    }

    /** Whether the server closes the connection within the socket's time limit. */
    boolean isClosedByServer() throws IOException {
        try {
            while (input.read() >= 0) {
                // whatever it says before
            }
            return true;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
