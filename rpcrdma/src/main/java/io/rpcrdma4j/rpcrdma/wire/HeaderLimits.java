package io.rpcrdma4j.rpcrdma.wire;

/**
 * What one transport header may ask of us. Everything beyond is refused while parsing, before anything is allocated,
 * registered or posted.
 *
 * @param maxSegmentsPerChunk segments in one Read chunk, Write chunk or Reply chunk; RFC 8267 section 6.4.2 obliges a
 *     server to take 16
 * @param maxSegmentsPerList segments in the Read list, and in the Write list
 * @param maxChunksPerList chunks in the Read list (the position-zero chunk not counted), and in the Write list
 * @param maxPayloadBytes bytes of one data item in a Read chunk; at most {@link #MAX_PAYLOAD_BYTES}
 * @param maxMessageBytes bytes of a whole RPC message with its reduced items back in place: bounds the position-zero
 *     chunk, each Write chunk, the Reply chunk, and the unreduced call
 */
public record HeaderLimits(
        int maxSegmentsPerChunk,
        int maxSegmentsPerList,
        int maxChunksPerList,
        long maxPayloadBytes,
        long maxMessageBytes) {

    /** Default for one data item: 1 MiB, what Linux clients and servers agree on. */
    public static final long DEFAULT_PAYLOAD_BYTES = 1 << 20;

    /** Largest configurable data item: 4 MiB. */
    public static final long MAX_PAYLOAD_BYTES = 4 << 20;

    /**
     * Room for everything in a message that is not its data item: RPC and operation headers, attributes, and the extra
     * page and pad segment that Linux clients add to what they offer.
     */
    public static final long MESSAGE_OVERHEAD_BYTES = 64 << 10;

    /** 16 segments a chunk, 64 a list, 16 chunks a list, data items of up to 1 MiB. */
    public static final HeaderLimits DEFAULT = ofPayload(DEFAULT_PAYLOAD_BYTES);

    /**
     * No limit of our own, for tools that show whatever was on the wire; only the received bytes bound the lists. Not
     * for a transport.
     */
    public static final HeaderLimits NONE =
            new HeaderLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

    public HeaderLimits {
        requirePositive(maxSegmentsPerChunk, "maxSegmentsPerChunk");
        requirePositive(maxSegmentsPerList, "maxSegmentsPerList");
        requirePositive(maxChunksPerList, "maxChunksPerList");
        requirePositive(maxPayloadBytes, "maxPayloadBytes");
        if (maxMessageBytes < maxPayloadBytes) {
            throw new IllegalArgumentException(
                    "maxMessageBytes " + maxMessageBytes + " is below maxPayloadBytes " + maxPayloadBytes);
        }
    }

    /**
     * The default limits for another data item size.
     *
     * @param maxPayloadBytes 1 to {@link #MAX_PAYLOAD_BYTES}
     * @throws IllegalArgumentException if out of range
     */
    public static HeaderLimits ofPayload(long maxPayloadBytes) {
        if (maxPayloadBytes < 1 || maxPayloadBytes > MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException(
                    "maxPayloadBytes " + maxPayloadBytes + " is not in 1.." + MAX_PAYLOAD_BYTES);
        }
        return new HeaderLimits(16, 64, 16, maxPayloadBytes, maxPayloadBytes + MESSAGE_OVERHEAD_BYTES);
    }

    private static void requirePositive(long value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " " + value + " is below 1");
        }
    }
}
