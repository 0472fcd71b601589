import org.jspecify.annotations.NullMarked;

/** What an application embeds: server and client builders that join NFS, RPC, RPC over RDMA and a verbs provider. */
@NullMarked
module io.rpcrdma4j {
    requires static org.jspecify;
    requires transitive io.rpcrdma4j.nfs;
    requires transitive io.rpcrdma4j.rpc;
    requires transitive io.rpcrdma4j.rpcrdma;
    requires transitive io.rpcrdma4j.verbs;
    requires org.slf4j;

    exports io.rpcrdma4j;
}
