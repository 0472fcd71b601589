/**
 * Benchmarks: JMH for the hot paths and whole-system runs against peers.
 *
 * <p>They run from the build tree, on the class path, because some peers are automatic modules.
 */
@NullMarked
package io.rpcrdma4j.bench;

import org.jspecify.annotations.NullMarked;
