package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.VerbsProvider;
import java.io.IOException;

/** The provider {@code iwarp}: RDMA in software, over TCP. The package comment has its properties and limits. */
public final class IwarpProvider implements VerbsProvider {

    /** For {@link java.util.ServiceLoader}. */
    public IwarpProvider() {}

    @Override
    public String name() {
        return "iwarp";
    }

    @Override
    public Device open(DeviceOptions options) throws IOException {
        Settings settings = Settings.parse(options.properties());
        if (!options.deviceName().isEmpty() && !options.deviceName().equals(IwarpDevice.NAME)) {
            throw new IOException(
                    "no iWARP device named '" + options.deviceName() + "'; the only one is " + IwarpDevice.NAME);
        }
        return IwarpDevice.open(options, settings);
    }
}
