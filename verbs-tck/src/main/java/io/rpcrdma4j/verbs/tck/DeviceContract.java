package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceAttributes;
import io.rpcrdma4j.verbs.DeviceEvent;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.ProtectionDomain;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The device as a whole: what it says of itself, how it is closed, how it goes away. */
abstract class DeviceContract extends VerbsContract {

    @Test
    void attributesAreUsable() throws IOException {
        DeviceAttributes attributes = openDevice().attributes();
        assertThat(attributes.name()).isNotEmpty();
        assertThat(attributes.sendQueueDepthMax()).isGreaterThanOrEqualTo(1024);
        assertThat(attributes.receiveQueueDepthMax()).isGreaterThanOrEqualTo(1024);
        assertThat(attributes.completionQueueDepthMax()).isGreaterThanOrEqualTo(4096);
        assertThat(attributes.segmentsPerRequestMax()).isGreaterThanOrEqualTo(4);
        assertThat(attributes.segmentsPerReadMax()).isPositive();
        assertThat(attributes.inlineBytesMax()).isNotNegative();
        assertThat(attributes.regionBytesMax()).isGreaterThanOrEqualTo(1L << 30);
        assertThat(attributes.inboundReadsMax()).isPositive();
        assertThat(attributes.outboundReadsMax()).isPositive();
        assertThat(attributes.completionVectors()).isEqualTo(1);
    }

    @Test
    void unknownPropertiesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        openDevice(DeviceOptions.defaults().withProperties(Map.of("there-is-no-such-property", "1"))));
    }

    @Test
    void devicesAreIndependent() throws IOException {
        Device one = openDevice();
        Device other = openDevice();
        ProtectionDomain domain = one.allocateProtectionDomain();
        var region = domain.allocate(1000, Access.LOCAL_WRITE);
        assertThat(other.registeredBytes()).isZero();
        other.close();
        region.close();
        domain.allocate(10, Access.LOCAL_WRITE).close();
        domain.close();
    }

    @Test
    void aClosedDeviceMakesNothing() throws IOException {
        Device device = openDevice();
        ProtectionDomain domain = device.allocateProtectionDomain();
        device.close();
        device.close();
        assertThatExceptionOfType(IOException.class).isThrownBy(device::allocateProtectionDomain);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> device.createCompletionQueue(1, 0, queue -> {}));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> device.listen(fixture.listenAddress(), ListenOptions.defaults(), Connection::close));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> device.createConnection(fixture.listenAddress(), (c, event) -> {}));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> domain.allocate(10, Access.LOCAL_WRITE));
    }

    @Test
    void closingADeviceWithEverythingOpenFreesAllAndTellsThePeer() throws IOException {
        Device server = openDevice();
        Link link = connect(openDevice(), server, new EndSpec(), new EndSpec());
        exchange(link);
        link.passive().expose(0, 100, Access.REMOTE_READ);
        activeEnd(server, link.active().connection.remoteAddress(), new EndSpec());
        link.active().post(link.active().send(1, 0, 10));
        server.close();
        assertThat(server.registeredBytes()).isZero();
        awaitDisconnected(link.active());
        // What was made from it may still be closed, to no effect: the end of this test does so.
    }

    @Test
    void closingADeviceEndsAttemptsToConnectToIt() throws IOException {
        Device server = openDevice();
        var requests = new ConcurrentLinkedQueue<Connection>();
        var listener = server.listen(fixture.listenAddress(), ListenOptions.defaults(), requests::add);
        End end = activeEnd(openDevice(), listener.address(), new EndSpec());
        end.connection.connect(end.spec.parameters());
        await("the request", () -> !requests.isEmpty());
        server.close();
        await("an end", () -> !end.events.isEmpty());
        assertThat(end.events.peek()).isInstanceOfAny(ConnectionEvent.Failed.class, ConnectionEvent.Rejected.class);
    }

    /** B42. */
    @Test
    void aRemovedDeviceSaysSoTearsItsConnectionsDownAndMakesNothing() throws IOException {
        require(Capability.DEVICE_REMOVAL);
        Link link = connect();
        exchange(link);
        Device device = link.passive().device;
        var events = new ConcurrentLinkedQueue<DeviceEvent>();
        device.addEventListener((source, event) -> events.add(event));
        fixture.removeDevice(device);
        await("Removed", () -> events.stream().anyMatch(DeviceEvent.Removed.class::isInstance));
        assertThat(awaitDisconnected(link.passive()).orderly()).isFalse();
        awaitDisconnected(link.active());
        nextReceived(link.passive(), 15).forEach(done -> done.flushed(io.rpcrdma4j.verbs.Opcode.RECEIVE));
        assertThatExceptionOfType(IOException.class).isThrownBy(device::allocateProtectionDomain);
        assertThat(events).hasSize(1);
    }

    @Test
    void aRemovedListenerHearsNothing() throws IOException {
        require(Capability.DEVICE_REMOVAL);
        Device device = openDevice();
        var events = new ConcurrentLinkedQueue<DeviceEvent>();
        io.rpcrdma4j.verbs.DeviceEventListener listener = (source, event) -> events.add(event);
        device.addEventListener(listener);
        device.removeEventListener(listener);
        fixture.removeDevice(device);
        assertThat(events).isEmpty();
    }
}
