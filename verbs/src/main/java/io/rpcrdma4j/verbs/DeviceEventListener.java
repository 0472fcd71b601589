package io.rpcrdma4j.verbs;

/** Told of device-wide events, on a thread of the device; must not block. */
@FunctionalInterface
public interface DeviceEventListener {
    void onEvent(Device device, DeviceEvent event);
}
