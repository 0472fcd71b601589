package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.ExportList;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.Mount3;
import io.rpcrdma4j.nfs.wire.MountPath;
import io.rpcrdma4j.nfs.wire.MountResult;
import io.rpcrdma4j.rpc.RpcClientTransport;
import io.rpcrdma4j.rpc.RpcConstants;
import io.rpcrdma4j.rpc.RpcException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the export that a URL's path lies in, and mounts it (RFC 1813 §5).
 *
 * <p>Without a port in the URL the server's port mapper is asked; if there is none, or MOUNT is not registered, the
 * port that is registered for it with IANA is tried. Used by one thread.
 */
final class Mounter implements AutoCloseable {
    /** The port that IANA has for mountd. */
    static final int DEFAULT_MOUNT_PORT = 20_048;

    private static final Logger LOG = LoggerFactory.getLogger(Mounter.class);
    private static final Duration UNMOUNT_TIME = Duration.ofSeconds(1);

    private final NfsUrl url;
    private final String where;
    private final TransportFactory tcp;
    private final NfsClientOptions options;
    private final InetAddress host;
    private @Nullable RpcClientTransport transport;
    private @Nullable MountPath mounted;

    /**
     * A directory that is mounted.
     *
     * @param path where it is on the server
     * @param handle its handle
     */
    record Mounted(NfsPath path, FileHandle handle) {}

    /** What a server calls an export, and which path that is. */
    private record Candidate(NfsPath path, MountPath text) {}

    Mounter(NfsUrl url, InetAddress host, TransportFactory tcp, NfsClientOptions options) {
        this.url = url;
        this.where = url.toString();
        this.host = host;
        this.tcp = tcp;
        this.options = options;
    }

    /** Mounts the export that the URL's path lies in. */
    Mounted mount() throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, url.mountPort() > 0 ? url.mountPort() : askForPort());
        RpcClientTransport open = tcp.open(address);
        transport = open;
        MountClient client = new MountClient(open, options);
        MountException refused = null;
        for (Candidate candidate : candidates(client)) {
            MountResult result = await(client.mount(candidate.text));
            if (result.status().isOk()) {
                requireFlavor(result);
                mounted = candidate.text;
                return new Mounted(candidate.path, result.directory());
            }
            refused = new MountException(url.withPath(candidate.path).toString(), result.status());
        }
        throw refused != null ? refused : new IOException(where + ": there is nothing to mount");
    }

    /** Says that the directory is not used any more, if the server cares to listen, and ends the connection. */
    @Override
    public void close() {
        RpcClientTransport open = transport;
        if (open == null) {
            return;
        }
        transport = null;
        MountPath path = mounted;
        if (path != null && open.isConnected()) {
            try {
                Calls.await(
                        where, new MountClient(open, options.withTimeout(UNMOUNT_TIME)).unmount(path), UNMOUNT_TIME);
            } catch (IOException e) {
                LOG.debug("{}: not unmounted: {}", where, e.getMessage());
            }
        }
        open.close();
    }

    private int askForPort() throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, PortMapper.PORT);
        try (RpcClientTransport mapper = tcp.open(address)) {
            int port = Calls.await(
                    where,
                    PortMapper.getPort(mapper, Mount3.PROGRAM, Mount3.VERSION, options.timeout()),
                    options.timeout());
            if (port > 0) {
                return port;
            }
            LOG.debug("{}: MOUNT version 3 is not registered with the port mapper", where);
        } catch (RpcException e) {
            LOG.debug("{}: the port mapper does not answer: {}", where, e.getMessage());
        }
        return DEFAULT_MOUNT_PORT;
    }

    /**
     * The exports that the path lies in, the deepest first. A server that does not list any is asked for all parents.
     */
    private List<Candidate> candidates(MountClient client) throws IOException {
        List<Candidate> all = exports(client);
        List<Candidate> above = all.stream()
                .filter(export -> url.path().startsWith(export.path))
                .sorted(Comparator.comparingInt((Candidate export) -> export.path.nameCount())
                        .reversed())
                .toList();
        if (!above.isEmpty()) {
            return above;
        }
        if (!all.isEmpty()) {
            throw new IOException(where + ": not in an export; the server exports "
                    + all.stream().map(export -> export.path.toString()).collect(Collectors.joining(", ")));
        }
        List<Candidate> parents = new ArrayList<>();
        for (NfsPath path = url.path(); ; path = path.parent()) {
            parents.addFirst(new Candidate(path, text(path)));
            if (path.isRoot()) {
                return parents;
            }
        }
    }

    private List<Candidate> exports(MountClient client) throws IOException {
        ExportList list;
        try {
            list = await(client.exports());
        } catch (RpcException e) {
            if (e.kind() != RpcException.Kind.NOT_EXECUTED) {
                throw e;
            }
            return List.of();
        }
        return list.entries().stream()
                .map(ExportList.Entry::directory)
                .map(directory -> new Candidate(path(directory), directory))
                .toList();
    }

    private static NfsPath path(MountPath directory) {
        NfsPath path = NfsPath.ROOT;
        for (var name : directory.names()) {
            path = path.child(name);
        }
        return path;
    }

    private static MountPath text(NfsPath path) {
        StringBuilder text = new StringBuilder(path.isRoot() ? "/" : "");
        for (int i = 0; i < path.nameCount(); i++) {
            text.append('/').append(new String(path.name(i).toByteArray(), StandardCharsets.UTF_8));
        }
        return MountPath.of(text.toString());
    }

    private void requireFlavor(MountResult result) throws IOException {
        List<Integer> flavors = result.flavors();
        if (!flavors.isEmpty()
                && !flavors.contains(RpcConstants.AUTH_SYS)
                && !flavors.contains(RpcConstants.AUTH_NONE)) {
            throw new IOException(where + ": the export wants one of the security flavors " + flavors
                    + "; this client has AUTH_SYS (1) only");
        }
    }

    private <T> T await(CompletableFuture<T> call) throws IOException {
        try {
            return Calls.await(where, call, options.timeout());
        } catch (RpcException e) {
            String text = where + ": MOUNT: " + Calls.reason(e)
                    + (url.mountPort() > 0 ? "" : "; if MOUNT is elsewhere, say where with ?mountport=N");
            throw new RpcException(e.kind(), text, e);
        }
    }
}
