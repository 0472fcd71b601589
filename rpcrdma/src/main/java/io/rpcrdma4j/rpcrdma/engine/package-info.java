/**
 * The decisions of RPC-over-RDMA without the device: send-queue entries, credits. No sockets, no threads, no clock.
 *
 * <p>Read first: RFC 8166 §3.3 (credits), {@code svc_rdma_sq_wait(9)}.
 */
package io.rpcrdma4j.rpcrdma.engine;
