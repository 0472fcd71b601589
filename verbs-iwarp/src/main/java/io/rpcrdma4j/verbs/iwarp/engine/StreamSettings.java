package io.rpcrdma4j.verbs.iwarp.engine;

/**
 * What both ends agreed on for full operation, and the limits that we keep.
 *
 * @param isInitiator whether we made the MPA request
 * @param crc whether CRCs are made and checked
 * @param inboundReads Reads of the peer served at a time (IRD)
 * @param outboundReads Reads of ours in flight at a time (ORD)
 * @param ulpduBytesMax the longest ULPDU that we make, {@link io.rpcrdma4j.verbs.iwarp.wire.Fpdu#MULPDU_BYTES_MIN} to
 *     65,535
 * @param rtrSend whether the peer's first FPDU is a zero-length Send that takes no Receive (RFC 6581 section 9.2)
 * @param partialFpduNanos how long the peer may take from the first to the last byte of an FPDU
 * @param lingerNanos how long after our last byte the peer may take to close
 */
public record StreamSettings(
        boolean isInitiator,
        boolean crc,
        int inboundReads,
        int outboundReads,
        int ulpduBytesMax,
        boolean rtrSend,
        long partialFpduNanos,
        long lingerNanos) {

    /** The default for {@link #partialFpduNanos}: 30 seconds. */
    public static final long PARTIAL_FPDU_NANOS = 30_000_000_000L;

    /** The default for {@link #lingerNanos}: 2 seconds. */
    public static final long LINGER_NANOS = 2_000_000_000L;

    /** With the default time limits and no ready-to-receive Send. */
    public StreamSettings(boolean isInitiator, boolean crc, int inboundReads, int outboundReads, int ulpduBytesMax) {
        this(isInitiator, crc, inboundReads, outboundReads, ulpduBytesMax, false, PARTIAL_FPDU_NANOS, LINGER_NANOS);
    }
}
