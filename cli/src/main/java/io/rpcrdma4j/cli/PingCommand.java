package io.rpcrdma4j.cli;

import io.rpcrdma4j.RdmaDevice;
import io.rpcrdma4j.nfs.client.HostPort;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.rpc.AddressText;
import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.RpcClientTransport;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import io.rpcrdma4j.rpcrdma.TransportEvents;
import io.rpcrdma4j.rpcrdma.TransportOptions;
import io.rpcrdma4j.rpcrdma.client.RdmaRpcClient;
import io.rpcrdma4j.verbs.Device;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures how long calls that do nothing take. */
@Command(
        name = "ping",
        mixinStandardHelpOptions = true,
        description = {
            "Sends NULL calls of NFS version 3 over RDMA, one after the other, and tells how long they took.",
            "With -v it also shows what was negotiated with the server."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  rpcrdma4j ping server",
            "  rpcrdma4j ping '[::1]:20049' -c 1000",
            "  rpcrdma4j ping -v 10.0.0.1 -c 1"
        })
final class PingCommand implements Callable<Integer> {
    private static final int COUNT = 100;
    private static final int COUNT_MAX = 10_000_000;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final long GRACE_SECONDS = 30;

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    private final ClientOptions client = new ClientOptions();

    @Option(names = "-c", paramLabel = "N", description = "Number of calls, 1 to 10000000 (default: 100).")
    private int count = COUNT;

    @Parameters(paramLabel = "HOST[:PORT]", description = "Whom to ask; port 20049 unless given.")
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private String server;

    PingCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        if (count < 1 || count > COUNT_MAX) {
            throw new ParameterException(spec.commandLine(), "-c is 1 to " + COUNT_MAX + ", not " + count);
        }
        HostPort host = host();
        InetSocketAddress address = new InetSocketAddress(
                HostPort.resolve(host.host()), host.port() == 0 ? NfsUrl.DEFAULT_PORT : host.port());
        try (Device device = new RdmaDevice().crc(client.crc()).open();
                RdmaRpcClient transport = RdmaRpcClient.open(
                        device,
                        address,
                        client.connections(),
                        TransportOptions.defaults(),
                        TransportEvents.NONE,
                        Timers.system())) {
            NullCall call = new NullCall(transport, client.timeout());
            long connectNanos = 0;
            for (int i = 0; i < client.connections(); i++) {
                connectNanos = Math.max(connectNanos, call.run());
            }
            if (client.isVerbose()) {
                show(transport.negotiated(), connectNanos);
            }
            long[] nanos = new long[count];
            for (int i = 0; i < count; i++) {
                nanos[i] = call.run();
            }
            Arrays.sort(nanos);
            terminal.out()
                    .println(String.format(
                            Locale.ROOT,
                            "%s: %d calls, min %s, p50 %s, p99 %s, max %s",
                            AddressText.of(address),
                            count,
                            micros(nanos[0]),
                            micros(quantile(nanos, 0.5)),
                            micros(quantile(nanos, 0.99)),
                            micros(nanos[count - 1])));
        }
        return Main.OK;
    }

    private HostPort host() {
        try {
            if (NfsUrl.isUrl(server)) {
                NfsUrl url = NfsUrl.parse(server);
                return new HostPort(url.host(), url.port());
            }
            return HostPort.parse(server);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private void show(List<String> negotiated, long connectNanos) {
        PrintWriter out = terminal.out();
        for (int i = 0; i < negotiated.size(); i++) {
            out.println("connection " + (i + 1) + ": " + negotiated.get(i));
        }
        out.println("connected and first call answered in " + micros(connectNanos));
        out.flush();
    }

    /** The smallest value that at least this part of all values does not exceed. */
    static long quantile(long[] sorted, double part) {
        return sorted[Math.max(0, (int) Math.ceil(sorted.length * part) - 1)];
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.1f us", nanos / NANOS_PER_MICRO);
    }

    /** A call without arguments and results, made one at a time by one thread. */
    private static final class NullCall extends ClientCall {
        private final RpcClientTransport transport;
        private final Semaphore done = new Semaphore(0);
        private volatile @Nullable RpcException failure;

        private NullCall(RpcClientTransport transport, Duration timeout) {
            super(Nfs3.PROGRAM, Nfs3.VERSION);
            this.transport = transport;
            timeoutNanos(timeout.toNanos());
        }

        private long run() throws IOException {
            long start = System.nanoTime();
            transport.start(this);
            try {
                if (!done.tryAcquire(timeoutNanos() + TimeUnit.SECONDS.toNanos(GRACE_SECONDS), TimeUnit.NANOSECONDS)) {
                    throw new IOException("the transport did not end a call in its time");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
            long nanos = System.nanoTime() - start;
            RpcException failed = failure;
            if (failed != null) {
                throw failed;
            }
            return nanos;
        }

        @Override
        protected void encodeArguments(XdrWriter writer) {}

        @Override
        protected void decodeResults(XdrReader reader) throws XdrException {
            reader.finish();
        }

        @Override
        protected void onDone(@Nullable RpcException why) {
            failure = why;
            done.release();
        }
    }
}
