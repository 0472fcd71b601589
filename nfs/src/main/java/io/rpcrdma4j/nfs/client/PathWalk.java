package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.DirOpArgs;
import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.LinkText;
import io.rpcrdma4j.nfs.wire.LookupResult;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds files by their paths, one LOOKUP a name. May be used from any thread. */
final class PathWalk {
    /** Most symbolic links that are followed for one path. */
    private static final int LINKS_MAX = 40;

    private static final FileName UP = FileName.of("..");
    private static final FileName HERE = FileName.of(".");

    private final Nfs3Client client;
    private final NfsUrl url;
    private final Mounter.Mounted mounted;

    PathWalk(Nfs3Client client, NfsUrl url, Mounter.Mounted mounted) {
        this.client = client;
        this.url = url;
        this.mounted = mounted;
    }

    /** A directory on the way, and its path. */
    private record Step(NfsPath path, FileHandle handle) {}

    /**
     * Finds a file.
     *
     * @param path from the server's root on
     * @param followsLast whether a symbolic link at the end is followed
     */
    NfsFile find(NfsPath path, boolean followsLast) throws IOException {
        if (!path.startsWith(mounted.path())) {
            throw new IOException(where(path) + ": not in the export " + mounted.path());
        }
        ArrayDeque<FileName> ahead = new ArrayDeque<>();
        for (int i = mounted.path().nameCount(); i < path.nameCount(); i++) {
            ahead.addLast(path.name(i));
        }
        List<Step> way = new ArrayList<>();
        way.add(new Step(mounted.path(), mounted.handle()));
        NfsFile last = null;
        int links = 0;
        while (!ahead.isEmpty()) {
            FileName name = ahead.removeFirst();
            if (name.equals(UP)) {
                last = null;
                if (way.size() > 1) {
                    way.removeLast();
                }
                continue;
            }
            NfsFile found = lookup(way.getLast(), name);
            NfsPath here = way.getLast().path.child(name);
            if (!found.isLink() || (ahead.isEmpty() && !followsLast)) {
                way.add(new Step(here, found.handle()));
                last = found;
                continue;
            }
            if (++links > LINKS_MAX) {
                throw new IOException(where(path) + ": more than " + LINKS_MAX + " symbolic links to follow");
            }
            target(found, here).reversed().forEach(ahead::addFirst);
        }
        return last != null ? last : attributes(way.getLast());
    }

    /** The text of a symbolic link in printable form. */
    String readLink(NfsFile link, NfsPath path) throws IOException {
        return NfsPath.printable(FileName.of(text(link, path).toByteArray()));
    }

    private LinkText text(NfsFile link, NfsPath path) throws IOException {
        return client.await(where(path), client.readlink(link.handle())).text();
    }

    private NfsFile lookup(Step directory, FileName name) throws IOException {
        NfsPath path = directory.path.child(name);
        LookupResult result = client.await(where(path), client.lookup(new DirOpArgs(directory.handle, name)));
        Optional<Fattr3> attributes = result.attributes();
        return attributes.isPresent()
                ? new NfsFile(result.object(), attributes.get())
                : attributes(new Step(path, result.object()));
    }

    private NfsFile attributes(Step step) throws IOException {
        return new NfsFile(step.handle, client.await(where(step.path), client.getattr(step.handle)));
    }

    /** The names that a link stands for. */
    private List<FileName> target(NfsFile link, NfsPath path) throws IOException {
        byte[] text = text(link, path).toByteArray();
        if (text.length == 0 || text[0] == '/') {
            throw new IOException(where(path) + ": a symbolic link to '" + NfsPath.printable(FileName.of(text))
                    + "', which is not a path on this server; only relative links are followed");
        }
        List<FileName> names = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= text.length; i++) {
            if (i == text.length || text[i] == '/') {
                FileName name = FileName.of(java.util.Arrays.copyOfRange(text, start, i));
                if (i > start && !name.equals(HERE)) {
                    names.add(name);
                }
                start = i + 1;
            }
        }
        return names;
    }

    private String where(NfsPath path) {
        return url.withPath(path).toString();
    }
}
