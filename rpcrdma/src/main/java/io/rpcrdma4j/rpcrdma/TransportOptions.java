package io.rpcrdma4j.rpcrdma;

/**
 * How an RPC-over-RDMA transport is sized. The defaults are those of the Linux server.
 *
 * @param credits the most calls of the peer in progress at a time, 1 to 16384; also the most of ours on a connection
 * @param inlineBytes the longest Send and Receive, a multiple of 1024 from 1024 to 262144; told to the peer (RFC 8797)
 * @param payloadBytesMax the longest argument or result moved by RDMA, in bytes, up to 64 MiB
 * @param chunkSegmentsMax the most segments of one chunk
 * @param chunksMax the most chunks of one list
 * @param readsMax RDMA Reads in flight at a time on one connection, each way (IRD and ORD)
 * @param sendQueueDepth entries of the send queue; a call or reply that needs more is refused
 * @param remoteInvalidation whether the peer may be asked to invalidate our keys (client), and whether we do so for a
 *     peer that allows it (server)
 */
public record TransportOptions(
        int credits,
        int inlineBytes,
        int payloadBytesMax,
        int chunkSegmentsMax,
        int chunksMax,
        int readsMax,
        int sendQueueDepth,
        boolean remoteInvalidation) {

    /** The most bytes of a payload by default: 1 MiB. */
    public static final int DEFAULT_PAYLOAD_BYTES_MAX = 1 << 20;

    private static final int PAYLOAD_BYTES_LIMIT = 64 << 20;

    public TransportOptions {
        check("credits", credits, 1, 16_384);
        check("inlineBytes", inlineBytes, 1024, 262_144);
        if (inlineBytes % 1024 != 0) {
            throw new IllegalArgumentException("inlineBytes is a multiple of 1024, not " + inlineBytes);
        }
        check("payloadBytesMax", payloadBytesMax, 1024, PAYLOAD_BYTES_LIMIT);
        check("chunkSegmentsMax", chunkSegmentsMax, 1, 16_384);
        check("chunksMax", chunksMax, 1, 256);
        check("readsMax", readsMax, 1, 128);
        check("sendQueueDepth", sendQueueDepth, 16, 1 << 20);
    }

    private static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + min + " to " + max + ", not " + value);
        }
    }

    /** 128 credits, 4096 bytes inline, payloads of 1 MiB in at most 256 segments, 128 reads, remote invalidation. */
    public static TransportOptions defaults() {
        return new TransportOptions(128, 4096, DEFAULT_PAYLOAD_BYTES_MAX, 256, 16, 128, 4096, true);
    }

    public TransportOptions withCredits(int value) {
        return new TransportOptions(
                value,
                inlineBytes,
                payloadBytesMax,
                chunkSegmentsMax,
                chunksMax,
                readsMax,
                sendQueueDepth,
                remoteInvalidation);
    }

    public TransportOptions withInlineBytes(int value) {
        return new TransportOptions(
                credits,
                value,
                payloadBytesMax,
                chunkSegmentsMax,
                chunksMax,
                readsMax,
                sendQueueDepth,
                remoteInvalidation);
    }

    public TransportOptions withPayloadBytesMax(int value) {
        return new TransportOptions(
                credits, inlineBytes, value, chunkSegmentsMax, chunksMax, readsMax, sendQueueDepth, remoteInvalidation);
    }

    public TransportOptions withSendQueueDepth(int value) {
        return new TransportOptions(
                credits,
                inlineBytes,
                payloadBytesMax,
                chunkSegmentsMax,
                chunksMax,
                readsMax,
                value,
                remoteInvalidation);
    }

    public TransportOptions withRemoteInvalidation(boolean value) {
        return new TransportOptions(
                credits, inlineBytes, payloadBytesMax, chunkSegmentsMax, chunksMax, readsMax, sendQueueDepth, value);
    }
}
