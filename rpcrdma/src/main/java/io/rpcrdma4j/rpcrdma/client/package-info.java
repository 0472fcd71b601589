/** The client transport: connections to a server, calls with deadline and cancel, and reconnection. */
package io.rpcrdma4j.rpcrdma.client;
