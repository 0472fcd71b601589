package io.rpcrdma4j.verbs;

import java.net.InetAddress;

/** Something that happened to a device as a whole. */
public sealed interface DeviceEvent {

    /** The device is going away: every connection on it is being torn down and must be closed by its owner. */
    record Removed(String reason) implements DeviceEvent {}

    /** An address of the device came, went or changed; listeners bound to {@code address} may have to be made again. */
    record AddressChanged(InetAddress address) implements DeviceEvent {}
}
