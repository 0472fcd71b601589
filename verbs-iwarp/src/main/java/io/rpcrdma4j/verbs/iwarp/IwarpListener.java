package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.ConnectRequestHandler;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening socket, and the count of what came through it.
 *
 * <p><b>Threading:</b> sockets are accepted on the device's first event thread; the counts have a lock.
 */
final class IwarpListener implements Listener, EventLoop.Ready, EventLoop.Timed {

    private static final Logger LOG = LoggerFactory.getLogger(IwarpListener.class);

    /** After a failed accept (no descriptors left, say), the next try. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Sockets accepted at a time, before the thread's other work. */
    private static final int BATCH = 64;

    private static final long START_SECONDS = 10;

    private final IwarpDevice device;
    private final EventLoop loop;
    private final ServerSocketChannel channel;
    private final InetSocketAddress address;
    private final ListenOptions options;
    private final ConnectRequestHandler handler;
    private final Map<InetAddress, Integer> perAddress = new HashMap<>();
    private final Set<IwarpConnection> halfOpen = new HashSet<>();
    private final Set<IwarpConnection> all = new HashSet<>();
    private @Nullable SelectionKey key;
    private boolean isPaused;
    private volatile boolean isClosed;

    private IwarpListener(
            IwarpDevice device,
            EventLoop loop,
            ServerSocketChannel channel,
            ListenOptions options,
            ConnectRequestHandler handler)
            throws IOException {
        this.device = device;
        this.loop = loop;
        this.channel = channel;
        this.address = (InetSocketAddress) channel.getLocalAddress();
        this.options = options;
        this.handler = handler;
    }

    static IwarpListener open(
            IwarpDevice device,
            EventLoop loop,
            InetSocketAddress address,
            ListenOptions options,
            ConnectRequestHandler handler)
            throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        IwarpListener listener;
        try {
            TcpTuning.prepare(channel, device.settings());
            channel.bind(address, options.backlog());
            TcpTuning.bound(channel, device.settings());
            listener = new IwarpListener(device, loop, channel, options, handler);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw new IOException("can't listen on " + address + ": " + e.getMessage(), e);
        }
        listener.start();
        return listener;
    }

    private void start() throws IOException {
        var started = new CompletableFuture<Boolean>();
        loop.execute(() -> {
            try {
                key = loop.register(channel, SelectionKey.OP_ACCEPT, this);
                started.complete(true);
            } catch (IOException e) {
                started.completeExceptionally(e);
            }
        });
        if (loop.isCurrent()) {
            return;
        }
        try {
            started.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new IOException("interrupted while starting to listen on " + address, e);
        } catch (ExecutionException | TimeoutException e) {
            close();
            throw new IOException("can't listen on " + address, e);
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void onReady(int operations) {
        for (int i = 0; i < BATCH && !isClosed; i++) {
            SocketChannel accepted;
            try {
                accepted = channel.accept();
            } catch (IOException e) {
                if (!isClosed) {
                    pause(e);
                }
                return;
            }
            if (accepted == null) {
                return;
            }
            admit(accepted);
        }
    }

    private void pause(IOException cause) {
        if (!isPaused) {
            LOG.warn("{}: accepting connections failed, trying again: {}", this, cause.getMessage());
        }
        isPaused = true;
        interest(0);
        loop.schedule(System.nanoTime() + PAUSE_NANOS, this);
    }

    @Override
    public void onTimer(long now) {
        interest(SelectionKey.OP_ACCEPT);
    }

    private void interest(int operations) {
        SelectionKey k = key;
        try {
            if (k != null) {
                k.interestOps(operations);
            }
        } catch (CancelledKeyException e) {
            LOG.trace("{}: closed", this);
        }
    }

    private void admit(SocketChannel accepted) {
        isPaused = false;
        PassiveConnection connection = null;
        try {
            TcpTuning.prepare(accepted, device.settings());
            TcpTuning.connected(accepted, device.settings(), address);
            connection = new PassiveConnection(device, device.nextLoop(), accepted, this);
            boolean isAdmitted = options.admit().test(connection.remoteAddress().getAddress());
            String refusal = isAdmitted ? enter(connection) : "its address is not admitted";
            if (refusal == null) {
                connection.awaitRequest(options.handshakeTimeout().toNanos());
                return;
            }
            LOG.info("{}: refused: {}", connection, refusal);
        } catch (IOException e) {
            LOG.debug("{}: a connection broke before it began: {}", this, e.getMessage());
        }
        if (connection != null) {
            gone(connection);
        }
        try {
            accepted.close();
        } catch (IOException e) {
            LOG.debug("{}: closing a refused connection failed: {}", this, e.getMessage());
        }
    }

    private synchronized @Nullable String enter(IwarpConnection connection) {
        InetAddress from = connection.remoteAddress().getAddress();
        if (isClosed) {
            return "not listening any more";
        }
        if (all.size() >= options.connectionsMax()) {
            return "more than " + options.connectionsMax() + " connections";
        }
        if (halfOpen.size() >= options.halfOpenMax()) {
            return "more than " + options.halfOpenMax() + " handshakes at a time";
        }
        int ofAddress = perAddress.getOrDefault(from, 0);
        if (ofAddress >= options.connectionsPerAddressMax()) {
            return "more than " + options.connectionsPerAddressMax() + " connections of its address";
        }
        perAddress.put(from, ofAddress + 1);
        halfOpen.add(connection);
        all.add(connection);
        return null;
    }

    /** The request of {@code connection} is there. */
    void requested(IwarpConnection connection) {
        try {
            handler.onConnectRequest(connection);
        } catch (RuntimeException e) {
            LOG.error("{}: the connect-request handler failed; rejected", connection, e);
            connection.reject(new byte[0]);
        }
    }

    /** The request of {@code connection} was accepted. */
    synchronized void answered(IwarpConnection connection) {
        halfOpen.remove(connection);
    }

    /** {@code connection} has given its socket up. */
    synchronized void gone(IwarpConnection connection) {
        halfOpen.remove(connection);
        if (all.remove(connection)) {
            perAddress.computeIfPresent(
                    connection.remoteAddress().getAddress(), (address, count) -> count == 1 ? null : count - 1);
        }
    }

    @Override
    public void close() {
        IwarpConnection[] unfinished;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            unfinished = halfOpen.toArray(new IwarpConnection[0]);
        }
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("{}: closing failed: {}", this, e.getMessage());
        }
        loop.dropCancelled();
        for (IwarpConnection each : unfinished) {
            each.abort("the listener was closed");
        }
        device.forget(this);
    }

    @Override
    public String toString() {
        return "listening on " + address;
    }
}
