import org.jspecify.annotations.NullMarked;

/**
 * RPC over RDMA version 1 (RFC 8166): transport header codec, chunk lists, endpoint, and the server and client
 * transports. It knows nothing of NFS or files.
 */
@NullMarked
module io.rpcrdma4j.rpcrdma {
    requires static org.jspecify;
    requires transitive io.rpcrdma4j.rpc;
    requires transitive io.rpcrdma4j.verbs;
    requires jdk.jfr;
    requires org.slf4j;

    exports io.rpcrdma4j.rpcrdma;
    exports io.rpcrdma4j.rpcrdma.client;
    exports io.rpcrdma4j.rpcrdma.server;
    exports io.rpcrdma4j.rpcrdma.wire;
}
