package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.iwarp.engine.StreamSettings;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The device's properties, checked. The package comment explains each.
 *
 * @param crc whether we ask for CRCs
 * @param fpdu how long our FPDUs are
 * @param fpduBytes for {@link FpduLength#FIXED}
 * @param congestion the congestion control to set, {@code auto} or {@code system}
 * @param sendBufferBytes of the socket, 0 for the system's choice
 * @param receiveBufferBytes of the socket, 0 for the system's choice
 * @param connectTimeout for the TCP connection and again for the MPA reply
 * @param partialFpduTimeout from the first to the last byte of an FPDU
 * @param peerTimeout after which a peer that is not heard of is given up
 * @param moveBytesMax most bytes that one read or write moves, 0 for no limit; negative for a random limit with this
 *     seed
 */
record Settings(
        boolean crc,
        FpduLength fpdu,
        int fpduBytes,
        String congestion,
        int sendBufferBytes,
        int receiveBufferBytes,
        Duration connectTimeout,
        Duration partialFpduTimeout,
        Duration peerTimeout,
        long moveBytesMax) {

    static final String CRC = "crc";
    static final String FPDU = "fpdu";
    static final String CONGESTION = "congestion";
    static final String SEND_BUFFER = "sndbuf";
    static final String RECEIVE_BUFFER = "rcvbuf";
    static final String CONNECT_TIMEOUT = "connectTimeout";
    static final String PARTIAL_FPDU_TIMEOUT = "partialFpduTimeout";
    static final String PEER_TIMEOUT = "peerTimeout";
    static final String MOVE_BYTES_MAX = "moveBytesMax";

    private static final Set<String> KNOWN = new TreeSet<>(Set.of(
            CRC,
            FPDU,
            CONGESTION,
            SEND_BUFFER,
            RECEIVE_BUFFER,
            CONNECT_TIMEOUT,
            PARTIAL_FPDU_TIMEOUT,
            PEER_TIMEOUT,
            MOVE_BYTES_MAX));

    /** How the length of FPDUs is chosen. */
    enum FpduLength {
        /** The longest for a peer on this host, else one TCP segment. */
        AUTO,
        /** One TCP segment of the interface. */
        MSS,
        /** The longest. */
        MAX,
        /** A number of bytes. */
        FIXED
    }

    static Settings parse(Map<String, String> properties) {
        for (String key : properties.keySet()) {
            if (!KNOWN.contains(key)) {
                throw new IllegalArgumentException("unknown property '" + key + "'; there are " + KNOWN);
            }
        }
        String fpdu = properties.getOrDefault(FPDU, "auto");
        FpduLength length = switch (fpdu) {
            case "auto" -> FpduLength.AUTO;
            case "mss" -> FpduLength.MSS;
            case "max" -> FpduLength.MAX;
            default -> FpduLength.FIXED;
        };
        return new Settings(
                switch (properties.getOrDefault(CRC, "on")) {
                    case "on" -> true;
                    case "off" -> false;
                    default ->
                        throw new IllegalArgumentException(
                                "property crc is 'on' or 'off', not '" + properties.get(CRC) + "'");
                },
                length,
                length == FpduLength.FIXED
                        ? (int) number(FPDU, fpdu, Fpdu.MULPDU_BYTES_MIN + 8, Fpdu.FPDU_BYTES_MAX)
                        : 0,
                properties.getOrDefault(CONGESTION, "auto"),
                (int) number(SEND_BUFFER, properties.getOrDefault(SEND_BUFFER, "0"), 0, Integer.MAX_VALUE),
                (int) number(RECEIVE_BUFFER, properties.getOrDefault(RECEIVE_BUFFER, "0"), 0, Integer.MAX_VALUE),
                millis(properties, CONNECT_TIMEOUT, 10_000),
                millis(properties, PARTIAL_FPDU_TIMEOUT, 30_000),
                millis(properties, PEER_TIMEOUT, 60_000),
                number(MOVE_BYTES_MAX, properties.getOrDefault(MOVE_BYTES_MAX, "0"), Long.MIN_VALUE, Long.MAX_VALUE));
    }

    private static Duration millis(Map<String, String> properties, String key, long preset) {
        String text = properties.get(key);
        return Duration.ofMillis(text == null ? preset : number(key, text, 1, 86_400_000));
    }

    private static long number(String key, String text, long min, long max) {
        try {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below, with the limits.
        }
        throw new IllegalArgumentException(
                "property " + key + " is a number from " + min + " to " + max + ", not '" + text + "'");
    }

    /**
     * How a connected channel is to be used.
     *
     * @param isInitiator whether we made the MPA request
     * @param withCrc what was agreed
     * @param inboundReads what was agreed
     * @param outboundReads what was agreed
     * @param rtrSend whether the peer starts with a ready-to-receive Send
     */
    StreamSettings forStream(
            SocketChannel channel,
            boolean isInitiator,
            boolean withCrc,
            int inboundReads,
            int outboundReads,
            boolean rtrSend)
            throws IOException {
        return new StreamSettings(
                isInitiator,
                withCrc,
                inboundReads,
                outboundReads,
                FpduLengths.ulpduBytesMax(channel, this),
                rtrSend,
                partialFpduTimeout.toNanos(),
                StreamSettings.LINGER_NANOS);
    }
}
