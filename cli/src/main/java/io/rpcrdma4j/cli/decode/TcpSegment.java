package io.rpcrdma4j.cli.decode;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A TCP segment found in a packet: over IPv4 (RFC 791) or IPv6 (RFC 8200), inside Ethernet (with VLAN tags), Linux
 * "cooked" captures, loopback captures or raw IP.
 *
 * <p>Checksums are not verified: captures on the sending host see packets before the adapter fills them in. IP
 * fragments are not reassembled; TCP does not make any.
 *
 * @param flow who sent it to whom
 * @param sequence sequence number of its first byte, 32 bits
 * @param flags the control bits, {@link #SYN} and its like
 * @param payload the captured payload, big-endian
 * @param missing bytes of payload that were on the wire but not captured
 */
record TcpSegment(Flow flow, int sequence, int flags, ByteBuffer payload, int missing) {
    static final int SYN = 0x02;
    static final int RST = 0x04;
    static final int ACK = 0x10;

    private static final int LINK_NULL = 0;
    private static final int LINK_ETHERNET = 1;
    private static final int LINK_RAW_BSD = 12;
    private static final int LINK_RAW_OPENBSD = 14;
    private static final int LINK_RAW = 101;
    private static final int LINK_LOOP = 108;
    private static final int LINK_LINUX_SLL = 113;
    private static final int LINK_IPV4 = 228;
    private static final int LINK_IPV6 = 229;
    private static final int LINK_LINUX_SLL2 = 276;

    private static final int ETHER_IPV4 = 0x0800;
    private static final int ETHER_IPV6 = 0x86DD;
    private static final int ETHER_VLAN = 0x8100;
    private static final int ETHER_VLAN_STACKED = 0x88A8;

    private static final int PROTOCOL_TCP = 6;

    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int TCP_BYTES = 20;

    /** Extension headers in one packet; more are nonsense. */
    private static final int EXTENSIONS_MAX = 8;

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** The segment in a packet; null if there is none. */
    static @Nullable TcpSegment of(Packet packet) {
        ByteBuffer bytes = packet.bytes();
        int ip = ipOffset(packet.linkType(), bytes);
        if (ip < 0 || ip >= bytes.limit()) {
            return null;
        }
        int version = bytes.get(ip) >> 4 & 0xF;
        try {
            return switch (version) {
                case 4 -> ofIpv4(bytes.slice(ip, bytes.limit() - ip));
                case 6 -> ofIpv6(bytes.slice(ip, bytes.limit() - ip));
                default -> null;
            };
        } catch (UnknownHostException e) {
            throw new AssertionError("addresses of 4 and 16 bytes are legal", e);
        }
    }

    private static int ipOffset(int linkType, ByteBuffer bytes) {
        return switch (linkType) {
            case LINK_ETHERNET -> etherOffset(bytes, 12);
            case LINK_LINUX_SLL -> etherOffset(bytes, 14);
            case LINK_LINUX_SLL2 -> bytes.limit() >= 20 && isIp(bytes.getShort(0)) ? 20 : -1;
            case LINK_NULL, LINK_LOOP -> 4;
            case LINK_RAW, LINK_RAW_BSD, LINK_RAW_OPENBSD, LINK_IPV4, LINK_IPV6 -> 0;
            default -> -1;
        };
    }

    /** Offset behind the EtherType at {@code at} and the VLAN tags there; -1 if it is not IP. */
    private static int etherOffset(ByteBuffer bytes, int at) {
        int typeAt = at;
        while (bytes.limit() >= typeAt + 2) {
            int type = Short.toUnsignedInt(bytes.getShort(typeAt));
            if (type != ETHER_VLAN && type != ETHER_VLAN_STACKED) {
                return isIp((short) type) ? typeAt + 2 : -1;
            }
            typeAt += 4;
        }
        return -1;
    }

    private static boolean isIp(short etherType) {
        int type = Short.toUnsignedInt(etherType);
        return type == ETHER_IPV4 || type == ETHER_IPV6;
    }

    private static @Nullable TcpSegment ofIpv4(ByteBuffer ip) throws UnknownHostException {
        if (ip.limit() < IPV4_BYTES || ip.get(9) != PROTOCOL_TCP) {
            return null;
        }
        boolean isFragment = (ip.getShort(6) & 0x3FFF) != 0;
        int header = (ip.get(0) & 0xF) * 4;
        int total = Short.toUnsignedInt(ip.getShort(2));
        if (total == 0) {
            // Left to the adapter by segmentation offload: the capture's own length counts.
            total = ip.limit();
        }
        if (isFragment || header < IPV4_BYTES || total < header) {
            return null;
        }
        return ofTcp(address(ip, 12, 4), address(ip, 16, 4), ip, header, total);
    }

    private static @Nullable TcpSegment ofIpv6(ByteBuffer ip) throws UnknownHostException {
        if (ip.limit() < IPV6_BYTES) {
            return null;
        }
        int payload = Short.toUnsignedInt(ip.getShort(4));
        int total = payload == 0 ? ip.limit() : IPV6_BYTES + payload;
        int next = Byte.toUnsignedInt(ip.get(6));
        int at = IPV6_BYTES;
        for (int i = 0; i < EXTENSIONS_MAX && next != PROTOCOL_TCP; i++) {
            // Hop-by-Hop, Routing and Destination Options; all else is no TCP, or a fragment.
            boolean canBeSkipped = (next == 0 || next == 43 || next == 60) && ip.limit() >= at + 2;
            if (!canBeSkipped) {
                return null;
            }
            next = Byte.toUnsignedInt(ip.get(at));
            at += (Byte.toUnsignedInt(ip.get(at + 1)) + 1) * 8;
        }
        if (next != PROTOCOL_TCP) {
            return null;
        }
        return ofTcp(address(ip, 8, 16), address(ip, 24, 16), ip, at, total);
    }

    /** The segment that starts at {@code at} in an IP packet of {@code total} bytes, of which some may be missing. */
    private static @Nullable TcpSegment ofTcp(
            InetAddress source, InetAddress destination, ByteBuffer ip, int at, int total) {
        if (ip.limit() < at + TCP_BYTES) {
            return null;
        }
        int payload = at + (ip.get(at + 12) >> 4 & 0xF) * 4;
        if (payload < at + TCP_BYTES || payload > total) {
            return null;
        }
        int captured = Math.clamp(ip.limit() - (long) payload, 0, total - payload);
        Flow flow = new Flow(
                source, Short.toUnsignedInt(ip.getShort(at)), destination, Short.toUnsignedInt(ip.getShort(at + 2)));
        return new TcpSegment(
                flow,
                ip.getInt(at + 4),
                Byte.toUnsignedInt(ip.get(at + 13)),
                captured == 0 ? ByteBuffer.allocate(0) : ip.slice(payload, captured),
                total - payload - captured);
    }

    private static InetAddress address(ByteBuffer ip, int at, int bytes) throws UnknownHostException {
        byte[] address = new byte[bytes];
        ip.get(at, address);
        return InetAddress.getByAddress(address);
    }
}
