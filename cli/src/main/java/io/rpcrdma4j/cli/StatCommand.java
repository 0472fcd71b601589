package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsFile;
import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsUrl;
import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileType;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Command;

/** Shows all attributes of files. */
@Command(
        name = "stat",
        mixinStandardHelpOptions = true,
        description = "Shows everything that the server tells about a file. A symbolic link is shown itself.",
        footerHeading = "%nExample:%n",
        footer = "  rpcrdma4j stat nfs://127.0.0.1/big.iso")
final class StatCommand extends UrlsCommand {
    StatCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException {
        NfsFile file = mount.findLink(url.path());
        Fattr3 attributes = file.attributes();
        line("file", url.toString());
        line("type", AttributeText.kind(attributes.type()));
        if (file.isLink()) {
            line("target", mount.readLink(url.path()));
        }
        line("size", Long.toUnsignedString(attributes.size()));
        line("used", Long.toUnsignedString(attributes.used()));
        line("mode", String.format(Locale.ROOT, "%04o (%s)", attributes.mode(), AttributeText.letters(attributes)));
        line("links", Long.toString(attributes.links()));
        line("owner", Long.toString(attributes.uid()));
        line("group", Long.toString(attributes.gid()));
        if (attributes.type() == FileType.NF3BLK || attributes.type() == FileType.NF3CHR) {
            line(
                    "device",
                    Integer.toUnsignedString(attributes.deviceMajor()) + ", "
                            + Integer.toUnsignedString(attributes.deviceMinor()));
        }
        line("fsid", "0x" + Long.toHexString(attributes.fsid()));
        line("fileid", Long.toUnsignedString(attributes.fileid()));
        line("accessed", AttributeText.exact(attributes.accessTime()));
        line("modified", AttributeText.exact(attributes.modifyTime()));
        line("changed", AttributeText.exact(attributes.changeTime()));
        line("handle", file.handle().toString());
    }

    private void line(String name, String value) {
        PrintWriter out = terminal().out();
        out.println(String.format(Locale.ROOT, "%8s: %s", name, value));
    }
}
