import org.jspecify.annotations.NullMarked;

/**
 * NFSv3 and MOUNT (RFC 1813): the service with its exports and file handles, the file-system interface below it, and a
 * client. It sees RPC only, never a transport.
 */
@NullMarked
module io.rpcrdma4j.nfs {
    requires static org.jspecify;
    requires transitive io.rpcrdma4j.rpc;
    requires org.slf4j;

    exports io.rpcrdma4j.nfs.client;
    exports io.rpcrdma4j.nfs.server;
    exports io.rpcrdma4j.nfs.vfs;
    exports io.rpcrdma4j.nfs.wire;
}
