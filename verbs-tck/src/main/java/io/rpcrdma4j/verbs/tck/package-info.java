/** Abstract tests that say what a verbs provider must do. */
package io.rpcrdma4j.verbs.tck;
