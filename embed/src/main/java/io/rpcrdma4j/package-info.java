/** Server and client builders for applications. */
package io.rpcrdma4j;
