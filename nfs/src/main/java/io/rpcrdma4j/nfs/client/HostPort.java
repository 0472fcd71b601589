package io.rpcrdma4j.nfs.client;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A host and a port as people write them: {@code HOST}, {@code HOST:PORT}, {@code [IPV6]}, {@code [IPV6]:PORT}, or an
 * IPv6 address alone.
 *
 * @param host a name or an address without brackets
 * @param port 1 to 65535, or 0 if none was given
 */
public record HostPort(String host, int port) {

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if it has none of the forms
     */
    public static HostPort parse(String text) {
        return parse(text, text);
    }

    static HostPort parse(String authority, String whole) {
        if (authority.startsWith("[")) {
            int close = authority.indexOf(']');
            if (close < 0) {
                throw new IllegalArgumentException("'" + whole + "': the ']' behind the IPv6 address is missing");
            }
            String host = requireHost(authority.substring(1, close), whole);
            String rest = authority.substring(close + 1);
            if (rest.isEmpty()) {
                return new HostPort(host, 0);
            }
            if (!rest.startsWith(":")) {
                throw new IllegalArgumentException("'" + whole + "': '" + rest + "' behind the ']' is not a port");
            }
            return new HostPort(host, NfsUrl.parsePort(rest.substring(1), whole));
        }
        int colon = authority.indexOf(':');
        if (colon < 0) {
            return new HostPort(requireHost(authority, whole), 0);
        }
        if (authority.indexOf(':', colon + 1) >= 0) {
            if (!authority.equals(whole)) {
                throw new IllegalArgumentException("'" + whole + "': an IPv6 address goes in brackets, as in [::1]");
            }
            return new HostPort(authority, 0);
        }
        String host = requireHost(authority.substring(0, colon), whole);
        return new HostPort(host, NfsUrl.parsePort(authority.substring(colon + 1), whole));
    }

    /**
     * Looks a host up and takes its first address.
     *
     * @throws UnknownHostException if there is none; the text names the host
     */
    public static InetAddress resolve(String host) throws UnknownHostException {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            UnknownHostException named = new UnknownHostException("no address is known for host '" + host + "'");
            named.initCause(e);
            throw named;
        }
    }

    /** The host as it stands before a port: an IPv6 address in brackets. */
    public static String bracketed(String host) {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    private static String requireHost(String host, String whole) {
        if (host.isEmpty()) {
            throw new IllegalArgumentException("'" + whole + "': the host is missing");
        }
        return host;
    }

    @Override
    public String toString() {
        return bracketed(host) + (port == 0 ? "" : ":" + port);
    }
}
