package io.rpcrdma4j.verbs;

import java.util.Map;

/**
 * What a program asks of a device when it opens it.
 *
 * @param deviceName the device's name, empty for the provider's default
 * @param completionVectors how many event threads the device may use, 1 to 256; each connection is served by one of
 *     them
 * @param registeredBytesMax the ceiling, in bytes, on memory registered through this device; registering more fails
 * @param properties provider-specific settings; each provider documents its keys and refuses unknown ones
 */
public record DeviceOptions(
        String deviceName, int completionVectors, long registeredBytesMax, Map<String, String> properties) {

    /** The default ceiling on registered memory: 2 GiB. */
    public static final long DEFAULT_REGISTERED_BYTES_MAX = 2L << 30;

    public DeviceOptions {
        if (completionVectors < 1 || completionVectors > 256) {
            throw new IllegalArgumentException("completionVectors is 1 to 256, not " + completionVectors);
        }
        if (registeredBytesMax < 0) {
            throw new IllegalArgumentException("registeredBytesMax is negative: " + registeredBytesMax);
        }
        properties = Map.copyOf(properties);
    }

    /** The default device with one event thread. */
    public static DeviceOptions defaults() {
        return new DeviceOptions("", 1, DEFAULT_REGISTERED_BYTES_MAX, Map.of());
    }

    public DeviceOptions withCompletionVectors(int count) {
        return new DeviceOptions(deviceName, count, registeredBytesMax, properties);
    }

    public DeviceOptions withRegisteredBytesMax(long bytes) {
        return new DeviceOptions(deviceName, completionVectors, bytes, properties);
    }

    public DeviceOptions withProperties(Map<String, String> newProperties) {
        return new DeviceOptions(deviceName, completionVectors, registeredBytesMax, newProperties);
    }
}
