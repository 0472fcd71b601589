/**
 * The in-process verbs provider: exact verbs semantics between devices of one process, on the caller's thread, step by
 * step under a seed, or on event threads; with faults on demand. Start with
 * {@link io.rpcrdma4j.verbs.memory.MemoryFabric}.
 */
package io.rpcrdma4j.verbs.memory;
