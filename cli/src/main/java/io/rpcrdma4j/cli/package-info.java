/** The subcommands of {@code rpcrdma4j} and what they share. */
package io.rpcrdma4j.cli;
