package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.rpc.AcceptStatus;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the replies of calls that must not be done twice. A client that lost its connection sends such a call
 * again, with the same transaction id, over another one; it then gets the reply that it missed.
 *
 * <p>A call is known by the client's address without its port (on RDMA the port means nothing), transaction id,
 * procedure, and its arguments: all of them, not a checksum. If the first is still being done, the second waits for its
 * reply.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread.
 */
final class ReplyCache {
    /** How long a reply is remembered; a client that comes later starts anew. */
    private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(120);
    /** Most calls that wait for one that is being done. */
    private static final int WAITING_MAX = 4;

    private final ReentrantLock lock = new ReentrantLock();
    /** Oldest first; guarded by {@link #lock}. */
    private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>();

    private final int capacity;
    private final LongSupplier clock;

    private record Key(InetAddress client, int xid, NfsProcedure procedure) {}

    private static final class Entry {
        private final Object arguments;
        private final long bornNanos;
        private byte @Nullable [] results;
        private final List<RpcServerCall> waiting = new ArrayList<>(0);

        private Entry(Object arguments, long bornNanos) {
            this.arguments = arguments;
            this.bornNanos = bornNanos;
        }
    }

    /** Does a call and writes its results. */
    @FunctionalInterface
    interface Work {
        void run(XdrWriter results);
    }

    /**
     * Makes an empty cache.
     *
     * @param capacity most replies that it remembers
     * @param clock gives nanoseconds
     */
    ReplyCache(int capacity, LongSupplier clock) {
        this.capacity = capacity;
        this.clock = clock;
    }

    /**
     * Answers a call, by doing it or from memory.
     *
     * @param arguments a value with equality
     */
    void serve(RpcServerCall call, NfsProcedure procedure, Object arguments, Work work) {
        Key key = new Key(call.connection().remoteAddress().getAddress(), call.xid(), procedure);
        Entry entry = claim(key, arguments, call);
        if (entry == null) {
            return;
        }
        byte[] results = entry.results;
        if (results != null) {
            replay(call, results);
        } else {
            execute(call, key, entry, work);
        }
    }

    /** Number of replies that are remembered, those in the making included. */
    int size() {
        lock.lock();
        try {
            return entries.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Finds out what to do with a call.
     *
     * @return an entry with results to be sent again, or one without, which the call must be done for; null if the call
     *     now waits for its twin, or was dropped
     */
    private @Nullable Entry claim(Key key, Object arguments, RpcServerCall call) {
        boolean drop = false;
        lock.lock();
        try {
            long now = clock.getAsLong();
            Entry found = entries.get(key);
            if (found != null && found.arguments.equals(arguments) && now - found.bornNanos < KEEP_NANOS) {
                if (found.results != null) {
                    return found;
                }
                drop = found.waiting.size() == WAITING_MAX;
                if (!drop) {
                    found.waiting.add(call);
                    return null;
                }
            } else {
                Entry entry = new Entry(arguments, now);
                entries.remove(key);
                entries.put(key, entry);
                trim(now);
                return entry;
            }
        } finally {
            lock.unlock();
        }
        if (drop) {
            call.drop();
        }
        return null;
    }

    private void execute(RpcServerCall call, Key key, Entry entry, Work work) {
        byte[] results = null;
        try {
            XdrWriter writer = call.success();
            long start = writer.position();
            work.run(writer);
            results = copy(writer, start);
        } finally {
            List<RpcServerCall> waiting = finish(key, entry, results);
            for (RpcServerCall twin : waiting) {
                if (results == null) {
                    twin.fail(AcceptStatus.SYSTEM_ERR);
                } else {
                    replay(twin, results);
                }
            }
        }
        call.reply();
    }

    /** Remembers results; without results forgets the call. */
    private List<RpcServerCall> finish(Key key, Entry entry, byte @Nullable [] results) {
        lock.lock();
        try {
            entry.results = results;
            if (results == null) {
                entries.remove(key, entry);
            }
            List<RpcServerCall> waiting = List.copyOf(entry.waiting);
            entry.waiting.clear();
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets what is too old or too much, but nothing that is being done. */
    private void trim(long now) {
        Iterator<Entry> oldestFirst = entries.values().iterator();
        int left = entries.size();
        while (oldestFirst.hasNext()) {
            Entry entry = oldestFirst.next();
            if (left <= capacity && now - entry.bornNanos < KEEP_NANOS) {
                break;
            }
            if (entry.results != null) {
                oldestFirst.remove();
                left--;
            }
        }
    }

    private static byte[] copy(XdrWriter writer, long start) {
        XdrBuffer message = writer.finish();
        byte[] results = new byte[Math.toIntExact(writer.position() - start)];
        message.copyTo(start, MemorySegment.ofArray(results), 0, results.length);
        return results;
    }

    private static void replay(RpcServerCall call, byte[] results) {
        call.success().writeFixed(results);
        call.reply();
    }
}
