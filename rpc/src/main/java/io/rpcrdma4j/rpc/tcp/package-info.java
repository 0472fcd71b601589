/**
 * RPC over TCP (RFC 5531 §11): a server and a client.
 *
 * <p>Both run on event loops, one platform thread each; a connection stays with its loop. Records may come in any
 * number of fragments; what is sent is one fragment each.
 */
package io.rpcrdma4j.rpc.tcp;
