package io.rpcrdma4j;

import io.rpcrdma4j.nfs.client.HostPort;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.server.AddressFilter;
import io.rpcrdma4j.nfs.server.NfsService;
import io.rpcrdma4j.nfs.server.StateDirectory;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.tcp.TcpServer;
import io.rpcrdma4j.rpcrdma.TransportEvents;
import io.rpcrdma4j.rpcrdma.TransportOptions;
import io.rpcrdma4j.rpcrdma.server.RdmaRpcServer;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.ListenOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory served by NFS version 3 over RDMA, with MOUNT on TCP beside it.
 *
 * <h2>Operation</h2>
 *
 * {@link #serve}, settings, {@link Builder#start}; {@link #close}. The directory is exported as {@code /}. All clients
 * act as the user of this process.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns a verbs device with everything that is registered on it.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread. Calls are served on virtual threads, since storage may block.
 *
 * <h2>Errors</h2>
 *
 * What a client does wrong ends in an answer or in the end of its connection, and one line in the log.
 */
public final class NfsServer implements AutoCloseable {
    /** The port of MOUNT if none is given: the one that IANA has for it. */
    public static final int DEFAULT_MOUNT_PORT = 20_048;

    private static final Logger LOG = LoggerFactory.getLogger(NfsServer.class);
    private static final long DRAIN_SECONDS = 5;

    private final Parts parts;
    private final RdmaRpcServer rdma;
    private final TcpServer mount;

    private NfsServer(Parts parts, RdmaRpcServer rdma, TcpServer mount) {
        this.parts = parts;
        this.rdma = rdma;
        this.mount = mount;
    }

    /** Starts to set up a server of a directory. */
    public static Builder serve(Path directory) {
        return new Builder(directory);
    }

    /** Where NFS is served over RDMA, with the real port. */
    public InetSocketAddress rdmaAddress() {
        return rdma.address();
    }

    /** Where MOUNT is served over TCP, with the real port. */
    public InetSocketAddress mountAddress() {
        return mount.localAddress();
    }

    /** The URL of the exported directory, for {@link NfsClient#connect}. */
    public String url() {
        InetSocketAddress address = rdmaAddress();
        InetAddress host = address.getAddress();
        String name = host.isAnyLocalAddress() ? "localhost" : host.getHostAddress();
        return "nfs://" + HostPort.bracketed(name) + ":" + address.getPort() + "/?mountport="
                + mountAddress().getPort();
    }

    /** RDMA connections that exist now (gauge). */
    public int connections() {
        return rdma.connections();
    }

    /** Pieces of registered memory that connections and calls hold now (gauge). */
    public long buffersOutstanding() {
        return rdma.buffersOutstanding();
    }

    /** Takes no new connections, lets calls that are under way end, for a few seconds, and ends. Idempotent. */
    @Override
    public void close() {
        parts.close();
    }

    /** What was opened, to be closed in reverse order. Used by one thread at a time. */
    private static final class Parts implements AutoCloseable {
        private final ArrayDeque<AutoCloseable> opened = new ArrayDeque<>();

        private <T extends AutoCloseable> T add(T part) {
            opened.addFirst(part);
            return part;
        }

        @Override
        public synchronized void close() {
            for (AutoCloseable part = opened.pollFirst(); part != null; part = opened.pollFirst()) {
                try {
                    part.close();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (Exception e) {
                    LOG.warn("Closing the server: {}", e.getMessage());
                    LOG.debug("Where it failed", e);
                }
            }
        }
    }

    /** Sets up a server. */
    public static final class Builder {
        private final Path directory;
        private final RdmaDevice device = new RdmaDevice();
        private InetAddress address = InetAddress.ofLiteral("127.0.0.1");
        private int port = NfsUrl.DEFAULT_PORT;
        private int mountPort = DEFAULT_MOUNT_PORT;
        private AddressFilter allowed = AddressFilter.LOOPBACK;
        private boolean readOnly;
        private @Nullable Path state;

        private Builder(Path directory) {
            this.directory = directory;
        }

        /** The address to listen on; 127.0.0.1 unless set. */
        public Builder listen(InetAddress local) {
            address = local;
            return this;
        }

        /** The port of NFS; 20049 unless set, 0 for any that is free. */
        public Builder port(int number) {
            port = number;
            return this;
        }

        /** The port of MOUNT; 20048 unless set, 0 for any that is free. */
        public Builder mountPort(int number) {
            mountPort = number;
            return this;
        }

        /** Who may connect and mount; this machine only, unless set. */
        public Builder allow(AddressFilter clients) {
            allowed = clients;
            return this;
        }

        /** Whether all changes are refused; off unless set. */
        public Builder readOnly(boolean on) {
            readOnly = on;
            return this;
        }

        /**
         * Where the server keeps what must survive its restart: the key of its file handles, and which file is where.
         * Not inside what is served, and used by one server at a time. {@link StateFolder#of} unless set.
         */
        public Builder stateDirectory(Path folder) {
            state = folder;
            return this;
        }

        /** Whether to ask for a checksum in every frame; on unless set. A client that asks for it gets it. */
        public Builder crc(boolean on) {
            device.crc(on);
            return this;
        }

        /** The verbs provider to use, by name; {@code iwarp} unless set. */
        public Builder provider(String name) {
            device.provider(name);
            return this;
        }

        /** Number of event threads; 1 unless set. */
        public Builder eventThreads(int count) {
            device.eventThreads(count);
            return this;
        }

        /**
         * Starts to serve.
         *
         * @throws IOException if an address cannot be bound, or the directory or the state directory cannot be used;
         *     the text says which and why
         */
        public NfsServer start() throws IOException {
            Parts parts = new Parts();
            boolean done = false;
            try {
                NfsServer server = start(parts);
                done = true;
                return server;
            } finally {
                if (!done) {
                    parts.close();
                }
            }
        }

        private NfsServer start(Parts parts) throws IOException {
            Path folder = state == null ? StateFolder.of(directory) : state;
            StateDirectory kept = parts.add(StateDirectory.open(folder));
            NfsService service = parts.add(
                    NfsService.builder(directory, kept).readOnly(readOnly).open());
            ExecutorService executor = Executors.newThreadPerTaskExecutor(
                    Thread.ofVirtual().name("nfs-", 0).factory());
            parts.add(() -> end(executor));
            TcpServer mount = parts.add(TcpServer.builder(RpcDispatcher.builder()
                            .program(service.mount(allowed))
                            .executor(executor)
                            .build())
                    .address(new InetSocketAddress(address, mountPort))
                    .admission(allowed)
                    .start());
            Device open = parts.add(device.open());
            RdmaRpcServer rdma = parts.add(RdmaRpcServer.open(
                    open,
                    new InetSocketAddress(address, port),
                    ListenOptions.defaults().withAdmit(allowed),
                    RpcDispatcher.builder()
                            .program(service.nfs())
                            .executor(executor)
                            .build(),
                    TransportOptions.defaults(),
                    TransportEvents.NONE));
            return new NfsServer(parts, rdma, mount);
        }

        private static void end(ExecutorService executor) throws InterruptedException {
            executor.shutdown();
            if (!executor.awaitTermination(DRAIN_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("Calls are still being served after {} seconds", DRAIN_SECONDS);
                executor.shutdownNow();
            }
        }
    }
}
