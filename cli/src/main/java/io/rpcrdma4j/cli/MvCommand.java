package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsException;
import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsPath;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Renames files and directories. */
@Command(
        name = "mv",
        mixinStandardHelpOptions = true,
        description =
                "Renames files and directories within an export. If the last URL is a directory, they go into it.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  rpcrdma4j mv nfs://127.0.0.1/new.iso nfs://127.0.0.1/current.iso",
            "  rpcrdma4j mv nfs://127.0.0.1/a nfs://127.0.0.1/b nfs://127.0.0.1/archive/"
        })
final class MvCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    private final ClientOptions client = new ClientOptions();

    @Parameters(
            paramLabel = "URL",
            arity = "1..*",
            converter = UrlConverter.class,
            description = "What to rename, and as the last one what to.")
    private List<NfsUrl> urls = List.of();

    MvCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        if (urls.size() < 2) {
            throw new ParameterException(spec.commandLine(), "mv needs a URL to rename and one to rename it to");
        }
        NfsUrl last = urls.getLast();
        List<NfsUrl> sources = urls.subList(0, urls.size() - 1);
        for (NfsUrl source : sources) {
            if (!source.isSameServer(last)) {
                throw new ParameterException(
                        spec.commandLine(), source + " and " + last + " are not on one server; use get and put");
            }
        }
        int code = Main.OK;
        try (Servers servers = new Servers(client)) {
            NfsMount mount = servers.mount(last);
            boolean intoDirectory = isDirectory(mount, last);
            if (!intoDirectory && (sources.size() > 1 || last.endsInSlash())) {
                throw new IOException(last + ": not a directory");
            }
            for (NfsUrl source : sources) {
                if (!mount.covers(source)) {
                    throw new IOException(source + " and " + last + " are not in one export; use get and put");
                }
                NfsPath target = last.path();
                if (intoDirectory) {
                    if (source.path().isRoot()) {
                        throw new IOException(source + ": this is the export itself, which can't be renamed");
                    }
                    target = target.child(source.path().lastName());
                }
                code = Math.max(code, rename(mount, source.path(), target));
            }
        }
        return code;
    }

    private int rename(NfsMount mount, NfsPath from, NfsPath to) throws IOException {
        try {
            mount.rename(from, to);
            return Main.OK;
        } catch (NfsException e) {
            terminal.err().println("rpcrdma4j: " + Failures.line(e));
            return Main.FAILED;
        }
    }

    private static boolean isDirectory(NfsMount mount, NfsUrl url) throws IOException {
        try {
            return mount.find(url.path()).isDirectory();
        } catch (NfsException e) {
            if (e.status() == NfsStatus.NFS3ERR_NOENT) {
                return false;
            }
            throw e;
        }
    }
}
