package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.CreateResult;
import io.rpcrdma4j.nfs.wire.DirOpArgs;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.FsinfoResult;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.TimeChange;
import io.rpcrdma4j.rpc.RpcClientTransport;
import io.rpcrdma4j.rpc.Timers;
import java.io.IOException;
import java.net.InetAddress;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An export of an NFS server, mounted: its files, by their paths.
 *
 * <h2>Operation</h2>
 *
 * {@link #connect}, any of the methods, {@link #close}. Paths are those of the server's URLs, from its root on.
 * Relative symbolic links are followed, as far as they stay inside the export; absolute ones are paths of somebody
 * else's machine and are refused.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns its transports. Readers and writers are closed before it is.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread. All methods block.
 *
 * <h2>Errors</h2>
 *
 * {@link NfsException} for what the server refused, {@link io.rpcrdma4j.rpc.RpcException} for a call that got no answer
 * in its time, both with the file's URL in their text.
 */
public final class NfsMount implements AutoCloseable {
    private final NfsUrl url;
    private final Mounter mounter;
    private final RpcClientTransport transport;
    private final Nfs3Client client;
    private final NfsPath export;
    private final PathWalk walk;
    private final FsinfoResult.Figures figures;

    private NfsMount(
            NfsUrl url, Mounter mounter, Nfs3Client client, Mounter.Mounted mounted, FsinfoResult.Figures figures) {
        this.url = url;
        this.mounter = mounter;
        this.transport = client.transport();
        this.client = client;
        this.export = mounted.path();
        this.walk = new PathWalk(client, url, mounted);
        this.figures = figures;
    }

    /**
     * Connects to a server and mounts the export that the URL's path lies in. Nothing is sent again here: a server that
     * is not there is noticed at once.
     *
     * @param url where
     * @param nfs makes the transport for NFS
     * @param tcp makes the transport for MOUNT and the port mapper
     * @param options how to call
     * @param timers the clock of pauses and deadlines
     */
    public static NfsMount connect(
            NfsUrl url, TransportFactory nfs, TransportFactory tcp, NfsClientOptions options, Timers timers)
            throws IOException {
        InetAddress host = url.resolveHost();
        String where = url.toString();
        RpcClientTransport transport = nfs.open(url.at(host));
        Mounter mounter = new Mounter(url, host, tcp, options);
        boolean done = false;
        try {
            Nfs3Client client = new Nfs3Client(transport, options, timers);
            client.await(where, client.nullCall());
            Mounter.Mounted mounted = mounter.mount();
            FsinfoResult.Figures figures = client.await(where, client.fsinfo(mounted.handle()));
            if (figures.readMax() == 0 || figures.writeMax() == 0) {
                throw new IOException(where + ": the server says that it takes no READ or WRITE of any size");
            }
            NfsMount mount = new NfsMount(url, mounter, client, mounted, figures);
            done = true;
            return mount;
        } finally {
            if (!done) {
                mounter.close();
                transport.close();
            }
        }
    }

    /** Where the export is on the server. */
    public NfsPath export() {
        return export;
    }

    /** Whether a URL's file is in this export. */
    public boolean covers(NfsUrl other) {
        return url.isSameServer(other) && other.path().startsWith(export);
    }

    /** The procedures themselves. */
    public Nfs3Client client() {
        return client;
    }

    /** What the server supports. */
    public FsinfoResult.Figures figures() {
        return figures;
    }

    /** The URL of a path, as messages show it. */
    public String where(NfsPath path) {
        return url.withPath(path).toString();
    }

    /** Looks a path up and follows symbolic links. */
    public NfsFile find(NfsPath path) throws IOException {
        return walk.find(path, true);
    }

    /** Looks a path up; if its last name is a symbolic link, that is what is returned. */
    public NfsFile findLink(NfsPath path) throws IOException {
        return walk.find(path, false);
    }

    /** The text of a symbolic link in printable form. */
    public String readLink(NfsPath path) throws IOException {
        return walk.readLink(findLink(path), path);
    }

    /**
     * Lists a directory, without {@code .} and {@code ..}, in the server's order.
     *
     * @param withFiles whether entries should say what they are
     * @param entries told every name
     */
    public void list(NfsPath path, boolean withFiles, Consumer<NfsEntry> entries) throws IOException {
        new DirectoryListing(client, find(path).handle(), where(path), figures.directoryPreferred())
                .run(withFiles, entries);
    }

    /** Starts to read a regular file from its start. */
    public NfsReader read(NfsPath path) throws IOException {
        NfsFile file = find(path);
        requireRegular(file, path);
        return new NfsReader(
                client, file.handle(), where(path), 0, file.attributes().size(), transferMax(figures.readMax()));
    }

    /**
     * Starts to write a file from its start: makes it, or empties one that is there.
     *
     * @param mode permission bits of a new file
     * @param source gives data again that a restart of the server lost, or null
     */
    public NfsWriter write(NfsPath path, int mode, NfsWriter.@Nullable Source source) throws IOException {
        Sattr3 attributes = new Sattr3(
                OptionalInt.of(mode),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.of(0),
                TimeChange.Preset.KEEP,
                TimeChange.Preset.KEEP);
        DirOpArgs place = place(path);
        CreateResult created = client.await(where(path), client.create(place, new CreateHow.Unchecked(attributes)));
        FileHandle handle = created.object().isEmpty() ? findLink(path).handle() : created.object();
        return new NfsWriter(client, handle, where(path), 0, transferMax(figures.writeMax()), source);
    }

    /** Makes a directory with the permission bits {@code mode}. */
    public void makeDirectory(NfsPath path, int mode) throws IOException {
        done(path, client.mkdir(place(path), Sattr3.ofMode(mode)));
    }

    /** Removes a name that is not a directory's. */
    public void remove(NfsPath path) throws IOException {
        done(path, client.remove(place(path)));
    }

    /** Removes an empty directory. */
    public void removeDirectory(NfsPath path) throws IOException {
        done(path, client.rmdir(place(path)));
    }

    /** Gives a file or directory another name in the same export, and replaces what had that name. */
    public void rename(NfsPath from, NfsPath to) throws IOException {
        String both = where(from) + " to " + where(to);
        client.await(both, client.rename(place(from), place(to)));
    }

    /** Unmounts, ends all calls, and closes the connections. Idempotent. */
    @Override
    public void close() {
        mounter.close();
        transport.close();
    }

    private int transferMax(long served) {
        return (int) Math.min(served, client.options().transferBytesMax());
    }

    private void done(NfsPath path, CompletableFuture<?> call) throws IOException {
        client.await(where(path), call);
    }

    private DirOpArgs place(NfsPath path) throws IOException {
        if (path.nameCount() <= export.nameCount()) {
            throw new IOException(where(path) + ": this is the export itself, which can't be made, removed or renamed");
        }
        FileName name = path.lastName();
        return new DirOpArgs(walk.find(path.parent(), true).handle(), name);
    }

    private void requireRegular(NfsFile file, NfsPath path) throws IOException {
        if (file.isDirectory()) {
            throw new NfsException(where(path), NfsStatus.NFS3ERR_ISDIR);
        }
        if (!file.isRegular()) {
            throw new IOException(where(path) + ": not a regular file");
        }
    }
}
