package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.DeviceAttributes;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.TransportType;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;

/** What the properties of {@link DeviceOptions} say; {@link MemoryProvider} documents them. */
record DeviceSettings(
        InetAddress address,
        Duration connectTimeout,
        int segmentsMax,
        int queueDepthMax,
        int completionQueueDepthMax,
        int readsMax,
        int inlineBytesMax) {

    private static final int PRIVATE_DATA_BYTES_MAX = 252;
    private static final long REGION_BYTES_MAX = 1L << 40;

    static DeviceSettings of(DeviceOptions options) {
        InetAddress address = InetAddress.getLoopbackAddress();
        int connectTimeoutMillis = 10_000;
        int segmentsMax = 16;
        int queueDepthMax = 16_384;
        int completionQueueDepthMax = 1 << 20;
        int readsMax = 128;
        int inlineBytesMax = 256;
        for (Map.Entry<String, String> property : options.properties().entrySet()) {
            String value = property.getValue();
            switch (property.getKey()) {
                case MemoryProvider.ADDRESS -> address = InetAddress.ofLiteral(value);
                case MemoryProvider.CONNECT_TIMEOUT_MILLIS -> connectTimeoutMillis = parse(property);
                case MemoryProvider.SEGMENTS_MAX -> segmentsMax = parse(property);
                case MemoryProvider.QUEUE_DEPTH_MAX -> queueDepthMax = parse(property);
                case MemoryProvider.COMPLETION_QUEUE_DEPTH_MAX -> completionQueueDepthMax = parse(property);
                case MemoryProvider.READS_MAX -> readsMax = parse(property);
                case MemoryProvider.INLINE_BYTES_MAX -> inlineBytesMax = parse(property);
                default -> throw new IllegalArgumentException("unknown property '" + property.getKey() + "'");
            }
        }
        return new DeviceSettings(
                address,
                Duration.ofMillis(connectTimeoutMillis),
                segmentsMax,
                queueDepthMax,
                completionQueueDepthMax,
                readsMax,
                inlineBytesMax);
    }

    private static int parse(Map.Entry<String, String> property) {
        int value;
        try {
            value = Integer.parseInt(property.getValue());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "property " + property.getKey() + " is not a number: '" + property.getValue() + "'", e);
        }
        if (value < 0) {
            throw new IllegalArgumentException("property " + property.getKey() + " is negative: " + value);
        }
        return value;
    }

    DeviceAttributes attributes(String name, int completionVectors) {
        return new DeviceAttributes(
                name,
                TransportType.IWARP,
                queueDepthMax,
                queueDepthMax,
                completionQueueDepthMax,
                segmentsMax,
                1,
                inlineBytesMax,
                REGION_BYTES_MAX,
                readsMax,
                readsMax,
                PRIVATE_DATA_BYTES_MAX,
                completionVectors);
    }
}
