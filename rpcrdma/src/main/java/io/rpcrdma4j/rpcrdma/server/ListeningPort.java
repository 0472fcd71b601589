package io.rpcrdma4j.rpcrdma.server;

import io.rpcrdma4j.rpcrdma.TracePoint;
import io.rpcrdma4j.rpcrdma.TransportEvents;
import io.rpcrdma4j.verbs.ConnectRequestHandler;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceEvent;
import io.rpcrdma4j.verbs.DeviceEventListener;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port that a server listens on. When the device says that the address has changed, it is listened on anew; when
 * that fails, the log says so, and the next such event is the next chance.
 *
 * <p><b>Threading:</b> any thread; events come on a thread of the device.
 */
final class ListeningPort implements DeviceEventListener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ListeningPort.class);

    private final Device device;
    private final InetSocketAddress address;
    private final ListenOptions options;
    private final ConnectRequestHandler handler;
    private final TransportEvents events;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Listener listener;
    private boolean closed;

    private ListeningPort(
            Device device,
            Listener listener,
            ListenOptions options,
            ConnectRequestHandler handler,
            TransportEvents events) {
        this.device = device;
        this.address = listener.address();
        this.options = options;
        this.handler = handler;
        this.events = events;
        this.listener = listener;
    }

    /**
     * Starts to listen.
     *
     * @throws IOException if the address can't be bound; the text has the address and the cause
     */
    static ListeningPort open(
            Device device,
            InetSocketAddress address,
            ListenOptions options,
            ConnectRequestHandler handler,
            TransportEvents events)
            throws IOException {
        Listener first = device.listen(address, options, handler);
        var port = new ListeningPort(device, first, options, handler, events);
        device.addEventListener(port);
        return port;
    }

    /** The address with the real port. */
    InetSocketAddress address() {
        return address;
    }

    /** Whether connections can come. */
    boolean isListening() {
        lock.lock();
        try {
            return listener != null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onEvent(Device source, DeviceEvent event) {
        switch (event) {
            case DeviceEvent.Removed removed -> {
                events.on(TracePoint.DEVICE_REMOVAL, 0, 0, 0, 0);
                LOG.warn("Device {} was removed: {}", device.attributes().name(), removed.reason());
                takeListener(false);
            }
            case DeviceEvent.AddressChanged changed -> {
                if (address.getAddress().isAnyLocalAddress()
                        || address.getAddress().equals(changed.address())) {
                    listenAgain();
                }
            }
        }
    }

    private void listenAgain() {
        Listener old = takeListener(false);
        if (old != null) {
            // The address is free for the new one only then.
            old.close();
        }
        Listener renewed;
        try {
            renewed = device.listen(address, options, handler);
        } catch (IOException e) {
            LOG.error("No longer listening on {}, whose address has changed: {}", address, e.getMessage());
            return;
        }
        boolean unwanted;
        lock.lock();
        try {
            unwanted = closed || listener != null;
            if (!unwanted) {
                listener = renewed;
            }
        } finally {
            lock.unlock();
        }
        if (unwanted) {
            renewed.close();
        } else {
            LOG.info("Listening on {} again after its address has changed", address);
        }
    }

    private @Nullable Listener takeListener(boolean forGood) {
        lock.lock();
        try {
            Listener taken = listener;
            listener = null;
            closed |= forGood;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Stops listening. Idempotent. */
    @Override
    public void close() {
        device.removeEventListener(this);
        Listener last = takeListener(true);
        if (last != null) {
            last.close();
        }
    }
}
