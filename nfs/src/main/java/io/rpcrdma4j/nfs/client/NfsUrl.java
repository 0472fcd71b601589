package io.rpcrdma4j.nfs.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Where a file is: {@code nfs://HOST[:PORT]/PATH[?mountport=N]}.
 *
 * <p>The host is a name, an IPv4 address, or an IPv6 address in brackets. In the path {@code %XX} stands for a byte; a
 * question mark of a name must be written so.
 *
 * @param host the host as given, an IPv6 address without its brackets
 * @param port where NFS is served, 1 to 65535; {@link #DEFAULT_PORT} if the URL says nothing
 * @param mountPort where MOUNT is served on TCP, or 0 if the URL does not say
 * @param path the path on the server
 * @param endsInSlash whether the URL's path ends in a slash (or is empty), which says that a directory is meant
 */
public record NfsUrl(String host, int port, int mountPort, NfsPath path, boolean endsInSlash) {
    /** The port of NFS over RDMA (RFC 8267 §7). */
    public static final int DEFAULT_PORT = 20049;

    private static final String SCHEME = "nfs://";
    private static final String FORM = "an NFS URL has the form nfs://HOST[:PORT]/PATH[?mountport=N]";

    /**
     * Reads a URL.
     *
     * @throws IllegalArgumentException if it has not that form; the text says what is wrong with it
     */
    public static NfsUrl parse(String text) {
        if (!isUrl(text)) {
            throw new IllegalArgumentException("'" + text + "': " + FORM);
        }
        String rest = text.substring(SCHEME.length());
        String query = "";
        int question = rest.indexOf('?');
        if (question >= 0) {
            query = rest.substring(question + 1);
            rest = rest.substring(0, question);
        }
        int slash = rest.indexOf('/');
        String authority = slash < 0 ? rest : rest.substring(0, slash);
        String path = slash < 0 ? "/" : rest.substring(slash);
        int mountPort = 0;
        for (String parameter : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            if (!parameter.startsWith("mountport=")) {
                throw new IllegalArgumentException(
                        "'" + text + "': unknown parameter '" + parameter + "'; there is mountport=N");
            }
            mountPort = parsePort(parameter.substring("mountport=".length()), text);
        }
        HostPort hostPort = HostPort.parse(authority, text);
        return new NfsUrl(
                hostPort.host(),
                hostPort.port() == 0 ? DEFAULT_PORT : hostPort.port(),
                mountPort,
                NfsPath.parseEscaped(path, text),
                path.endsWith("/"));
    }

    /** Whether a command's argument is meant to be a URL of this kind. */
    public static boolean isUrl(String text) {
        return text.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    }

    /**
     * Looks the host up and takes its first address.
     *
     * @throws UnknownHostException if there is none; the text names the host
     */
    public InetAddress resolveHost() throws UnknownHostException {
        return HostPort.resolve(host);
    }

    /** The NFS port at an address. */
    public InetSocketAddress at(InetAddress address) {
        return new InetSocketAddress(address, port);
    }

    /** The same server and another path. */
    public NfsUrl withPath(NfsPath other) {
        return new NfsUrl(host, port, mountPort, other, other.isRoot());
    }

    /** Whether both URLs name the same server in the same words. */
    public boolean isSameServer(NfsUrl other) {
        return host.equals(other.host) && port == other.port && mountPort == other.mountPort;
    }

    /** The URL without what only says how to get there: what messages show. */
    @Override
    public String toString() {
        return SCHEME + HostPort.bracketed(host) + (port == DEFAULT_PORT ? "" : ":" + port) + path;
    }

    static int parsePort(String digits, String text) {
        int port = -1;
        if (!digits.isEmpty() && digits.length() <= 5 && digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            port = Integer.parseInt(digits);
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("'" + text + "': port '" + digits + "' is not 1 to 65535");
        }
        return port;
    }
}
