package io.rpcrdma4j.rpc;

import java.net.InetSocketAddress;

/** The connection that a call came by. Implemented by transports; may be used from any thread. */
public interface RpcConnection {

    /** Number of the connection, unique in this process; for logs and duplicate-request caches. */
    long id();

    /** Name of the transport: {@code tcp} or {@code rdma}. */
    String transport();

    /** The peer's address. On RDMA the port means nothing: a peer may come back from another. */
    InetSocketAddress remoteAddress();

    /** The address at which the connection was accepted. */
    InetSocketAddress localAddress();

    /** Whether replies can still be sent. May change at any moment. */
    boolean isOpen();

    /** Most calls of this connection that may be in progress at once. */
    int callsMax();

    /** Most bytes that a call may have, payloads included. */
    long callBytesMax();

    /** What upper layers keep with this connection. Goes with it. */
    Attachments attachments();

    /** Closes the connection, soon. Calls in progress may still be answered, into the void. Idempotent. */
    void close();
}
