/** What the README shows. */
@NullMarked
package io.rpcrdma4j.examples;

import org.jspecify.annotations.NullMarked;
