package io.rpcrdma4j;

import io.rpcrdma4j.nfs.client.NfsClientOptions;
import io.rpcrdma4j.nfs.client.NfsEntry;
import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsPath;
import io.rpcrdma4j.nfs.client.NfsReader;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.client.NfsWriter;
import io.rpcrdma4j.nfs.client.Transfers;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.verbs.Device;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Files of an NFS server, read and written over RDMA.
 *
 * <h2>Operation</h2>
 *
 * {@link #connect} (or {@link #builder}), any of the methods, {@link #close}. Paths are below the path of the URL. What
 * is not here is to be had from {@link #mount()}.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns a verbs device with everything that is registered on it.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread. All methods block.
 *
 * <h2>Errors</h2>
 *
 * {@link io.rpcrdma4j.nfs.client.NfsException} for what the server refused, {@link io.rpcrdma4j.rpc.RpcException} for a
 * call that got no answer in its time; both are {@link IOException} and name the file.
 */
public final class NfsClient implements AutoCloseable {
    private static final int NEW_FILE_MODE = 0644;
    private static final int NEW_DIRECTORY_MODE = 0755;

    private final Device device;
    private final NfsMount mount;
    private final NfsUrl url;

    private NfsClient(Device device, NfsMount mount, NfsUrl url) {
        this.device = device;
        this.mount = mount;
        this.url = url;
    }

    /**
     * Connects with default settings.
     *
     * @param url {@code nfs://HOST[:PORT]/PATH[?mountport=N]}
     * @throws IllegalArgumentException if it has not that form
     */
    public static NfsClient connect(String url) throws IOException {
        return builder(url).connect();
    }

    /**
     * Starts to set up a client.
     *
     * @param url {@code nfs://HOST[:PORT]/PATH[?mountport=N]}
     * @throws IllegalArgumentException if it has not that form
     */
    public static Builder builder(String url) {
        return builder(NfsUrl.parse(url));
    }

    /** Starts to set up a client. */
    public static Builder builder(NfsUrl url) {
        return new Builder(url);
    }

    /** The export that is mounted, for everything that is not here. */
    public NfsMount mount() {
        return mount;
    }

    /** The server's path of a path below the URL's. */
    public NfsPath path(String below) {
        return url.path().resolve(NfsPath.of(below));
    }

    /** The content of a file. */
    public byte[] readAllBytes(String path) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (NfsReader reader = mount.read(path(path))) {
            Transfers.read(reader, Channels.newChannel(bytes), Transfers.Observer.NONE);
        }
        return bytes.toByteArray();
    }

    /** The content of a file, as UTF-8. */
    public String readString(String path) throws IOException {
        return new String(readAllBytes(path), StandardCharsets.UTF_8);
    }

    /** Makes or replaces a file; when it returns the bytes are on the server's stable storage. */
    public void write(String path, byte[] bytes) throws IOException {
        try (NfsWriter writer = mount.write(path(path), NEW_FILE_MODE, null)) {
            Transfers.write(Channels.newChannel(new ByteArrayInputStream(bytes)), writer, Transfers.Observer.NONE);
        }
    }

    /**
     * Copies a file from the server.
     *
     * @param target made, or replaced
     * @return its length in bytes
     */
    public long download(String path, Path target) throws IOException {
        try (NfsReader reader = mount.read(path(path));
                FileChannel file = FileChannel.open(
                        target,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            return Transfers.read(reader, file, Transfers.Observer.NONE);
        }
    }

    /**
     * Copies a file to the server; when it returns the file is on the server's stable storage.
     *
     * @return its length in bytes
     */
    public long upload(Path source, String path) throws IOException {
        try (FileChannel file = FileChannel.open(source, StandardOpenOption.READ);
                NfsWriter writer = mount.write(path(path), NEW_FILE_MODE, Transfers.source(file))) {
            return Transfers.write(file, writer, Transfers.Observer.NONE);
        }
    }

    /** The names in a directory, in the server's order; see {@link NfsPath#printable} for names that are not text. */
    public List<String> list(String path) throws IOException {
        List<String> names = new ArrayList<>();
        mount.list(path(path), false, (NfsEntry entry) -> names.add(entry.toString()));
        return names;
    }

    /** Makes a directory. */
    public void createDirectory(String path) throws IOException {
        mount.makeDirectory(path(path), NEW_DIRECTORY_MODE);
    }

    /** Removes a file. */
    public void delete(String path) throws IOException {
        mount.remove(path(path));
    }

    /** Unmounts and gives everything back. Idempotent. */
    @Override
    public void close() {
        mount.close();
        device.close();
    }

    /** Sets up a client. */
    public static final class Builder {
        private final NfsUrl url;
        private final RdmaDevice device = new RdmaDevice();
        private NfsClientOptions options = NfsClientOptions.defaults();
        private int connections = 1;

        private Builder(NfsUrl url) {
            this.url = url;
        }

        /** Who calls, how long a call may take, and how much is under way at a time. */
        public Builder options(NfsClientOptions how) {
            options = how;
            return this;
        }

        /** Number of connections that calls are spread over: 1, unless set, to 64. */
        public Builder connections(int count) {
            if (count < 1 || count > 64) {
                throw new IllegalArgumentException("1 to 64 connections, not " + count);
            }
            connections = count;
            return this;
        }

        /** Whether to ask for a checksum in every frame; on unless set. If the server asks for it, there is one. */
        public Builder crc(boolean on) {
            device.crc(on);
            return this;
        }

        /** The verbs provider to use, by name; {@code iwarp} unless set. */
        public Builder provider(String name) {
            device.provider(name);
            return this;
        }

        /**
         * Connects and mounts.
         *
         * @throws IOException if that fails; the text names the URL and says why
         */
        public NfsClient connect() throws IOException {
            Device open = device.open();
            boolean done = false;
            try {
                NfsMount mount = NfsMount.connect(
                        url,
                        RdmaTransports.rdma(open, connections),
                        RdmaTransports.tcp(options.timeout()),
                        options,
                        Timers.system());
                done = true;
                return new NfsClient(open, mount, url);
            } finally {
                if (!done) {
                    open.close();
                }
            }
        }
    }
}
