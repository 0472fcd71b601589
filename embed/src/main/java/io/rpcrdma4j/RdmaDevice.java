package io.rpcrdma4j;

import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.VerbsProvider;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Which verbs device to open, and how. Used by one thread. */
public final class RdmaDevice {
    /** The provider that is used if none is named: RDMA in software, over TCP. */
    public static final String DEFAULT_PROVIDER = "iwarp";

    private String provider = DEFAULT_PROVIDER;
    private DeviceOptions options = DeviceOptions.defaults();
    private final Map<String, String> properties = new HashMap<>();

    /** The default device. */
    public RdmaDevice() {}

    /** The provider, by name. */
    public RdmaDevice provider(String name) {
        provider = name;
        return this;
    }

    /** Whether to ask for checksums. Only providers that have a choice know it: it is given to them when it is off. */
    public RdmaDevice crc(boolean on) {
        if (on) {
            properties.remove("crc");
        } else {
            properties.put("crc", "off");
        }
        return this;
    }

    /** Number of event threads. */
    public RdmaDevice eventThreads(int count) {
        options = options.withCompletionVectors(count);
        return this;
    }

    /**
     * Opens it.
     *
     * @return to be closed by the caller
     * @throws IOException if there is no such provider, or it has no usable device
     */
    public Device open() throws IOException {
        VerbsProvider found;
        try {
            found = VerbsProvider.named(provider);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
        return found.open(options.withProperties(properties));
    }
}
