package io.rpcrdma4j.cli.decode;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a whole capture: finds the TCP connections that carry iWARP and writes a line for each RPC-over-RDMA message.
 *
 * <p>Follows at most {@link #CONNECTIONS_MAX} TCP connections.
 *
 * <p><b>Threading:</b> confined; use once.
 */
final class CaptureDecoder {
    /** TCP connections followed in one capture, those included that turn out not to be iWARP. */
    static final int CONNECTIONS_MAX = 65_536;

    private final Report report;
    private final IwarpConnection.Options options;

    /** Each connection under both its flows. */
    private final Map<Flow, IwarpConnection> connections = new LinkedHashMap<>();

    private boolean full;

    /**
     * @param options what to do beside printing messages
     * @param lines takes the message lines
     * @param troubles takes a line for everything that breaks a rule or could not be decoded
     */
    CaptureDecoder(IwarpConnection.Options options, Consumer<String> lines, Consumer<String> troubles) {
        this.options = options;
        this.report = new Report(lines, troubles);
    }

    /**
     * Decodes a capture to its end.
     *
     * @param file the bytes of the capture; closed on return
     * @return the counts
     * @throws CaptureException if it is no capture, or broken
     */
    Report decode(InputStream file) throws IOException, CaptureException {
        try (file;
                CaptureReader reader = CaptureReader.open(file)) {
            for (Packet packet = reader.next(); packet != null; packet = reader.next()) {
                TcpSegment segment = TcpSegment.of(packet);
                if (segment != null) {
                    accept(packet.number(), segment);
                }
            }
            report.countPackets(reader.packetCount());
            if (reader.cutShort()) {
                report.note("the capture ends inside a record, after packet " + reader.packetCount());
            }
        }
        connections.forEach((flow, connection) -> {
            if (flow.equals(connection.flow())) {
                connection.finish();
            }
        });
        report.finish();
        return report;
    }

    private void accept(long number, TcpSegment segment) {
        Flow flow = segment.flow();
        boolean opens = segment.has(TcpSegment.SYN) && !segment.has(TcpSegment.ACK);
        IwarpConnection connection = connections.get(flow);
        if (connection == null || (opens && !connection.isRetransmission(segment))) {
            connection = open(flow, segment, opens);
        }
        if (connection != null) {
            connection.accept(number, segment);
        }
    }

    /** A connection that starts with this segment; null if it cannot be told that one does. */
    private @Nullable IwarpConnection open(Flow flow, TcpSegment segment, boolean opens) {
        if (!opens && !IwarpConnection.startsMpa(segment)) {
            return null;
        }
        if (connections.size() >= 2 * CONNECTIONS_MAX) {
            if (!full) {
                report.trouble("only the first " + CONNECTIONS_MAX + " TCP connections are decoded");
            }
            full = true;
            return null;
        }
        IwarpConnection connection = new IwarpConnection(flow, report, options);
        IwarpConnection old = connections.put(flow, connection);
        connections.put(flow.reversed(), connection);
        if (old != null) {
            old.finish();
        }
        return connection;
    }
}
