package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.tck.Capability;
import io.rpcrdma4j.verbs.tck.ProviderFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** This provider under the contract suite, on loopback. */
final class IwarpFixture implements ProviderFixture {

    private final Map<String, String> properties;

    IwarpFixture(Map<String, String> properties) {
        this.properties = properties;
    }

    @Override
    public Device open(DeviceOptions options) throws IOException {
        var all = new HashMap<>(properties);
        all.putAll(options.properties());
        return new IwarpProvider().open(options.withProperties(all));
    }

    @Override
    public InetSocketAddress listenAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @Override
    public DeviceOptions shortConnectTimeout() {
        return DeviceOptions.defaults().withProperties(Map.of(Settings.CONNECT_TIMEOUT, "1000"));
    }

    @Override
    public void breakConnections(Device device) {
        ((IwarpDevice) device).breakConnections();
    }

    @Override
    public void removeDevice(Device device) {
        ((IwarpDevice) device).remove("taken away by the test");
    }

    @Override
    public Optional<String> reasonToSkip(Capability capability) {
        return Optional.empty();
    }
}
