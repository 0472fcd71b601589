package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.DirOpArgs;
import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.LookupResult;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.ReaddirArgs;
import io.rpcrdma4j.nfs.wire.ReaddirResult;
import io.rpcrdma4j.nfs.wire.ReaddirplusArgs;
import io.rpcrdma4j.nfs.wire.ReaddirplusResult;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/** Lists a directory to its end, with as many calls as it takes. Used by one thread. */
final class DirectoryListing {
    /** Fewest bytes of a reply that are asked for: a longest name with everything that goes with it fits. */
    private static final int REPLY_BYTES_MIN = 8192;

    private final Nfs3Client client;
    private final FileHandle directory;
    private final String where;
    private final int replyBytes;
    private long cookie;
    private long verifier;

    DirectoryListing(Nfs3Client client, FileHandle directory, String where, long preferredBytes) {
        this.client = client;
        this.directory = directory;
        this.where = where;
        this.replyBytes = Math.clamp(preferredBytes, REPLY_BYTES_MIN, Nfs3Client.DIRECTORY_BYTES_MAX);
    }

    /**
     * Lists it.
     *
     * @param withFiles whether entries should say what they are
     * @param entries told every name but {@code .} and {@code ..}
     */
    void run(boolean withFiles, Consumer<NfsEntry> entries) throws IOException {
        if (!withFiles || !listPlus(entries)) {
            listNames(withFiles, entries);
        }
    }

    /** False if the server has no READDIRPLUS. */
    private boolean listPlus(Consumer<NfsEntry> entries) throws IOException {
        boolean atEnd = false;
        while (!atEnd) {
            ReaddirplusResult page;
            try {
                page = client.await(
                        where,
                        client.readdirplus(new ReaddirplusArgs(directory, cookie, verifier, replyBytes, replyBytes)));
            } catch (NfsException e) {
                if (e.status() == NfsStatus.NFS3ERR_NOTSUPP && cookie == 0) {
                    return false;
                }
                throw e;
            }
            for (ReaddirplusResult.Entry entry : page.entries()) {
                cookie = entry.cookie();
                if (!isDots(entry.name())) {
                    Optional<Fattr3> attributes = entry.attributes();
                    Optional<NfsFile> file =
                            attributes.isPresent() && !entry.object().isEmpty()
                                    ? Optional.of(new NfsFile(entry.object(), attributes.get()))
                                    : lookup(entry.name());
                    file.ifPresent(found -> entries.accept(new NfsEntry(entry.name(), Optional.of(found))));
                }
            }
            verifier = page.verifier();
            atEnd = page.atEnd();
            requireProgress(atEnd, page.entries().isEmpty());
        }
        return true;
    }

    private void listNames(boolean withFiles, Consumer<NfsEntry> entries) throws IOException {
        boolean atEnd = false;
        while (!atEnd) {
            ReaddirResult page =
                    client.await(where, client.readdir(new ReaddirArgs(directory, cookie, verifier, replyBytes)));
            for (ReaddirResult.Entry entry : page.entries()) {
                cookie = entry.cookie();
                if (isDots(entry.name())) {
                    continue;
                }
                Optional<NfsFile> file = withFiles ? lookup(entry.name()) : Optional.empty();
                if (!withFiles || file.isPresent()) {
                    entries.accept(new NfsEntry(entry.name(), file));
                }
            }
            verifier = page.verifier();
            atEnd = page.atEnd();
            requireProgress(atEnd, page.entries().isEmpty());
        }
    }

    /** What has a name that the directory had just now; empty if it was removed meanwhile. */
    private Optional<NfsFile> lookup(FileName name) throws IOException {
        try {
            LookupResult found = client.await(where, client.lookup(new DirOpArgs(directory, name)));
            Fattr3 attributes = found.attributes().isPresent()
                    ? found.attributes().get()
                    : client.await(where, client.getattr(found.object()));
            return Optional.of(new NfsFile(found.object(), attributes));
        } catch (NfsException e) {
            if (e.status() == NfsStatus.NFS3ERR_NOENT || e.status() == NfsStatus.NFS3ERR_STALE) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void requireProgress(boolean atEnd, boolean isEmpty) throws IOException {
        if (!atEnd && isEmpty) {
            throw new IOException(where + ": the server lists no more names and does not say that it is at the end");
        }
    }

    private static boolean isDots(FileName name) {
        int length = name.length();
        return (length == 1 || length == 2) && name.byteAt(0) == '.' && name.byteAt(length - 1) == '.';
    }
}
