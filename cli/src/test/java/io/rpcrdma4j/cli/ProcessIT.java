package io.rpcrdma4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.NfsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command as users start it, and as it is ended when they are not asked. */
class ProcessIT {
    /** Enough that a copy is not over before it is disturbed. */
    private static final int BIG = 200_000_000;

    private static final int UNDER_WAY = 20_000_000;

    @TempDir
    @SuppressWarnings("NullAway.Init") // Set by JUnit.
    private Path folder;

    @SuppressWarnings("NullAway.Init") // Set before each test.
    private Path export;

    @BeforeEach
    void makeExport() throws IOException {
        export = Files.createDirectory(folder.resolve("export"));
    }

    @Test
    void aServerTellsWhereItIsAndHowToMountItAndEndsWhenAsked() throws Exception {
        try (CommandProcess server = CommandProcess.serve(folder, export, 0, 0)) {
            assertThat(server.out().lines().findFirst().orElseThrow())
                    .matches("ready rdma=127\\.0\\.0\\.1:\\d+ mount=127\\.0\\.0\\.1:\\d+ export=/");
            assertThat(server.out())
                    .contains("modprobe siw\n", "rdma link add siw0 type siw netdev DEV\n")
                    .contains("mount -t nfs -o vers=3,proto=rdma,mountproto=tcp,port=" + server.port("rdma")
                            + ",mountport=" + server.port("mount") + ",nolock 127.0.0.1:/ /mnt\n");
            server.signal("HUP");
            assertThat(CommandRun.of("ping", server.ready("rdma"), "-c", "1").code())
                    .isZero();
            server.signal("TERM");
            assertThat(server.exitCode()).isZero();
            assertThat(server.err()).doesNotContain("Exception");
        }
    }

    @Test
    void aServerListensOnIpv6() throws Exception {
        try (CommandProcess server = CommandProcess.serve(folder, export, 0, 0, "--listen", "::1")) {
            assertThat(server.ready("rdma")).startsWith("[0:0:0:0:0:0:0:1]:");
            assertThat(server.out()).contains("proto=rdma6,mountproto=tcp6");
            Files.writeString(export.resolve("file"), "six");
            String url = "nfs://[::1]:" + server.port("rdma") + "/file?mountport=" + server.port("mount");
            assertThat(CommandRun.of("cat", url).out()).isEqualTo("six");
            server.signal("INT");
            assertThat(server.exitCode()).isZero();
        }
    }

    @Test
    void onlyThoseAllowedGetIn() throws Exception {
        try (CommandProcess server =
                CommandProcess.serve(folder, export, 0, 0, "--listen", "0.0.0.0", "--allow", "10.0.0.0/8,::1")) {
            CommandRun run = CommandRun.of("ls", "nfs://127.0.0.1:" + server.port("rdma") + "/");
            assertThat(run.code()).isEqualTo(1);
            assertThat(run.err().lines().count()).isEqualTo(1);
            assertThat(server.out()).contains("HOST:/ /mnt");
        }
    }

    @Test
    void aReaderThatGoesAwayEndsTheCommandWithoutComplaint() throws Exception {
        Files.write(export.resolve("big"), new byte[5_000_000]);
        try (NfsServer server = server(0, 0)) {
            String url = "nfs://127.0.0.1:" + server.rdmaAddress().getPort() + "/big?mountport="
                    + server.mountAddress().getPort();
            String script = "{ \"$@\" 2>err; echo $? >code; } | head -c 10 >/dev/null";
            List<String> shell = new ArrayList<>(List.of("sh", "-c", script, "sh"));
            shell.addAll(CommandProcess.commandLine("cat", url));
            Process process = new ProcessBuilder(shell)
                    .directory(folder.toFile())
                    .inheritIO()
                    .start();
            assertThat(process.waitFor(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            Await.that("the command has ended", () -> bytes(folder.resolve("code")) > 0);
            assertThat(folder.resolve("code")).hasContent("1");
            assertThat(folder.resolve("err")).isEmptyFile();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "get"})
    void aServerThatIsKilledInTheMiddleAndComesBackChangesNothing(String command) throws Exception {
        Path file = randomFile(command);
        CommandProcess first = CommandProcess.serve(folder, export, 0, 0);
        int port = first.port("rdma");
        int mountPort = first.port("mount");
        try (CommandProcess copy = copy(command, port, mountPort, "60")) {
            awaitUnderWay(command);
            first.signal("KILL");
            first.exitCode();
            assertThat(copy.isAlive()).as("the copy was not over yet").isTrue();
            try (CommandProcess second = CommandProcess.serve(folder, export, port, mountPort)) {
                assertThat(copy.exitCode()).as(copy.err()).isZero();
                assertThat(second.isAlive()).isTrue();
            }
            Path result = command.equals("put") ? export.resolve("big") : folder.resolve("copy");
            assertThat(Files.mismatch(file, result)).isEqualTo(-1);
        } finally {
            first.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "get"})
    void aServerThatIsKilledAndStaysAwayEndsTheCopyInItsTime(String command) throws Exception {
        randomFile(command);
        try (CommandProcess server = CommandProcess.serve(folder, export, 0, 0);
                CommandProcess copy = copy(command, server.port("rdma"), server.port("mount"), "3")) {
            awaitUnderWay(command);
            server.signal("KILL");
            long start = System.nanoTime();
            assertThat(copy.exitCode()).isEqualTo(1);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
            assertThat(copy.err())
                    .startsWith("rpcrdma4j: nfs://127.0.0.1:")
                    .contains("/big: no answer from 127.0.0.1:", "within 3000 ms", "Connection refused");
            assertThat(copy.err().lines().count()).isEqualTo(1);
            assertThat(folder.resolve("copy")).doesNotExist();
            try (Stream<Path> left = Files.list(folder)) {
                assertThat(left.filter(path -> path.toString().contains(".part-")))
                        .isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "get"})
    void aClientThatIsKilledInTheMiddleLeavesNothingOnTheServer(String command) throws Exception {
        randomFile(command);
        try (NfsServer server = server(0, 0)) {
            int port = server.rdmaAddress().getPort();
            try (CommandProcess copy = copy(command, port, server.mountAddress().getPort(), "60")) {
                awaitUnderWay(command);
                assertThat(server.connections()).isEqualTo(1);
                copy.signal("KILL");
                copy.exitCode();
            }
            Await.that("the server holds nothing", () -> server.connections() == 0 && server.buffersOutstanding() == 0);
            assertThat(CommandRun.of("ping", "127.0.0.1:" + port, "-c", "1").code())
                    .isZero();
        }
    }

    private NfsServer server(int port, int mountPort) throws IOException {
        return NfsServer.serve(export)
                .stateDirectory(folder.resolve("state"))
                .port(port)
                .mountPort(mountPort)
                .start();
    }

    /** What is to be copied: here for put, on the server for get. */
    private Path randomFile(String command) throws IOException {
        Path file = command.equals("put") ? folder.resolve("local") : export.resolve("big");
        Random random = new Random(3);
        byte[] part = new byte[1_000_000];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int written = 0; written < BIG; written += part.length) {
                random.nextBytes(part);
                out.write(part);
            }
        }
        return file;
    }

    private CommandProcess copy(String command, int port, int mountPort, String timeout) throws IOException {
        String url = "nfs://127.0.0.1:" + port + "/big?mountport=" + mountPort;
        return command.equals("put")
                ? CommandProcess.start(
                        folder,
                        "put",
                        "--timeout",
                        timeout,
                        folder.resolve("local").toString(),
                        url)
                : CommandProcess.start(
                        folder,
                        "get",
                        "--timeout",
                        timeout,
                        url,
                        folder.resolve("copy").toString());
    }

    private void awaitUnderWay(String command) {
        Await.that("the copy is under way", () -> {
            if (command.equals("put")) {
                return bytes(export.resolve("big")) > UNDER_WAY;
            }
            try (Stream<Path> files = Files.list(folder)) {
                return files.anyMatch(file -> file.toString().contains(".part-") && bytes(file) > UNDER_WAY);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static long bytes(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }
}
