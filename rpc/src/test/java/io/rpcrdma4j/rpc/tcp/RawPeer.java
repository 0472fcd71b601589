package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.Hex;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** A peer that sends what it likes. */
final class RawPeer implements AutoCloseable {
    static final int TIMEOUT_MILLIS = 20_000;

    final Socket socket;
    private final DataInputStream input;

    RawPeer(InetSocketAddress server) throws IOException {
        this(new Socket());
        socket.connect(server, TIMEOUT_MILLIS);
    }

    private RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        input = new DataInputStream(new InputStream() {
            @Override
            public int read() throws IOException {
                return socket.getInputStream().read();
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                return socket.getInputStream().read(target, offset, length);
            }
        });
    }

    /** One that a server socket accepted. */
    static RawPeer of(Socket accepted) throws IOException {
        return new RawPeer(accepted);
    }

    void send(String hex) throws IOException {
        send(Hex.bytes(hex));
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Reads a record of one fragment. */
    byte[] receive() throws IOException {
        int mark = input.readInt();
        if (mark >= 0) {
            throw new IOException("not a last fragment: " + Integer.toHexString(mark));
        }
        byte[] record = new byte[mark & 0x7fff_ffff];
        input.readFully(record);
        return record;
    }

    /** Waits until the other side closes the connection; whether it did. */
    boolean isClosedByPeer() throws IOException {
        try {
            return input.read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Bytes that have arrived and were not received. */
    int available() {
        try {
            return socket.getInputStream().available();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the connection with a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
