package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.AddressText;
import io.rpcrdma4j.rpc.Timers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections for a {@link TcpClient}: resolves the name, tries its addresses in turn, and pauses after a
 * failure, twice as long each time.
 *
 * <p>Confined to the client's event loop, except for the look-up of names, which may block and has a thread of its own.
 */
final class TcpClientConnector implements EventLoop.Handler {
    private final TcpClient client;
    private final TcpClient.Settings settings;
    private final TcpClientEngine engine;
    private final ArrayDeque<InetSocketAddress> addresses = new ArrayDeque<>();

    private boolean busy;
    private boolean closed;
    private long backOffNanos;
    /** Counts attempts, so that what belongs to an earlier one is recognised. */
    private long attempt;

    private @Nullable SocketChannel socket;
    private @Nullable SelectionKey key;
    private Timers.@Nullable Cancellable timer;

    TcpClientConnector(TcpClient client, TcpClientEngine engine) {
        this.client = client;
        this.engine = engine;
        settings = client.settings;
    }

    /** Makes a connection, unless one is being made or a pause has to pass first. */
    void want() {
        if (busy || closed) {
            return;
        }
        busy = true;
        long current = ++attempt;
        timer = client.timers.schedule(settings.connectNanos(), () -> client.loop.execute(() -> onTimeout(current)));
        InetSocketAddress remote = settings.remote();
        if (remote.isUnresolved()) {
            Thread.ofVirtual().name("rpc-tcp-resolver").start(() -> resolve(remote, current));
        } else {
            addresses.clear();
            addresses.add(remote);
            tryNext(null);
        }
    }

    void close() {
        closed = true;
        abandon();
        cancelTimer();
    }

    private void resolve(InetSocketAddress remote, long current) {
        List<InetSocketAddress> found = new ArrayList<>();
        IOException[] failure = new IOException[1];
        try {
            for (InetAddress address : InetAddress.getAllByName(remote.getHostString())) {
                found.add(new InetSocketAddress(address, remote.getPort()));
            }
        } catch (UnknownHostException e) {
            failure[0] = e;
        }
        client.loop.execute(() -> {
            if (busy && current == attempt && !closed) {
                addresses.clear();
                addresses.addAll(found);
                tryNext(failure[0]);
            }
        });
    }

    /** Tries the next address; without any the attempt has failed, because of {@code last}. */
    private void tryNext(@Nullable Exception last) {
        Exception why = last;
        for (InetSocketAddress next = addresses.poll(); next != null; next = addresses.poll()) {
            try {
                SocketChannel channel = SocketChannel.open();
                socket = channel;
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
                if (channel.connect(next)) {
                    succeed();
                } else {
                    key = client.loop.register(channel, SelectionKey.OP_CONNECT, this);
                }
                return;
            } catch (IOException
                    | UnresolvedAddressException
                    | UnsupportedAddressTypeException
                    | ClosedSelectorException e) {
                why = e;
                abandon();
            }
        }
        fail(why == null ? "it has no address" : why.getMessage() == null ? why.toString() : why.getMessage(), why);
    }

    @Override
    public void onReady(int readyOps) {
        SocketChannel channel = socket;
        if (channel == null) {
            return;
        }
        try {
            if (channel.finishConnect()) {
                succeed();
            }
        } catch (IOException e) {
            abandon();
            tryNext(e);
        }
    }

    @Override
    public void onLoopEnd(String reason) {
        abandon();
    }

    @Override
    public String toString() {
        return "the connection to " + settings.remote() + " that is being made";
    }

    private void succeed() throws IOException {
        SocketChannel channel = socket;
        if (channel == null) {
            return;
        }
        TcpClientConnection connection = new TcpClientConnection(client, engine, channel);
        connection.register(key);
        socket = null;
        key = null;
        cancelTimer();
        busy = false;
        engine.onConnected(connection);
    }

    private void onTimeout(long current) {
        if (busy && current == attempt && !closed) {
            abandon();
            addresses.clear();
            fail("no answer in " + settings.connectNanos() / 1_000_000 + " ms", null);
        }
    }

    /** A byte came: the connection is good, and the next failure is a first one. */
    void onUseful() {
        backOffNanos = 0;
    }

    /** The connection was lost before a byte came: that counts as a failure to connect. */
    void onUseless(String reason, @Nullable Exception cause) {
        if (!busy && !closed) {
            busy = true;
            fail(reason, cause);
        }
    }

    private void fail(String reason, @Nullable Exception cause) {
        cancelTimer();
        long pause = Math.clamp(backOffNanos * 2, settings.backOffNanos(), settings.backOffMaxNanos());
        backOffNanos = pause;
        long current = ++attempt;
        timer = client.timers.schedule(pause, () -> client.loop.execute(() -> onPauseOver(current)));
        engine.onConnectFailed("cannot connect to " + AddressText.of(settings.remote()) + ": " + reason, cause);
    }

    private void onPauseOver(long current) {
        if (current == attempt && !closed) {
            busy = false;
            engine.pump();
        }
    }

    private void abandon() {
        SocketChannel channel = socket;
        socket = null;
        key = null;
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                TcpClient.LOG.debug("Closing a socket", e);
            }
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
