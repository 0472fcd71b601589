/**
 * Memory that transports send from and receive into without a copy, and who owns it.
 *
 * <p>A {@link io.rpcrdma4j.rpc.memory.PayloadBuffer} has exactly one owner at any moment. A method that moves the
 * ownership says so in its Javadoc. The owner gives the buffer back once, with
 * {@link io.rpcrdma4j.rpc.memory.PayloadBuffer#release()}.
 */
package io.rpcrdma4j.rpc.memory;
