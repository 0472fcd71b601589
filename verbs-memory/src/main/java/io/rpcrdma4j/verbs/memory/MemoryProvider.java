package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.VerbsProvider;
import java.io.IOException;

/**
 * The provider named {@code memory}: its devices are all on one {@link ExecutionMode#THREADED} {@link MemoryFabric} of
 * the process. Tests that want to steer make a fabric of their own.
 *
 * <p>The constants are the properties that {@link DeviceOptions#properties} may have.
 */
public final class MemoryProvider implements VerbsProvider {

    /** The device's address, an IPv4 or IPv6 literal; loopback by default. It is what peers see as remote address. */
    public static final String ADDRESS = "address";

    /** How long a connect may take, in milliseconds of the fabric's time; 10,000 by default. */
    public static final String CONNECT_TIMEOUT_MILLIS = "connect-timeout-millis";

    /** Most segments of a Send, Write or Receive; 16 by default. */
    public static final String SEGMENTS_MAX = "segments-max";

    /** Most entries of a send or receive queue; 16,384 by default. */
    public static final String QUEUE_DEPTH_MAX = "queue-depth-max";

    /** Most entries of a completion queue; 1,048,576 by default. */
    public static final String COMPLETION_QUEUE_DEPTH_MAX = "completion-queue-depth-max";

    /** Most RDMA Reads in flight, in each direction; 128 by default. */
    public static final String READS_MAX = "reads-max";

    /** Most bytes of an inline send; 256 by default. */
    public static final String INLINE_BYTES_MAX = "inline-bytes-max";

    /** Makes the provider. */
    public MemoryProvider() {}

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Device open(DeviceOptions options) throws IOException {
        return SharedFabric.FABRIC.openDevice(options);
    }

    /** Made when first needed. */
    private static final class SharedFabric {
        private static final MemoryFabric FABRIC =
                MemoryFabric.builder().mode(ExecutionMode.THREADED).build();
    }
}
