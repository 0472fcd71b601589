/** RPC messages, programs, dispatch, and the interface that transports implement. */
package io.rpcrdma4j.rpc;
