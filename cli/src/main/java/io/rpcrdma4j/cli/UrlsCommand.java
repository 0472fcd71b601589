package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsUrl;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command that does the same to each of its URLs. One that fails does not keep the others from being done. */
abstract class UrlsCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(UrlsCommand.class);

    private final Terminal terminal;

    @Mixin
    private final ClientOptions client = new ClientOptions();

    @Parameters(
            paramLabel = "URL",
            arity = "1..*",
            converter = UrlConverter.class,
            description = "nfs://HOST[:PORT]/PATH[?mountport=N]")
    private List<NfsUrl> urls = List.of();

    UrlsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Does it to one file. */
    abstract void run(NfsMount mount, NfsUrl url) throws IOException;

    final Terminal terminal() {
        return terminal;
    }

    final List<NfsUrl> urls() {
        return urls;
    }

    @Override
    public final Integer call() {
        int code = Main.OK;
        try (Servers servers = new Servers(client)) {
            for (NfsUrl url : urls) {
                try {
                    run(servers.mount(url), url);
                } catch (IOException e) {
                    if (Failures.isClosedPipe(e)) {
                        return Main.FAILED;
                    }
                    terminal.out().flush();
                    terminal.err().println("rpcrdma4j: " + Failures.line(e));
                    LOG.debug("Where it failed", e);
                    code = Main.FAILED;
                }
            }
        }
        return code;
    }
}
