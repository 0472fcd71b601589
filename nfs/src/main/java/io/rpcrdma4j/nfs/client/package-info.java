/**
 * A client of NFS version 3: {@link io.rpcrdma4j.nfs.client.NfsMount} for files by their paths,
 * {@link io.rpcrdma4j.nfs.client.Nfs3Client} for the procedures themselves, over any RPC transport.
 */
package io.rpcrdma4j.nfs.client;
