/**
 * XDR (RFC 4506) over memory segments.
 *
 * <p>{@link io.rpcrdma4j.rpc.xdr.XdrWriter} builds a message as an {@link io.rpcrdma4j.rpc.xdr.XdrBuffer}: a list of
 * fragments (head, pages, tail) in which the bytes of bulk data are referred to, not copied.
 * {@link io.rpcrdma4j.rpc.xdr.XdrReader} takes a received message apart and hands out slices of it; bulk data that
 * arrived by RDMA is found through {@link io.rpcrdma4j.rpc.xdr.ChunkClaims}.
 *
 * <p>Everything here is pure: no sockets, no threads, no clock. No object is thread-safe; each is used by one thread at
 * a time.
 */
package io.rpcrdma4j.rpc.xdr;
