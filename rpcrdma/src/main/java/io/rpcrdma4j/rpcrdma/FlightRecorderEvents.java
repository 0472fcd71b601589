package io.rpcrdma4j.rpcrdma;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Writes each moment of a transport into the JDK's flight recorder, when a recording wants it: {@code jcmd PID
 * JFR.start io.rpcrdma4j.TracePoint#enabled=true}.
 *
 * <p><b>Threading:</b> any thread. Costs a test of a flag when nobody records.
 */
public final class FlightRecorderEvents implements TransportEvents {

    /** The name of the flight recorder's event type. */
    public static final String EVENT_NAME = "io.rpcrdma4j.TracePoint";

    /** Makes a recorder of moments. */
    public FlightRecorderEvents() {}

    @Override
    public void on(TracePoint point, int connection, long id, long first, long second) {
        var event = new Moment();
        if (event.shouldCommit()) {
            event.point = point.kernelName();
            event.connection = connection;
            event.id = id;
            event.first = first;
            event.second = second;
            event.commit();
        }
    }

    @Name(EVENT_NAME)
    @Label("RPC over RDMA")
    @Description("A moment of an RPC-over-RDMA transport, by the name of the Linux trace point")
    @Category({"rpcrdma4j"})
    @StackTrace(false)
    @Enabled(false)
    @SuppressWarnings("unused") // read by the flight recorder
    private static final class Moment extends Event {

        @Label("Trace point")
        private String point = "";

        @Label("Queue pair")
        private int connection;

        @Label("Completion id or XID")
        private long id;

        @Label("First argument")
        private long first;

        @Label("Second argument")
        private long second;
    }
}
