package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsException;
import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsPath;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.client.NfsWriter;
import io.rpcrdma4j.nfs.client.Transfers;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Copies files to a server. */
@Command(
        name = "put",
        mixinStandardHelpOptions = true,
        customSynopsis = "rpcrdma4j put [OPTIONS] FILE... URL",
        description = {
            "Copies files to a server. FILE is a file, or - for standard input; if the URL is a directory, files go"
                    + " into it under their own names.",
            "When put is done the data is on the server's stable storage. If the server restarts in between, what it"
                    + " lost is sent again."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  rpcrdma4j put big.iso nfs://server/",
            "  rpcrdma4j put --verify --connections 4 a b nfs://server/backups/",
            "  tar c . | rpcrdma4j put - nfs://server/backup.tar"
        })
final class PutCommand implements Callable<Integer> {
    private static final String STREAM = "-";
    private static final int NEW_FILE_MODE = 0644;

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    private final ClientOptions client = new ClientOptions();

    @Option(
            names = "--verify",
            description =
                    "Then read the file back from the server, and compare its SHA-256 with that of what was sent.")
    private boolean verifies;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "What to copy, and as the last one the URL.")
    private List<String> arguments = List.of();

    PutCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        if (arguments.size() < 2) {
            throw usage("put needs a file and, as the last argument, a URL");
        }
        NfsUrl url = parse(arguments.getLast());
        List<String> files = arguments.subList(0, arguments.size() - 1);
        for (String file : files) {
            if (NfsUrl.isUrl(file)) {
                throw usage("'" + file + "' is a URL, and only the last argument may be one");
            }
        }
        try (Servers servers = new Servers(client)) {
            NfsMount mount = servers.mount(url);
            boolean intoDirectory = isDirectory(mount, url);
            if (!intoDirectory && (files.size() > 1 || url.endsInSlash())) {
                throw new IOException(url + ": not a directory");
            }
            for (String file : files) {
                put(mount, file, url, intoDirectory);
            }
        }
        return Main.OK;
    }

    private NfsUrl parse(String argument) {
        try {
            return NfsUrl.parse(argument);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException usage(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    private void put(NfsMount mount, String file, NfsUrl url, boolean intoDirectory) throws IOException {
        if (file.equals(STREAM)) {
            if (intoDirectory) {
                throw new IOException(url + ": a directory; standard input needs the URL of a file");
            }
            copy(mount, terminal.input(), url, NEW_FILE_MODE, -1);
            return;
        }
        Path local;
        try {
            local = Path.of(file);
        } catch (InvalidPathException e) {
            throw new IOException(file + ": not a path of this machine", e);
        }
        if (Files.isDirectory(local)) {
            throw new IOException(file + ": a directory; put copies files");
        }
        try (FileChannel channel = FileChannel.open(local, StandardOpenOption.READ)) {
            NfsPath path = url.path();
            NfsUrl target = intoDirectory
                    ? url.withPath(
                            path.child(local.toAbsolutePath().getFileName().toString()))
                    : url;
            copy(mount, channel, target, mode(local), Files.isRegularFile(local) ? channel.size() : -1);
        }
    }

    private void copy(NfsMount mount, ReadableByteChannel from, NfsUrl url, int mode, long bytes) throws IOException {
        Sha256 sum = new Sha256();
        try (NfsWriter writer = mount.write(url.path(), mode, Transfers.source(from));
                Progress progress = new Progress(terminal, url.toString(), bytes)) {
            Transfers.write(from, writer, passed -> {
                if (verifies) {
                    sum.onBytes(passed);
                }
                progress.onBytes(passed);
            });
        }
        if (verifies) {
            String sent = sum.hex();
            String kept = Sha256.ofRemote(mount, url.path());
            if (!sent.equals(kept)) {
                throw new IOException(
                        url + ": verification failed: sent sha256 " + sent + ", but the server has " + kept);
            }
            terminal.err().println("verified sha256 " + sent + "  " + url);
        }
    }

    /** The permission bits of a local file, set-id bits left out. */
    private static int mode(Path file) throws IOException {
        Set<PosixFilePermission> permissions;
        try {
            permissions = Files.getPosixFilePermissions(file);
        } catch (UnsupportedOperationException e) {
            return NEW_FILE_MODE;
        }
        int mode = 0;
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            mode = mode << 1 | (permissions.contains(permission) ? 1 : 0);
        }
        return mode;
    }

    private static boolean isDirectory(NfsMount mount, NfsUrl url) throws IOException {
        try {
            return mount.find(url.path()).isDirectory();
        } catch (NfsException e) {
            if (e.status() == NfsStatus.NFS3ERR_NOENT && !url.endsInSlash()) {
                return false;
            }
            throw e;
        }
    }
}
