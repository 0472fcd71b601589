package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsEntry;
import io.rpcrdma4j.nfs.client.NfsException;
import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsPath;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Removes files. */
@Command(
        name = "rm",
        mixinStandardHelpOptions = true,
        description = "Removes files. Symbolic links are removed themselves, never followed.",
        footerHeading = "%nExamples:%n",
        footer = {"  rpcrdma4j rm nfs://127.0.0.1/old.iso", "  rpcrdma4j rm -r nfs://127.0.0.1/backups/2019"})
final class RmCommand extends UrlsCommand {
    @Option(names = "-r", description = "Remove directories too, with everything in them.")
    private boolean isRecursive;

    @Option(names = "-f", description = "A file that is not there is no error.")
    private boolean isForced;

    RmCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException {
        NfsPath path = url.path();
        if (path.equals(mount.export())) {
            throw new IOException(url + ": this is the export itself, which can't be removed");
        }
        try {
            if (!mount.findLink(path).isDirectory()) {
                mount.remove(path);
            } else if (isRecursive) {
                removeTree(mount, path);
            } else {
                throw new IOException(url + ": a directory; -r removes it with everything in it");
            }
        } catch (NfsException e) {
            if (!isForced || e.status() != NfsStatus.NFS3ERR_NOENT) {
                throw e;
            }
        }
    }

    private static void removeTree(NfsMount mount, NfsPath directory) throws IOException {
        List<NfsEntry> entries = new ArrayList<>();
        mount.list(directory, true, entries::add);
        for (NfsEntry entry : entries) {
            NfsPath path = directory.child(entry.name());
            if (entry.file().isPresent() && entry.file().get().isDirectory()) {
                removeTree(mount, path);
            } else {
                mount.remove(path);
            }
        }
        mount.removeDirectory(directory);
    }
}
