package io.rpcrdma4j.verbs.tck;

/** What not every provider has; a provider that lacks it gives the reason, see {@link ProviderFixture#reasonToSkip}. */
public enum Capability {

    /** Shared receive queues. */
    SHARED_RECEIVE_QUEUE,

    /** {@link ProviderFixture#shortConnectTimeout} bounds a connect that nobody answers. */
    CONNECT_TIMEOUT,

    /** A refused RDMA Read completes with REMOTE_ACCESS_ERROR; without it, it may also be flushed. */
    READ_REFUSAL_REPORTED,

    /** {@link ProviderFixture#removeDevice} takes a device away. */
    DEVICE_REMOVAL,

    /** {@link ProviderFixture#breakConnections} cuts connections without an orderly end. */
    CONNECTION_LOSS
}
