package io.rpcrdma4j.nfs.vfs;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps files open between operations, so that a stream of READs or WRITEs opens its file once.
 *
 * <h2>Operation</h2>
 *
 * {@link #acquire}, use the channel at explicit positions, {@link #release}. At most a given number of idle files stay
 * open, and none longer than 30 seconds beyond its last use, as soon as another file is used.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread; a file is opened outside the lock.
 */
final class OpenFiles implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ReentrantLock lock = new ReentrantLock();
    /** Idle or in use, the one used last at the end; guarded by {@link #lock}. */
    private final LinkedHashMap<Long, OpenFile> files = new LinkedHashMap<>(64, 0.75f, true);

    private final int filesMax;

    /**
     * Makes an empty cache.
     *
     * @param filesMax most files that stay open
     */
    OpenFiles(int filesMax) {
        this.filesMax = filesMax;
    }

    /** An open file. */
    static final class OpenFile {
        private final long fileid;
        private final FileChannel channel;
        private final boolean writable;
        private int users = 1;
        private boolean dropped;
        private long usedNanos;

        private OpenFile(long fileid, FileChannel channel, boolean writable) {
            this.fileid = fileid;
            this.channel = channel;
            this.writable = writable;
        }

        FileChannel channel() {
            return channel;
        }
    }

    /** Opens a file. */
    @FunctionalInterface
    interface Opener {
        FileChannel open(NioNode node, boolean forWriting) throws IOException;
    }

    /** Lends an open file; the caller gives it back with {@link #release}. */
    OpenFile acquire(NioNode node, boolean forWriting, Opener opener) throws IOException {
        OpenFile ready = take(node.fileid(), forWriting);
        return ready != null ? ready : add(node, opener.open(node, forWriting), forWriting);
    }

    /** Adds a file that was just opened, and lends it. */
    OpenFile add(NioNode node, FileChannel channel, boolean writable) {
        OpenFile file = new OpenFile(node.fileid(), channel, writable);
        List<OpenFile> unused = new ArrayList<>();
        lock.lock();
        try {
            drop(files.put(node.fileid(), file), unused);
            trim(unused);
        } finally {
            lock.unlock();
        }
        unused.forEach(OpenFiles::close);
        return file;
    }

    /** Takes a lent file back. */
    void release(OpenFile file) {
        boolean close;
        lock.lock();
        try {
            file.users--;
            file.usedNanos = System.nanoTime();
            close = file.users == 0 && file.dropped;
        } finally {
            lock.unlock();
        }
        if (close) {
            close(file);
        }
    }

    /** Closes a file as soon as nobody uses it. */
    void forget(long fileid) {
        List<OpenFile> unused = new ArrayList<>();
        lock.lock();
        try {
            drop(files.remove(fileid), unused);
        } finally {
            lock.unlock();
        }
        unused.forEach(OpenFiles::close);
    }

    /** Number of files that are open, for gauges. */
    int count() {
        lock.lock();
        try {
            return files.size();
        } finally {
            lock.unlock();
        }
    }

    /** Closes all files that are idle now, and the others when they are released. */
    @Override
    public void close() {
        List<OpenFile> unused = new ArrayList<>();
        lock.lock();
        try {
            files.values().forEach(file -> drop(file, unused));
            files.clear();
        } finally {
            lock.unlock();
        }
        unused.forEach(OpenFiles::close);
    }

    private @Nullable OpenFile take(long fileid, boolean forWriting) {
        lock.lock();
        try {
            OpenFile file = files.get(fileid);
            // A thread that is interrupted in the middle of an operation closes the channel.
            if (file == null || (forWriting && !file.writable) || !file.channel.isOpen()) {
                return null;
            }
            file.users++;
            return file;
        } finally {
            lock.unlock();
        }
    }

    /** Drops what is too much or too old. */
    private void trim(List<OpenFile> unused) {
        long now = System.nanoTime();
        Iterator<Map.Entry<Long, OpenFile>> oldestFirst = files.entrySet().iterator();
        while (oldestFirst.hasNext()) {
            OpenFile file = oldestFirst.next().getValue();
            boolean old = file.users == 0 && now - file.usedNanos > IDLE_NANOS;
            if (!old && files.size() <= filesMax) {
                break;
            }
            oldestFirst.remove();
            drop(file, unused);
        }
    }

    private static void drop(@Nullable OpenFile file, List<OpenFile> unused) {
        if (file != null) {
            file.dropped = true;
            if (file.users == 0) {
                unused.add(file);
            }
        }
    }

    private static void close(OpenFile file) {
        try {
            file.channel.close();
        } catch (IOException e) {
            // Nobody can be told. A COMMIT opens the file anew, and the kernel reports there what it could not write.
            LOG.warn("Closing file {}: {}", Long.toUnsignedString(file.fileid), e.toString());
        }
    }
}
