/**
 * Tests over the project as a whole: who may import what, which code stays free of sockets, threads and clocks, and
 * rules on the text of the sources.
 */
@NullMarked
package io.rpcrdma4j.arch;

import org.jspecify.annotations.NullMarked;
