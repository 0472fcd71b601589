package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsReader;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.client.Transfers;
import java.io.IOException;
import picocli.CommandLine.Command;

/** Writes files to standard output. */
@Command(
        name = "cat",
        mixinStandardHelpOptions = true,
        description = "Writes files to standard output, one after the other.",
        footerHeading = "%nExample:%n",
        footer = "  rpcrdma4j cat nfs://127.0.0.1/logs/today.gz | zcat | less")
final class CatCommand extends UrlsCommand {
    CatCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException {
        try (NfsReader reader = mount.read(url.path())) {
            Transfers.read(reader, terminal().output(), Transfers.Observer.NONE);
        }
    }
}
