/**
 * RPC-over-RDMA server: the Responder of RFC 8166, modelled on the Linux server transport, svcrdma.
 *
 * <p>{@link io.rpcrdma4j.rpcrdma.server.RdmaRpcServer} listens. A message goes through {@code Responder} (parse),
 * {@code CallReader} (pull chunks), the programs, {@code ReplySender} and {@code ChunkWriter} (reply).
 */
package io.rpcrdma4j.rpcrdma.server;
