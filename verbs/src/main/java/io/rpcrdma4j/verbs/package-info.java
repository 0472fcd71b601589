/**
 * The verbs: what an application posts to an RDMA device and what it gets back.
 */
package io.rpcrdma4j.verbs;
