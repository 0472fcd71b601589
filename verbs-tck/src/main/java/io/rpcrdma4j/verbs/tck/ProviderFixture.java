package io.rpcrdma4j.verbs.tck;

import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What the contract suite needs of a provider under test. One is made for each test. */
public interface ProviderFixture extends AutoCloseable {

    /** Opens a device; devices of one fixture reach each other. */
    Device open(DeviceOptions options) throws IOException;

    /** A local address with port 0 on which every device of the fixture can listen, and which all reach. */
    InetSocketAddress listenAddress();

    /** Options under which a connect that nobody answers fails in about a second of the provider's time. */
    default DeviceOptions shortConnectTimeout() {
        throw new UnsupportedOperationException();
    }

    /** Takes the device away, as if pulled out. */
    default void removeDevice(Device device) {
        throw new UnsupportedOperationException();
    }

    /** Cuts all connections of the device without telling anybody. */
    default void breakConnections(Device device) {
        throw new UnsupportedOperationException();
    }

    /** Empty if the provider has it; else why not, in one sentence. */
    default Optional<String> reasonToSkip(Capability capability) {
        return Optional.empty();
    }

    /**
     * Lets the provider work until something holds. A provider that does not work by itself overrides this.
     *
     * @param limit how long to wait, in the provider's time
     * @return whether it holds
     */
    default boolean await(BooleanSupplier condition, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            LockSupport.parkNanos(20_000);
        }
        return true;
    }

    @Override
    default void close() {}
}
