package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsFile;
import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsReader;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.client.Transfers;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Copies files from a server. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        customSynopsis = "rpcrdma4j get [OPTIONS] URL... [TARGET]",
        description = {
            "Copies files from a server. TARGET is a file, a directory, or - for standard output; without it they go"
                    + " into the working directory.",
            "A copy that fails leaves a file that was there as it was."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  rpcrdma4j get nfs://server/big.iso",
            "  rpcrdma4j get --verify --connections 4 nfs://server/a nfs://server/b /tmp/",
            "  rpcrdma4j get nfs://server/backup.tar - | tar tf -"
        })
final class GetCommand implements Callable<Integer> {
    private static final String STREAM = "-";

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    private final ClientOptions client = new ClientOptions();

    @Option(
            names = "--verify",
            description = "Then read the file a second time from the server, and the copy from the disk, and compare"
                    + " their SHA-256.")
    private boolean verifies;

    @Parameters(paramLabel = "URL", arity = "1..*", description = "nfs://HOST[:PORT]/PATH[?mountport=N]")
    private List<String> arguments = List.of();

    GetCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        List<NfsUrl> urls = new ArrayList<>();
        String target = null;
        for (String argument : arguments) {
            if (target != null) {
                throw usage("'" + target + "' is not an NFS URL, and only the last argument may be something else");
            }
            if (NfsUrl.isUrl(argument)) {
                urls.add(parse(argument));
            } else {
                target = argument;
            }
        }
        if (urls.isEmpty()) {
            throw usage("there is no URL to get");
        }
        try (Servers servers = new Servers(client)) {
            for (NfsUrl url : urls) {
                get(servers.mount(url), url, target, urls.size() > 1);
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

    private void get(NfsMount mount, NfsUrl url, @Nullable String target, boolean isOneOfSeveral) throws IOException {
        if (STREAM.equals(target)) {
            String sum = copy(mount, url, terminal.output(), -1);
            if (verifies) {
                requireEqual(url, "received", sum, Sha256.ofRemote(mount, url.path()));
            }
            return;
        }
        Path file = file(url, target, isOneOfSeveral);
        NfsFile remote = mount.find(url.path());
        try (LocalTarget local = LocalTarget.open(file)) {
            String sum = copy(mount, url, local.channel(), remote.attributes().size());
            if (verifies) {
                String kept = local.isRegular() ? Sha256.ofFile(local.written()) : sum;
                requireEqual(url, "copied", kept, Sha256.ofRemote(mount, url.path()));
            }
            local.complete();
        }
    }

    /** Copies, and returns the SHA-256 of what passed if that will be wanted. */
    private String copy(NfsMount mount, NfsUrl url, WritableByteChannel to, long bytes) throws IOException {
        Sha256 sum = new Sha256();
        try (NfsReader reader = mount.read(url.path());
                Progress progress = new Progress(terminal, url.toString(), bytes)) {
            Transfers.read(reader, to, passed -> {
                if (verifies) {
                    sum.onBytes(passed);
                }
                progress.onBytes(passed);
            });
        }
        return sum.hex();
    }

    private void requireEqual(NfsUrl url, String what, String ours, String theirs) throws IOException {
        if (!ours.equals(theirs)) {
            throw new IOException(
                    url + ": verification failed: " + what + " sha256 " + ours + ", but the server has " + theirs);
        }
        terminal.err().println("verified sha256 " + ours + "  " + url);
    }

    private static Path file(NfsUrl url, @Nullable String target, boolean isOneOfSeveral) throws IOException {
        Path path;
        try {
            path = Path.of(target == null ? "." : target);
            boolean isDirectory = Files.isDirectory(path);
            if (!isDirectory && target != null && (isOneOfSeveral || target.endsWith("/"))) {
                throw new IOException(target + ": not a directory");
            }
            if (!isDirectory) {
                return path;
            }
            if (url.path().isRoot()) {
                throw new IOException(url + ": a directory; get copies files");
            }
            return path.resolve(url.path().lastName().toString());
        } catch (InvalidPathException e) {
            throw new IOException(target + ": not a path of this machine", e);
        }
    }
}
