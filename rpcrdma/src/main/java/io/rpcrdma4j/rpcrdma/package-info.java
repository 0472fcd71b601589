/** RPC over RDMA: what its server and client sides share. */
package io.rpcrdma4j.rpcrdma;
