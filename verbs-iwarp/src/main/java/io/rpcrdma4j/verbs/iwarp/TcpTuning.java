package io.rpcrdma4j.verbs.iwarp;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SocketChannel;

/** Socket options. */
final class TcpTuning {

    private TcpTuning() {}

    /** Before the connection is made. */
    static void prepare(SocketChannel channel, Settings settings) throws IOException {
        channel.configureBlocking(false);
        buffers(channel, settings);
    }

    static void buffers(NetworkChannel channel, Settings settings) throws IOException {
        if (settings.sendBufferBytes() > 0 && channel instanceof SocketChannel) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, settings.sendBufferBytes());
        }
        if (settings.receiveBufferBytes() > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, settings.receiveBufferBytes());
        }
    }

    /** When the connection is made. */
    static void connected(SocketChannel channel, Settings settings) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    }
}
