/** The software iWARP provider: its sockets, event loops and entry point. */
package io.rpcrdma4j.verbs.iwarp;
