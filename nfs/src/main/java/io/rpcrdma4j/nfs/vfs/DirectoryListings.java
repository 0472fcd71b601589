package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.FileName;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what directories contained, so that a listing in many calls reads its directory once.
 *
 * <p>A listing that begins gets what is there now: a snapshot is used again only if the directory has not changed
 * since. One that goes on gets the snapshot that there is, for a while, even if the directory has changed: names that
 * came or went since the listing began may or may not be listed, as POSIX has it, and removing a directory's files
 * while listing it does not cost a reading per call. Of a very large directory, a range of names at a time is kept.
 *
 * <p>May be used from any thread.
 */
final class DirectoryListings {
    /** Most names in one snapshot. */
    static final int NAMES_MAX = 1 << 18;

    private static final int SNAPSHOTS_MAX = 256;
    private static final int ALL_NAMES_MAX = 4 * NAMES_MAX;
    private static final long GOES_ON_NANOS = TimeUnit.MINUTES.toNanos(2);
    /** Times of files advance in steps; a change that is this young may have a successor with the same time. */
    private static final long STEP_MILLIS = 50;

    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<Long, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
    private int names;

    private final NioNames codec;
    private final SipHash hash;
    private final int namesMax;

    /** A snapshot, the directory's change time that it belongs to, and when it was taken. */
    private record Kept(
            DirectorySnapshot snapshot, long changeSeconds, int changeNanos, boolean settled, long takenNanos) {}

    DirectoryListings(NioNames codec, SipHash hash, int namesMax) {
        this.codec = codec;
        this.hash = hash;
        this.namesMax = namesMax;
    }

    /**
     * The kept names of a directory behind {@code cookie}, or null if the directory must be read.
     *
     * @param directory its attributes, just read
     */
    @Nullable
    DirectorySnapshot find(FileAttributes directory, long cookie) {
        lock.lock();
        try {
            Kept found = kept.get(directory.fileid());
            if (found == null || !found.snapshot().covers(Math.max(cookie, DirectorySnapshot.FIRST_COOKIE - 1))) {
                return null;
            }
            boolean usable = cookie < DirectorySnapshot.FIRST_COOKIE
                    ? found.settled()
                            && found.changeSeconds() == directory.changeSeconds()
                            && found.changeNanos() == directory.changeNanos()
                    : System.nanoTime() - found.takenNanos() < GOES_ON_NANOS;
            return usable ? found.snapshot() : null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reads a directory and keeps what it finds.
     *
     * @param directory its attributes, read before the stream was opened
     * @param entries the opened directory; closed here
     */
    DirectorySnapshot read(FileAttributes directory, DirectoryStream<Path> entries, long cookie) throws IOException {
        long changedMillis = directory.changeSeconds() * 1_000 + directory.changeNanos() / 1_000_000;
        boolean settled = System.currentTimeMillis() - changedMillis > STEP_MILLIS;
        DirectorySnapshot snapshot = take(entries, Math.max(cookie, DirectorySnapshot.FIRST_COOKIE - 1));
        Kept keep = new Kept(snapshot, directory.changeSeconds(), directory.changeNanos(), settled, System.nanoTime());
        lock.lock();
        try {
            Kept old = kept.put(directory.fileid(), keep);
            names += snapshot.size() - (old == null ? 0 : old.snapshot().size());
            trim();
        } finally {
            lock.unlock();
        }
        return snapshot;
    }

    /** Number of names that are kept, for gauges. */
    int names() {
        lock.lock();
        try {
            return names;
        } finally {
            lock.unlock();
        }
    }

    private DirectorySnapshot take(DirectoryStream<Path> entries, long above) throws IOException {
        List<DirectorySnapshot.Entry> found = new ArrayList<>();
        boolean complete = true;
        try (entries) {
            for (Path path : entries) {
                FileName name = codec.nameOf(path);
                byte[] bytes = name.toByteArray();
                long cookie = DirectorySnapshot.cookie(hash.hash(bytes, 0, bytes.length));
                if (cookie > above) {
                    found.add(new DirectorySnapshot.Entry(cookie, name));
                }
                if (found.size() == 2 * namesMax) {
                    found.sort(DirectorySnapshot.ORDER);
                    found.subList(namesMax, found.size()).clear();
                    complete = false;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        found.sort(DirectorySnapshot.ORDER);
        if (found.size() > namesMax) {
            found.subList(namesMax, found.size()).clear();
            complete = false;
        }
        return new DirectorySnapshot(found, above, complete);
    }

    private void trim() {
        Iterator<Kept> oldestFirst = kept.values().iterator();
        while (oldestFirst.hasNext() && (kept.size() > SNAPSHOTS_MAX || names > ALL_NAMES_MAX)) {
            names -= oldestFirst.next().snapshot().size();
            oldestFirst.remove();
        }
    }
}
