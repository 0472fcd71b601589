package io.rpcrdma4j.nfs.server;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Which addresses may connect and mount: a list of networks, IPv4 and IPv6. Immutable. */
public final class AddressFilter implements Predicate<InetAddress> {
    /** This machine only. */
    public static final AddressFilter LOOPBACK = parse("127.0.0.0/8,::1/128");

    /** Everyone. */
    public static final AddressFilter ALL = parse("0.0.0.0/0,::/0");

    /** Bits of an IPv4 address that is written as an IPv6 one: {@code ::ffff:0:0/96}. */
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff};

    private final List<Network> networks;

    /** The addresses whose first {@code bits} bits are those of {@code prefix}. */
    private static final class Network {
        private final byte[] prefix;
        private final int bits;
        private final String text;

        Network(byte[] prefix, int bits, String text) {
            this.prefix = prefix;
            this.bits = bits;
            this.text = text;
        }

        boolean contains(byte[] address) {
            if (address.length != prefix.length) {
                return false;
            }
            int whole = bits / 8;
            if (!Arrays.equals(address, 0, whole, prefix, 0, whole)) {
                return false;
            }
            int rest = bits % 8;
            int mask = (0xff00 >> rest) & 0xff;
            return rest == 0 || (address[whole] & mask) == (prefix[whole] & mask);
        }
    }

    private AddressFilter(List<Network> networks) {
        this.networks = networks;
    }

    /**
     * Reads a list of networks, separated by commas: an address ({@code 192.0.2.7}, {@code 2001:db8::1}) or an address
     * and the number of its bits that count ({@code 192.0.2.0/24}, {@code 2001:db8::/32}). Names are not looked up.
     *
     * @throws IllegalArgumentException if it is malformed; the message names the part
     */
    public static AddressFilter parse(String list) {
        List<Network> networks = new ArrayList<>();
        for (String part : list.split(",", -1)) {
            networks.add(network(part.strip()));
        }
        return new AddressFilter(List.copyOf(networks));
    }

    private static Network network(String text) {
        int slash = text.indexOf('/');
        String host = slash < 0 ? text : text.substring(0, slash);
        byte[] prefix;
        try {
            InetAddress address = InetAddress.ofLiteral(host);
            if (address instanceof Inet6Address six && six.getScopeId() != 0) {
                throw new IllegalArgumentException("scope");
            }
            prefix = address.getAddress();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("not an address or network: \"" + text + "\"", e);
        }
        int bits = slash < 0 ? prefix.length * 8 : bits(text, text.substring(slash + 1), prefix.length * 8);
        for (int bit = bits; bit < prefix.length * 8; bit++) {
            if (((prefix[bit / 8] >> (7 - bit % 8)) & 1) != 0) {
                throw new IllegalArgumentException(
                        "\"" + text + "\" has bits set behind the first " + bits + "; which network is meant?");
            }
        }
        return new Network(prefix, bits, host + "/" + bits);
    }

    private static int bits(String text, String digits, int max) {
        int bits = digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : -1;
        if (bits < 0 || bits > max) {
            throw new IllegalArgumentException("\"" + text + "\" needs a number of bits from 0 to " + max);
        }
        return bits;
    }

    /** Whether the address is in one of the networks. An IPv4 address that is mapped into IPv6 counts as IPv4. */
    @Override
    public boolean test(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 16 && Arrays.equals(bytes, 0, MAPPED.length, MAPPED, 0, MAPPED.length)) {
            bytes = Arrays.copyOfRange(bytes, MAPPED.length, bytes.length);
        }
        for (Network network : networks) {
            if (network.contains(bytes)) {
                return true;
            }
        }
        return false;
    }

    /** The networks, each with its number of bits. */
    public List<String> networks() {
        return networks.stream().map(network -> network.text).toList();
    }

    /** The list as {@link #parse} reads it. */
    @Override
    public String toString() {
        return String.join(",", networks());
    }
}
