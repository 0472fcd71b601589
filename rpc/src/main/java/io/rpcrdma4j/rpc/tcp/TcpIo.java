package io.rpcrdma4j.rpc.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.SocketChannel;

/** The bytes of a socket, through a filter if there is one: tests have one that takes and gives few bytes at a time. */
final class TcpIo implements GatheringByteChannel {
    private final SocketChannel socket;
    private final ByteChannel filter;
    private final boolean filtered;

    @SuppressWarnings("ReferenceEquality") // The filter that does nothing is the socket itself.
    TcpIo(SocketChannel socket, ByteChannel filter) {
        this.socket = socket;
        this.filter = filter;
        filtered = filter != socket;
    }

    int read(ByteBuffer target) throws IOException {
        return filtered ? filter.read(target) : socket.read(target);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return filtered ? filter.write(source) : socket.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        if (!filtered) {
            return socket.write(sources, offset, length);
        }
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            int wanted = sources[i].remaining();
            int n = filter.write(sources[i]);
            total += n;
            if (n < wanted) {
                break;
            }
        }
        return total;
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
