package io.rpcrdma4j.rpc;

import java.net.InetSocketAddress;

/** Addresses as people write them, for messages. */
public final class AddressText {
    private AddressText() {}

    /** Host and port: {@code 10.0.0.1:20049}, {@code [::1]:20049}, or the name if it was not resolved. */
    public static String of(InetSocketAddress address) {
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }
}
