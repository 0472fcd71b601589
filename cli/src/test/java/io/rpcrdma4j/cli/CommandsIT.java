package io.rpcrdma4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.NfsServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands, inside this process, against a server over software iWARP. */
class CommandsIT {
    @TempDir
    @SuppressWarnings("NullAway.Init") // Set by JUnit.
    private Path folder;

    @SuppressWarnings("NullAway.Init") // Set before each test.
    private Path export;

    @SuppressWarnings("NullAway.Init") // Set before each test.
    private NfsServer server;

    @BeforeEach
    void startServer() throws IOException {
        export = Files.createDirectory(folder.resolve("export"));
        server = NfsServer.serve(export)
                .stateDirectory(folder.resolve("state"))
                .port(0)
                .mountPort(0)
                .start();
    }

    @AfterEach
    void nothingIsLeftOnTheServer() {
        Await.that("the server holds nothing", () -> server.connections() == 0 && server.buffersOutstanding() == 0);
        server.close();
    }

    static Stream<Arguments> sizesAndOptions() {
        List<List<String>> options = List.of(List.of(), List.of("--crc", "off"), List.of("--connections", "4"));
        return Stream.of(0, 1, 3, 4095, 4096, 4097, (1 << 20) - 1, (1 << 20) + 3, 20_000_001)
                .flatMap(size -> options.stream().map(option -> Arguments.of(size, option)));
    }

    @ParameterizedTest
    @MethodSource("sizesAndOptions")
    void whatIsPutIsThereAndComesBack(int size, List<String> options) throws IOException {
        byte[] data = new byte[size];
        new Random(size).nextBytes(data);
        Path file = Files.write(folder.resolve("file"), data);
        String sum = Sha256.ofFile(file);

        CommandRun put = run("put", options, "--verify", file.toString(), url("/there"));
        assertThat(put.err()).startsWith("verified sha256 " + sum + "  nfs://127.0.0.1:");
        assertThat(put.code()).isZero();
        assertThat(export.resolve("there")).hasBinaryContent(data);

        Path copy = folder.resolve("copy");
        CommandRun get = run("get", options, "--verify", url("/there"), copy.toString());
        assertThat(get.err()).startsWith("verified sha256 " + sum + "  nfs://127.0.0.1:");
        assertThat(get.code()).isZero();
        assertThat(copy).hasBinaryContent(data);
        assertThat(put.out() + get.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 100_001, 70_000_000})
    void streamsGoThereAndBack(int size) throws IOException {
        byte[] data = new byte[size];
        new Random(size).nextBytes(data);
        CommandRun put = CommandRun.withInput(data, "put", "--verify", "-", url("/stream"));
        assertThat(put.err()).startsWith("verified sha256 ");
        assertThat(put.code()).isZero();
        assertThat(export.resolve("stream")).hasBinaryContent(data);
        CommandRun get = CommandRun.of("get", "--verify", url("/stream"), "-");
        assertThat(get.code()).isZero();
        assertThat(Arrays.equals(get.bytes(), data)).isTrue();
        CommandRun cat = CommandRun.of("cat", url("/stream"), url("/stream"));
        assertThat(cat.code()).isZero();
        assertThat(cat.bytes()).hasSize(2 * size);
    }

    @Test
    void directoriesAreListedMadeAndRemoved() throws IOException {
        assertThat(CommandRun.of("ls", url("/"))).returns(0, CommandRun::code).returns("", CommandRun::out);
        assertThat(CommandRun.of("mkdir", "-p", url("/a/b/c"), url("/a/d")).code())
                .isZero();
        assertThat(CommandRun.of("mkdir", "-p", url("/a/b")).code()).isZero();
        Files.writeString(export.resolve("a/b/file"), "12345");
        Files.createSymbolicLink(export.resolve("a/b/link"), Path.of("file"));
        assertThat(CommandRun.of("ls", url("/a")).out()).isEqualTo("b\nd\n");
        assertThat(CommandRun.of("ls", url("/a/b/file")).out()).isEqualTo("/a/b/file\n");
        String longList = CommandRun.of("ls", "-l", url("/a/b")).out();
        assertThat(longList.lines()).hasSize(3);
        assertThat(longList)
                .containsPattern("drwxr-xr-x +\\d+ +\\d+ +\\d+ +\\d+ \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d c\n")
                .containsPattern("-rw-r--r-- +1 +\\d+ +\\d+ +5 .* file\n")
                .containsPattern("lrwxrwxrwx .* link -> file\n");
        CommandRun several = CommandRun.of("ls", url("/a/d"), url("/missing"), url("/a"));
        assertThat(several.code()).isEqualTo(1);
        assertThat(several.out()).containsPattern("nfs://\\S+/a/d:\nnfs://\\S+/a:\nb\nd\n");
        assertThat(several.err())
                .isEqualTo("rpcrdma4j: " + plain("/missing") + ": NFS3ERR_NOENT no such file or directory\n");

        CommandRun refused = CommandRun.of("rm", url("/a"));
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("/a: a directory; -r removes it with everything in it");
        assertThat(CommandRun.of("rm", "-r", url("/a")).code()).isZero();
        assertThat(export.resolve("a")).doesNotExist();
        assertThat(CommandRun.of("rm", url("/a")).code()).isEqualTo(1);
        assertThat(CommandRun.of("rm", "-f", url("/a")).code()).isZero();
    }

    @Test
    void aLargeDirectoryIsListedWhollyAndInOrder() throws IOException {
        for (int i = 0; i < 3000; i++) {
            Files.createFile(export.resolve("a file with a rather long name, number " + i));
        }
        List<String> names = CommandRun.of("ls", url("/")).out().lines().toList();
        assertThat(names).hasSize(3000).isSorted().doesNotHaveDuplicates();
        assertThat(CommandRun.of("ls", "-l", url("/")).out().lines()).hasSize(3000);
        assertThat(CommandRun.of("rm", "-r", url("/")).err()).contains("the export itself, which can't be removed");
        assertThat(CommandRun.of("ls", url("/")).out().lines()).hasSize(3000);
    }

    @Test
    void aFileIsDescribed() throws IOException {
        Files.writeString(export.resolve("file"), "12345");
        Files.createSymbolicLink(export.resolve("link"), Path.of("file"));
        String file = CommandRun.of("stat", url("/file")).out();
        assertThat(file)
                .contains("    type: regular file\n", "    size: 5\n", "    mode: 0644 (-rw-r--r--)\n")
                .containsPattern("modified: \\d{4}-\\d\\d-\\d\\dT\\S+Z\n")
                .containsPattern("  handle: [0-9a-f]{20,128}\n");
        assertThat(CommandRun.of("stat", url("/link")).out()).contains("    type: symbolic link\n", "  target: file\n");
        assertThat(CommandRun.of("cat", url("/link")).out()).isEqualTo("12345");
    }

    @Test
    void filesAreRenamedAlsoIntoDirectoriesAndOverOthers() throws IOException {
        Files.writeString(export.resolve("a"), "a");
        Files.writeString(export.resolve("b"), "b");
        Files.createDirectory(export.resolve("d"));
        assertThat(CommandRun.of("mv", url("/a"), url("/b")).code()).isZero();
        assertThat(export.resolve("b")).hasContent("a");
        assertThat(CommandRun.of("mv", url("/b"), url("/d/")).code()).isZero();
        assertThat(export.resolve("d/b")).hasContent("a");
        CommandRun missing = CommandRun.of("mv", url("/nothing"), url("/else"));
        assertThat(missing.code()).isEqualTo(1);
        assertThat(missing.err())
                .isEqualTo("rpcrdma4j: " + plain("/nothing") + " to " + plain("/else")
                        + ": NFS3ERR_NOENT no such file or directory\n");
        assertThat(CommandRun.of("mv", url("/d/b"), url("/new/")).err()).contains("/new: not a directory");
        assertThat(CommandRun.of("mv", url("/"), url("/d")).err()).contains("the export itself");
    }

    @Test
    void filesGoIntoDirectoriesUnderTheirOwnNamesWithTheirPermissions() throws IOException {
        Path one = Files.writeString(folder.resolve("one"), "1");
        Path two = Files.writeString(folder.resolve("two"), "2");
        Files.setPosixFilePermissions(two, PosixFilePermissions.fromString("rwxr-x---"));
        Path local = Files.createDirectory(folder.resolve("local"));
        assertThat(CommandRun.of("put", one.toString(), two.toString(), url("/"))
                        .code())
                .isZero();
        assertThat(export.resolve("one")).hasContent("1");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(export.resolve("two"))))
                .isEqualTo("rwxr-x---");
        assertThat(CommandRun.of("get", url("/one"), url("/two"), local.toString())
                        .code())
                .isZero();
        assertThat(local.resolve("two")).hasContent("2");
        assertThat(CommandRun.of("put", one.toString(), two.toString(), url("/one"))
                        .err())
                .contains("/one: not a directory");
        assertThat(CommandRun.of("get", url("/one"), url("/two"), one.toString())
                        .err())
                .contains("one: not a directory");
        assertThat(CommandRun.of("put", folder.toString(), url("/")).err()).contains("a directory; put copies files");
        assertThat(CommandRun.of("put", folder.resolve("missing").toString(), url("/"))
                        .err())
                .contains("missing: no such file or directory");
        assertThat(CommandRun.withInput(new byte[1], "put", "-", url("/")).err())
                .contains("standard input needs");
    }

    @Test
    void aCopyThatFailsLeavesWhatWasThereAndNothingElse() throws IOException {
        Path target = Files.writeString(folder.resolve("target"), "old");
        CommandRun run = CommandRun.of("get", url("/missing"), target.toString());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("rpcrdma4j: " + plain("/missing") + ": NFS3ERR_NOENT no such file or directory\n");
        Files.createDirectory(export.resolve("d"));
        assertThat(CommandRun.of("get", url("/d"), target.toString()).err())
                .contains("/d: NFS3ERR_ISDIR is a directory");
        assertThat(target).hasContent("old");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("export", "state", "target");
        }
        assertThat(CommandRun.of("get", url("/"), folder.toString()).err()).contains("a directory; get copies files");
    }

    @Test
    void namesThatAreNotPlainTextSurvive() throws IOException {
        Files.writeString(export.resolve("a b%?é\n"), "x");
        String listed = CommandRun.of("ls", url("/")).out();
        assertThat(listed).isEqualTo("a b%25?é%0A\n");
        assertThat(CommandRun.of("cat", url("/a b%25%3Fé%0A")).out()).isEqualTo("x");
        assertThat(CommandRun.of("rm", url("/a%20b%25%3F%C3%A9%0a")).code()).isZero();
        assertThat(export).isEmptyDirectory();
    }

    @Test
    void linksAreFollowedInsideAndRefusedOutside() throws IOException {
        Files.createDirectories(export.resolve("d/e"));
        Files.writeString(export.resolve("d/file"), "content");
        Files.createSymbolicLink(export.resolve("d/e/up"), Path.of("../file"));
        Files.createSymbolicLink(export.resolve("dir"), Path.of("d/e"));
        Files.createSymbolicLink(export.resolve("loop"), Path.of("loop"));
        Files.createSymbolicLink(export.resolve("out"), Path.of("/etc/passwd"));
        assertThat(CommandRun.of("cat", url("/dir/up")).out()).isEqualTo("content");
        assertThat(CommandRun.of("cat", url("/loop")).err()).contains("/loop: more than 40 symbolic links to follow");
        assertThat(CommandRun.of("cat", url("/out")).err())
                .contains("/out: a symbolic link to '/etc/passwd'")
                .contains("only relative links are followed");
        assertThat(CommandRun.of("rm", url("/dir")).code()).isZero();
        assertThat(export.resolve("d/e")).isDirectory();
    }

    @Test
    void pingTellsTimesAndWithDetailsWhatWasNegotiated() {
        String host = "127.0.0.1:" + server.rdmaAddress().getPort();
        CommandRun plain = CommandRun.of("ping", host, "-c", "20");
        assertThat(plain.code()).isZero();
        assertThat(plain.out())
                .matches("127[.]0[.]0[.]1:\\d+: 20 calls, min T us, p50 T us, p99 T us, max T us\n"
                        .replace("T", "[0-9.]+"));
        CommandRun detailed =
                CommandRun.of("ping", "-v", "nfs://" + host + "/", "-c", "1", "--connections", "2", "--crc", "off");
        assertThat(detailed.code()).isZero();
        assertThat(detailed.out())
                .contains("connection 1: ", "connection 2: ", "4096 bytes", "credits", "remote invalidation", "CRC ")
                .contains("reads served");
    }

    @Test
    void aServerThatSpeaksNoMountIsExplained() {
        CommandRun run =
                CommandRun.of("ls", "nfs://127.0.0.1:" + server.rdmaAddress().getPort() + "/?mountport=1");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("MOUNT: cannot connect to 127.0.0.1:1: ");
    }

    private static CommandRun run(String command, List<String> options, String... arguments) {
        return CommandRun.of(Stream.of(Stream.of(command), options.stream(), Arrays.stream(arguments))
                .flatMap(part -> part)
                .toArray(String[]::new));
    }

    private String url(String path) {
        return plain(path) + "?mountport=" + server.mountAddress().getPort();
    }

    private String plain(String path) {
        return "nfs://127.0.0.1:" + server.rdmaAddress().getPort() + path;
    }
}
