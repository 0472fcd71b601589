package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsException;
import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsPath;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes directories. */
@Command(
        name = "mkdir",
        mixinStandardHelpOptions = true,
        description = "Makes directories.",
        footerHeading = "%nExample:%n",
        footer = "  rpcrdma4j mkdir -p nfs://127.0.0.1/backups/2026/08")
final class MkdirCommand extends UrlsCommand {
    private static final int MODE = 0755;

    @Option(names = "-p", description = "Make missing parents too; a directory that is there already is no error.")
    private boolean withParents;

    MkdirCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException {
        if (!withParents) {
            mount.makeDirectory(url.path(), MODE);
            return;
        }
        NfsPath path = mount.export();
        for (int i = path.nameCount(); i < url.path().nameCount(); i++) {
            path = path.child(url.path().name(i));
            makeUnlessThere(mount, path);
        }
    }

    private static void makeUnlessThere(NfsMount mount, NfsPath path) throws IOException {
        try {
            mount.makeDirectory(path, MODE);
        } catch (NfsException e) {
            if (e.status() != NfsStatus.NFS3ERR_EXIST || !mount.find(path).isDirectory()) {
                throw e;
            }
        }
    }
}
