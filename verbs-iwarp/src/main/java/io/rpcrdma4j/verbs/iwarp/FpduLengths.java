package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.SocketChannel;

/**
 * Chooses the length of our FPDUs.
 *
 * <p>An adapter wants each FPDU in a TCP segment of its own, and siw of Linux 6.18 loses its way when an untagged
 * header is split over two segments; long FPDUs are much faster where segments are long or don't exist. So: for a peer
 * on this host as long as loopback's segments, for another as long as one segment of the interface, unless the property
 * says otherwise.
 */
final class FpduLengths {

    /** TCP/IP headers with time stamps: IPv4. */
    private static final int HEADERS_V4 = 20 + 20 + 12;

    private static final int HEADERS_V6 = 40 + 20 + 12;

    /** What TCP can say in its segment size option, less the time stamps: the segment on a loopback of 64 KiB. */
    private static final int EMSS_MAX = 65_535 - HEADERS_V4;

    private static final int MTU_UNKNOWN = 1500;

    private FpduLengths() {}

    /** The longest ULPDU to make for a connected channel. */
    static int ulpduBytesMax(SocketChannel channel, Settings settings) throws IOException {
        return switch (settings.fpdu()) {
            case AUTO -> isLocal(channel) ? Fpdu.mulpduFor(EMSS_MAX) : Fpdu.mulpduFor(emss(channel));
            case MAX -> Fpdu.mulpduFor(EMSS_MAX);
            case MSS -> Fpdu.mulpduFor(emss(channel));
            case FIXED -> Fpdu.mulpduFor(settings.fpduBytes());
        };
    }

    /** Whether the peer is on this host. */
    static boolean isLocal(SocketChannel channel) throws IOException {
        InetAddress local = address(channel.getLocalAddress());
        InetAddress remote = address(channel.getRemoteAddress());
        return remote.isLoopbackAddress() || remote.equals(local);
    }

    private static InetAddress address(java.net.SocketAddress address) {
        return ((InetSocketAddress) address).getAddress();
    }

    private static int emss(SocketChannel channel) throws IOException {
        InetAddress local = address(channel.getLocalAddress());
        NetworkInterface via = NetworkInterface.getByInetAddress(local);
        int mtu = via == null ? MTU_UNKNOWN : via.getMTU();
        boolean isV4 = local.getAddress().length == 4;
        return Math.clamp((long) mtu - (isV4 ? HEADERS_V4 : HEADERS_V6), 512, EMSS_MAX);
    }
}
