package io.rpcrdma4j.verbs;

import java.net.InetSocketAddress;

/** A port on which a device takes connections. */
public interface Listener extends AutoCloseable {

    /** The address it is bound to, with the real port. */
    InetSocketAddress address();

    /** Stops listening; connections made stay. Handshakes in progress are closed. Idempotent. */
    @Override
    void close();
}
