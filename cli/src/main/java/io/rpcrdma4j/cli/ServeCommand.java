package io.rpcrdma4j.cli;

import io.rpcrdma4j.NfsServer;
import io.rpcrdma4j.nfs.client.HostPort;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.server.AddressFilter;
import io.rpcrdma4j.rpc.AddressText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Serves a directory. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description = {
            "Serves a directory by NFS version 3 over RDMA, until SIGINT or SIGTERM ends it. It is exported as /.",
            "All clients act as the user that runs this. Set-id bits and device nodes are refused.",
            "When it is up it prints a line 'ready rdma=HOST:PORT mount=HOST:PORT export=/', and what to type on a"
                    + " Linux client."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  rpcrdma4j serve /srv/data",
            "  rpcrdma4j serve /srv/data --listen 0.0.0.0 --allow 192.168.1.0/24,10.1.2.3",
            "  rpcrdma4j serve /srv/data --read-only --port 0 --mount-port 0"
        })
final class ServeCommand implements Callable<Integer> {
    private static final int PORT_MAX = 65_535;
    private static final int EVENT_THREADS_MAX = 8;

    private final Terminal terminal;
    private final CountDownLatch stop = new CountDownLatch(1);

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("unused") // It acts when picocli sets it.
    private final Verbosity verbosity = new Verbosity();

    @Parameters(paramLabel = "DIR", description = "The directory to serve.")
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private Path directory;

    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            description =
                    "Address to listen on (default: 127.0.0.1). Any but this machine's own loopback needs --allow.")
    private String listen = "127.0.0.1";

    private int port = NfsUrl.DEFAULT_PORT;
    private int mountPort = NfsServer.DEFAULT_MOUNT_PORT;

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "Where to keep the key of file handles, and which file is where; not inside the export."
                    + " Default: a folder in $XDG_STATE_HOME/rpcrdma4j or ~/.local/state/rpcrdma4j.")
    private @Nullable Path state;

    @Option(names = "--read-only", description = "Refuse all changes.")
    private boolean readOnly;

    @Option(
            names = "--allow",
            paramLabel = "CIDR,...",
            converter = FilterConverter.class,
            description = "Who may connect, as addresses and networks: 192.168.1.0/24,fd00::/8.")
    private @Nullable AddressFilter allowed;

    @Option(
            names = "--crc",
            paramLabel = "on|off",
            converter = OnOff.Converter.class,
            description = "Ask for a checksum in every frame, or not (default: on). A client that wants it gets it.")
    private OnOff crc = OnOff.ON;

    @Option(names = "--as-root", description = "Serve although this runs as root, and all clients with it.")
    private boolean asRoot;

    ServeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Option(names = "--port", paramLabel = "PORT", description = "Port of NFS over RDMA, 0 for any (default: 20049).")
    void port(int number) {
        port = requirePort("--port", number);
    }

    @Option(names = "--mount-port", paramLabel = "PORT", description = "TCP port of MOUNT, 0 for any (default: 20048).")
    void mountPort(int number) {
        mountPort = requirePort("--mount-port", number);
    }

    private int requirePort(String option, int number) {
        if (number < 0 || number > PORT_MAX) {
            throw new ParameterException(spec.commandLine(), option + " is 0 to 65535, not " + number);
        }
        return number;
    }

    @Override
    public Integer call() throws IOException {
        if (!asRoot && isRoot()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "this would let every client act as root; run it as another user, or say --as-root");
        }
        if (!Files.isDirectory(directory)) {
            throw new IOException(directory + (Files.exists(directory) ? ": not a directory" : ": no such directory"));
        }
        InetAddress address = HostPort.resolve(listen);
        if (!address.isLoopbackAddress() && allowed == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--listen " + listen + " lets other machines in: say which with --allow, for example --allow "
                            + "192.168.1.0/24");
        }
        LogSetup.showConnections();
        NfsServer.Builder builder = NfsServer.serve(directory)
                .listen(address)
                .port(port)
                .mountPort(mountPort)
                .readOnly(readOnly)
                .allow(allowed == null ? AddressFilter.LOOPBACK : allowed)
                .crc(crc == OnOff.ON)
                .eventThreads(Math.clamp(Runtime.getRuntime().availableProcessors(), 1, EVENT_THREADS_MAX));
        if (state != null) {
            builder.stateDirectory(state);
        }
        Thread onExit = Thread.ofPlatform().unstarted(stop::countDown);
        try (NfsServer server = builder.start()) {
            // A server goes on when the terminal that started it goes away.
            Signals.ignore("HUP");
            if (!Signals.handle("TERM", stop::countDown) || !Signals.handle("INT", stop::countDown)) {
                Runtime.getRuntime().addShutdownHook(onExit);
            }
            tell(server);
            stop.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Main.OK;
    }

    private void tell(NfsServer server) {
        PrintWriter out = terminal.out();
        InetSocketAddress rdma = server.rdmaAddress();
        InetSocketAddress mount = server.mountAddress();
        out.println("ready rdma=" + AddressText.of(rdma) + " mount=" + AddressText.of(mount) + " export=/");
        InetAddress address = rdma.getAddress();
        boolean isSix = address instanceof Inet6Address;
        String host = address.isAnyLocalAddress() ? "HOST" : HostPort.bracketed(address.getHostAddress());
        String place = isSix ? "proto=rdma6,mountproto=tcp6" : "proto=rdma,mountproto=tcp";
        if (address.isLoopbackAddress()) {
            out.println("# It listens for this machine only; to let others in: --listen ADDR --allow CIDR.");
        }
        out.println("# On a Linux client, as root; DEV is its network device"
                + (address.isAnyLocalAddress() ? ", HOST this machine:" : ":"));
        out.println("modprobe siw");
        out.println("rdma link add siw0 type siw netdev DEV");
        out.println("mount -t nfs -o vers=3," + place + ",port=" + rdma.getPort() + ",mountport=" + mount.getPort()
                + ",nolock " + host + ":/ /mnt");
        out.println("# With this program:");
        out.println("rpcrdma4j ls -l '" + server.url().replace("localhost", host) + "'");
        out.flush();
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid") instanceof Integer uid && uid == 0;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return "root".equals(System.getProperty("user.name"));
        }
    }

    /** Reads addresses and networks. */
    private static final class FilterConverter implements ITypeConverter<AddressFilter> {
        @Override
        public AddressFilter convert(String text) {
            try {
                return AddressFilter.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}
