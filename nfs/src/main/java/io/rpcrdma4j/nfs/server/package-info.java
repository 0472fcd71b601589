/**
 * The NFS version 3 service and its MOUNT program (RFC 1813): programs for {@link io.rpcrdma4j.rpc.RpcDispatcher}, over
 * a {@link io.rpcrdma4j.nfs.vfs.FileTree}. {@link io.rpcrdma4j.nfs.server.NfsService} joins the parts.
 */
package io.rpcrdma4j.nfs.server;
