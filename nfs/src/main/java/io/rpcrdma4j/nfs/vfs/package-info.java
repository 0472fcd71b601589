/**
 * The file system below the NFS service: a small interface, {@link io.rpcrdma4j.nfs.vfs.FileTree}, and an
 * implementation over {@link java.nio.file}. It speaks in the values of {@link io.rpcrdma4j.nfs.wire} and knows nothing
 * of RPC.
 */
package io.rpcrdma4j.nfs.vfs;
