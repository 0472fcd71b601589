package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.tck.ProviderFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The contract suite's view of a {@link MemoryFabric} in any mode. */
final class FabricFixture implements ProviderFixture {

    private final MemoryFabric fabric;

    FabricFixture(MemoryFabric fabric) {
        this.fabric = fabric;
    }

    @Override
    public Device open(DeviceOptions options) throws IOException {
        return fabric.openDevice(options);
    }

    @Override
    public InetSocketAddress listenAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @Override
    public DeviceOptions shortConnectTimeout() {
        return DeviceOptions.defaults().withProperties(Map.of(MemoryProvider.CONNECT_TIMEOUT_MILLIS, "300"));
    }

    @Override
    public void removeDevice(Device device) {
        fabric.removeDevice(device, "pulled out");
    }

    @Override
    public void breakConnections(Device device) {
        fabric.dropConnections(device, "cable cut");
    }

    @Override
    public boolean await(BooleanSupplier condition, Duration limit) {
        return switch (fabric.mode()) {
            case STEPPED -> fabric.runUntil(condition, limit);
            case THREADED -> ProviderFixture.super.await(condition, limit);
            case SYNCHRONOUS -> {
                long end = System.nanoTime() + limit.toNanos();
                while (!condition.getAsBoolean()) {
                    if (System.nanoTime() - end >= 0) {
                        yield false;
                    }
                    fabric.advance(Duration.ofMillis(1));
                    Thread.onSpinWait();
                }
                yield true;
            }
        };
    }
}
