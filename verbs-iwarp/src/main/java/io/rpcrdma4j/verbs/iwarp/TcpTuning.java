package io.rpcrdma4j.verbs.iwarp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Socket options.
 *
 * <p>A peer that has vanished is noticed within the property {@code peerTimeout}: by keep-alive probes when the
 * connection is idle, and by {@code TCP_USER_TIMEOUT} when bytes are on their way. <b>Threading:</b> any thread.
 */
final class TcpTuning {

    /** The system's congestion control that {@code auto} replaces for a peer on this host: it paces loopback. */
    private static final String PACING = "bbr";

    /** What it is replaced by: the one that every Linux has. */
    private static final String PLAIN = "reno";

    private static final String AUTO = "auto";
    private static final String SYSTEM = "system";
    private static final int PROBES = 4;
    private static final Logger LOG = LoggerFactory.getLogger(TcpTuning.class);

    private TcpTuning() {}

    /** Before a listening socket is bound. */
    static void prepare(ServerSocketChannel channel, Settings settings) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        if (settings.receiveBufferBytes() > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, settings.receiveBufferBytes());
        }
    }

    /** When a listening socket is bound: what is set here, accepted sockets inherit. */
    static void bound(ServerSocketChannel channel, Settings settings) throws IOException {
        NativeSockets sockets = NativeSockets.instance();
        if (sockets == null) {
            return;
        }
        var local = (InetSocketAddress) channel.getLocalAddress();
        int descriptor = sockets.descriptorOf(local, null);
        if (descriptor >= 0) {
            sockets.setUserTimeout(descriptor, millis(settings));
            String congestion = congestion(settings, local.getAddress().isLoopbackAddress());
            if (congestion != null && !sockets.setCongestion(descriptor, congestion)) {
                LOG.debug("listening on {}: congestion control {} can't be set", local, congestion);
            }
        }
    }

    /** Before a connection is made. */
    static void prepare(SocketChannel channel, Settings settings) throws IOException {
        channel.configureBlocking(false);
        if (settings.sendBufferBytes() > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, settings.sendBufferBytes());
        }
        if (settings.receiveBufferBytes() > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, settings.receiveBufferBytes());
        }
    }

    /**
     * When a connection is made.
     *
     * @param listening the listening socket's address, or null if we connected
     */
    static void connected(SocketChannel channel, Settings settings, @Nullable InetSocketAddress listening)
            throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        keepAlive(channel, settings);
        NativeSockets sockets = NativeSockets.instance();
        if (sockets == null) {
            return;
        }
        // An accepted socket has its listener's options; what depends on the peer, only a loopback listener could know.
        boolean isInherited = listening != null;
        String congestion = listening != null && listening.getAddress().isLoopbackAddress()
                ? null
                : congestion(settings, FpduLengths.isLocal(channel));
        if (isInherited && congestion == null) {
            return;
        }
        var local = (InetSocketAddress) channel.getLocalAddress();
        var remote = (InetSocketAddress) channel.getRemoteAddress();
        int descriptor = sockets.descriptorOf(local, remote);
        if (descriptor < 0) {
            return;
        }
        if (!isInherited) {
            sockets.setUserTimeout(descriptor, millis(settings));
        }
        if (congestion != null && !sockets.setCongestion(descriptor, congestion)) {
            LOG.debug("{}: congestion control {} can't be set", remote, congestion);
        }
    }

    private static int millis(Settings settings) {
        return (int) settings.peerTimeout().toMillis();
    }

    private static void keepAlive(NetworkChannel channel, Settings settings) throws IOException {
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        long seconds = TimeUnit.MILLISECONDS.toSeconds(settings.peerTimeout().toMillis());
        // A third of the time idle, then probes for the rest of it.
        set(channel, ExtendedSocketOptions.TCP_KEEPIDLE, (int) Math.max(1, seconds / 3));
        set(channel, ExtendedSocketOptions.TCP_KEEPINTERVAL, (int) Math.max(1, seconds * 2 / 3 / PROBES));
        set(channel, ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
    }

    private static void set(NetworkChannel channel, SocketOption<Integer> option, int value) throws IOException {
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, value);
        }
    }

    /** What to set, or null for the system's. */
    static @Nullable String congestion(Settings settings, boolean isLocal) {
        String wanted = settings.congestion();
        if (wanted.equals(SYSTEM)) {
            return null;
        }
        if (!wanted.equals(AUTO)) {
            return wanted;
        }
        return isLocal && NativeSockets.systemCongestion().equals(PACING) && NativeSockets.isCongestionAllowed(PLAIN)
                ? PLAIN
                : null;
    }
}
