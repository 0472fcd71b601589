package io.rpcrdma4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.nfs.client.NfsClientOptions;
import io.rpcrdma4j.nfs.client.NfsException;
import io.rpcrdma4j.nfs.client.NfsPath;
import io.rpcrdma4j.nfs.client.NfsReader;
import io.rpcrdma4j.nfs.client.Transfers;
import io.rpcrdma4j.nfs.server.AddressFilter;
import io.rpcrdma4j.rpc.RpcException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Server and client in one process, over each provider. */
class EmbeddedIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    @SuppressWarnings("NullAway.Init") // Set by JUnit.
    private Path folder;

    private Path export = Path.of("");

    @BeforeEach
    void makeExport() throws IOException {
        export = Files.createDirectory(folder.resolve("export"));
    }

    @AfterEach
    void noThreadIsLeft() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Set<String> left = ourThreads();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(2_000_000L);
            left = ourThreads();
        }
        assertThat(left).isEmpty();
    }

    private static Set<String> ourThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                // The timers of the process end by themselves after a minute, the in-process network with the process.
                .filter(name -> name.startsWith("rpc-tcp") || name.startsWith("iwarp") || name.startsWith("nfs-"))
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "memory"})
    void filesGoThereAndBack(String provider) throws IOException {
        byte[] data = new byte[3_000_001];
        new Random(1).nextBytes(data);
        Path local = Files.write(folder.resolve("local"), data);
        try (NfsServer server = server(provider).start();
                NfsClient client = client(server, provider).connections(2).connect()) {
            assertThat(client.upload(local, "up")).isEqualTo(data.length);
            assertThat(export.resolve("up")).hasBinaryContent(data);
            assertThat(client.readAllBytes("up")).isEqualTo(data);
            assertThat(client.download("up", folder.resolve("down"))).isEqualTo(data.length);
            assertThat(folder.resolve("down")).hasBinaryContent(data);
            client.createDirectory("sub");
            client.write("sub/small", new byte[] {1, 2, 3});
            assertThat(export.resolve("sub/small")).hasBinaryContent(new byte[] {1, 2, 3});
            assertThat(client.list("")).containsExactlyInAnyOrder("up", "sub");
            client.delete("up");
            assertThat(client.list("/")).containsExactly("sub");
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void pathsAreBelowThePathOfTheUrl() throws IOException {
        Files.createDirectories(export.resolve("a/b"));
        Files.writeString(export.resolve("a/b/file"), "text");
        try (NfsServer server = server("memory").start()) {
            String url = server.url().replace("/?", "/a?");
            try (NfsClient client = NfsClient.builder(url).provider("memory").connect()) {
                assertThat(client.readString("b/file")).isEqualTo("text");
                assertThat(client.path("b/../c")).isEqualTo(NfsPath.of("/a/c"));
                assertThatThrownBy(() -> client.readString("missing"))
                        .isInstanceOf(NfsException.class)
                        .hasMessageEndingWith("/a/missing: NFS3ERR_NOENT no such file or directory");
            }
        }
    }

    @Test
    void aReadOnlyServerRefusesChanges() throws IOException {
        try (NfsServer server = server("memory").readOnly(true).start();
                NfsClient client = client(server, "memory").connect()) {
            assertThatThrownBy(() -> client.write("file", new byte[1]))
                    .isInstanceOf(NfsException.class)
                    .hasMessageContaining("NFS3ERR_ROFS the export is read-only");
        }
    }

    @Test
    void whoIsNotAllowedGetsNoConnection() throws IOException {
        try (NfsServer server =
                server("iwarp").allow(AddressFilter.parse("10.0.0.0/8")).start()) {
            assertThatThrownBy(() -> client(server, "iwarp").connect())
                    .isInstanceOf(RpcException.class)
                    .hasMessageStartingWith("nfs://127.0.0.1:");
        }
    }

    @Test
    void aServerThatCannotStartLeavesNothingAndSaysWhy() throws IOException {
        try (NfsServer first = server("iwarp").start()) {
            int port = first.rdmaAddress().getPort();
            assertThatThrownBy(() -> NfsServer.serve(export)
                            .stateDirectory(folder.resolve("other"))
                            .port(port)
                            .mountPort(0)
                            .start())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(Integer.toString(port));
            assertThatThrownBy(() -> server("iwarp").start())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use by another server");
        }
        assertThatThrownBy(() -> server("no such provider").start()).hasMessageContaining("no such provider");
        assertThatThrownBy(() -> NfsServer.serve(export)
                        .stateDirectory(export.resolve("state"))
                        .start())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("inside the exported directory");
    }

    @Test
    void aServerThatGoesAwayInTheMiddleEndsTheReadWithinItsTime() throws IOException {
        Files.write(export.resolve("big"), new byte[40_000_000]);
        NfsServer server = server("iwarp").start();
        try (NfsClient client = client(server, "iwarp")
                        .options(NfsClientOptions.defaults().withTimeout(Duration.ofSeconds(2)))
                        .connect();
                NfsReader reader = client.mount().read(NfsPath.of("big"))) {
            assertThat(reader.next()).isNotNull();
            server.close();
            assertThatThrownBy(
                            () -> Transfers.read(reader, Channels.newChannel(new ByteArrayOutputStream()), bytes -> {}))
                    .isInstanceOf(RpcException.class)
                    .hasMessageContaining("/big: no answer from 127.0.0.1:");
        } finally {
            server.close();
        }
    }

    @Test
    void aServerThatComesBackFinishesTheRead() throws IOException {
        byte[] data = new byte[40_000_000];
        new Random(2).nextBytes(data);
        Files.write(export.resolve("big"), data);
        NfsServer server = server("iwarp").start();
        int port = server.rdmaAddress().getPort();
        int mountPort = server.mountAddress().getPort();
        try (NfsClient client = client(server, "iwarp").connect();
                NfsReader reader = client.mount().read(NfsPath.of("big"))) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            var first = reader.next();
            assertThat(first).isNotNull();
            if (first != null) {
                Channels.newChannel(bytes).write(first.asByteBuffer());
            }
            server.close();
            server = server("iwarp").port(port).mountPort(mountPort).start();
            Transfers.read(reader, Channels.newChannel(bytes), passed -> {});
            assertThat(bytes.toByteArray()).isEqualTo(data);
        } finally {
            server.close();
        }
    }

    private NfsServer.Builder server(String provider) {
        return NfsServer.serve(export)
                .stateDirectory(folder.resolve("state"))
                .port(0)
                .mountPort(0)
                .provider(provider);
    }

    private static NfsClient.Builder client(NfsServer server, String provider) {
        return NfsClient.builder(server.url()).provider(provider);
    }
}
