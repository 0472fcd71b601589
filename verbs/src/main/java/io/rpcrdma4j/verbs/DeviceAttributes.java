package io.rpcrdma4j.verbs;

/**
 * What a device can do.
 *
 * @param name the device's name
 * @param transport the kind of wire
 * @param sendQueueDepthMax most entries of a send queue
 * @param receiveQueueDepthMax most entries of a receive queue, shared or not
 * @param completionQueueDepthMax most entries of a completion queue
 * @param segmentsPerRequestMax most scatter/gather entries of a Send, Write or Receive
 * @param segmentsPerReadMax most scatter entries of an RDMA Read
 * @param inlineBytesMax most bytes of an inline send
 * @param regionBytesMax longest memory region
 * @param inboundReadsMax most RDMA Reads of a peer in flight on one connection (IRD)
 * @param outboundReadsMax most RDMA Reads of ours in flight on one connection (ORD)
 * @param privateDataBytesMax most bytes of private data in a connect, accept or reject
 * @param completionVectors event threads of the device
 */
public record DeviceAttributes(
        String name,
        TransportType transport,
        int sendQueueDepthMax,
        int receiveQueueDepthMax,
        int completionQueueDepthMax,
        int segmentsPerRequestMax,
        int segmentsPerReadMax,
        int inlineBytesMax,
        long regionBytesMax,
        int inboundReadsMax,
        int outboundReadsMax,
        int privateDataBytesMax,
        int completionVectors) {}
