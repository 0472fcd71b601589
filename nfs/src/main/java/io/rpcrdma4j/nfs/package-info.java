/** What the NFS service and client share. */
package io.rpcrdma4j.nfs;
