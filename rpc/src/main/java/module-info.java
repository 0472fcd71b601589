import org.jspecify.annotations.NullMarked;

/**
 * ONC RPC version 2 (RFC 5531) and XDR (RFC 4506): readers and writers over memory segments, messages, auth flavors,
 * programs and dispatch, the interface that transports implement, and RPC over TCP.
 */
@NullMarked
module io.rpcrdma4j.rpc {
    requires static org.jspecify;
    requires org.slf4j;

    exports io.rpcrdma4j.rpc;
    exports io.rpcrdma4j.rpc.memory;
    exports io.rpcrdma4j.rpc.tcp;
    exports io.rpcrdma4j.rpc.xdr;
}
