package io.rpcrdma4j.verbs;

/** The kind of wire below a device; it decides a few rules that a portable program must respect. */
public enum TransportType {
    /**
     * iWARP (RFC 5040): no immediate data, no receiver-not-ready retry, Read sinks need {@link Access#REMOTE_WRITE}.
     */
    IWARP,
    /** InfiniBand. */
    INFINIBAND,
    /** RDMA over Converged Ethernet. */
    ROCE
}
