package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsEntry;
import io.rpcrdma4j.nfs.client.NfsFile;
import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.wire.Fattr3;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists directories. */
@Command(
        name = "ls",
        mixinStandardHelpOptions = true,
        description = "Lists directories, sorted by name. A file stands for itself.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  rpcrdma4j ls nfs://server/",
            "  rpcrdma4j ls -l 'nfs://[::1]:20049/photos?mountport=20048'",
            "",
            "Bytes of names that are not printable UTF-8 are shown as %%XX, which may be used in URLs."
        })
final class LsCommand extends UrlsCommand {
    @Option(names = "-l", description = "Show type, permissions, links, owner, group, size and time of change too.")
    private boolean isLong;

    LsCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException {
        NfsFile file = mount.find(url.path());
        if (!file.isDirectory()) {
            print(url.path().toString(), file);
            return;
        }
        if (urls().size() > 1) {
            terminal().out().println(url + ":");
        }
        List<NfsEntry> entries = new ArrayList<>();
        mount.list(url.path(), isLong, entries::add);
        entries.sort(Comparator.comparing(NfsEntry::toString));
        for (NfsEntry entry : entries) {
            String name = entry.toString();
            if (isLong && entry.file().isPresent()) {
                NfsFile found = entry.file().get();
                String target =
                        found.isLink() ? " -> " + mount.readLink(url.path().child(entry.name())) : "";
                print(name + target, found);
            } else {
                terminal().out().println(name);
            }
        }
    }

    private void print(String name, NfsFile file) {
        if (!isLong) {
            terminal().out().println(name);
            return;
        }
        Fattr3 attributes = file.attributes();
        terminal()
                .out()
                .println(String.format(
                        Locale.ROOT,
                        "%s %3d %5d %5d %12s %s %s",
                        AttributeText.letters(attributes),
                        attributes.links(),
                        attributes.uid(),
                        attributes.gid(),
                        Long.toUnsignedString(attributes.size()),
                        AttributeText.minute(attributes.modifyTime()),
                        name));
    }
}
