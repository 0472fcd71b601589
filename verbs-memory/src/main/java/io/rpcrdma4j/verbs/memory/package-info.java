/** The in-process verbs provider. */
package io.rpcrdma4j.verbs.memory;
