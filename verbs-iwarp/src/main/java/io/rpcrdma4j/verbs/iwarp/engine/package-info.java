/**
 * The protocol of one iWARP connection, without sockets, threads or clock: bytes and the time go in; bytes to send,
 * placements, completions and the next deadline come out.
 *
 * <p>{@link io.rpcrdma4j.verbs.iwarp.engine.MpaInitiator} and {@link io.rpcrdma4j.verbs.iwarp.engine.MpaResponder} hold
 * the start-up (RFC 5044 section 7, RFC 6581); {@link io.rpcrdma4j.verbs.iwarp.engine.Stream} is the connection in full
 * operation. A stream has one owner at a time, who calls it; only the posting side of the queues, the
 * {@link io.rpcrdma4j.verbs.iwarp.engine.KeyTable} and {@link io.rpcrdma4j.verbs.iwarp.engine.RegisteredMemory} are
 * shared between threads, and say so.
 */
package io.rpcrdma4j.verbs.iwarp.engine;
