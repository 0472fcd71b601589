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
        if (fabric.mode() == ExecutionMode.THREADED) {
            return ProviderFixture.super.await(condition, limit);
        }
        long end = System.nanoTime() + limit.toNanos();
        while (!passVirtualTime(condition, limit)) {
            // What is waited for may come from another thread of the test.
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private boolean passVirtualTime(BooleanSupplier condition, Duration limit) {
        if (fabric.mode() == ExecutionMode.STEPPED) {
            return fabric.runUntil(condition, limit);
        }
        fabric.advance(Duration.ofMillis(1));
        return condition.getAsBoolean();
    }
}
