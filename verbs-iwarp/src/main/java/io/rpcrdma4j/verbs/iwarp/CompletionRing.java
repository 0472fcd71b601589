package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.CompletionHandler;
import io.rpcrdma4j.verbs.CompletionListener;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue.
 *
 * <h2>Operation</h2>
 *
 * Connections put finished work in; {@link #poll} copies it out and frees the send-queue entries that it covers. A put
 * that finds the queue armed disarms it and leaves it to the putter to call {@link #tell}, once it holds no lock.
 *
 * <h2>Threading</h2>
 *
 * Any thread; one lock, held for a few copies.
 */
final class CompletionRing implements CompletionQueue {

    private static final class Entry {
        private @Nullable IwarpQueuePair queuePair;
        private long id;
        private @Nullable CompletionHandler handler;
        private Opcode opcode = Opcode.SEND;
        private CompletionStatus status = CompletionStatus.SUCCESS;
        private int bytes;
        private int freedEntries;
        private boolean isInvalidated;
        private int invalidatedKey;
        private @Nullable String detail;
    }

    private final IwarpDevice device;
    private final int depth;
    private final EventLoop loop;
    private final CompletionListener listener;
    private final Runnable tellTask = this::callListener;
    private final Object lock = new Object();
    private final @Nullable Entry[] entries;
    private final Set<IwarpQueuePair> users = new HashSet<>();
    private int head;
    private int count;
    private boolean isArmed;
    private boolean isTellDue;
    private volatile boolean isOverflown;
    private boolean isOverflowHandled;
    private volatile boolean isClosed;

    CompletionRing(IwarpDevice device, int depth, EventLoop loop, CompletionListener listener) {
        this.device = device;
        this.depth = depth;
        this.loop = loop;
        this.listener = listener;
        this.entries = new Entry[Integer.highestOneBit(depth * 2 - 1)];
    }

    EventLoop loop() {
        return loop;
    }

    void attach(IwarpQueuePair user) {
        synchronized (lock) {
            if (isClosed) {
                throw new IllegalStateException("the completion queue is closed");
            }
            users.add(user);
        }
    }

    /** A queue pair is gone, and with it what it had reported. */
    void detach(IwarpQueuePair user) {
        synchronized (lock) {
            if (!users.remove(user)) {
                return;
            }
            int kept = 0;
            for (int i = 0; i < count; i++) {
                int from = (head + i) & (entries.length - 1);
                Entry entry = entries[from];
                if (entry != null && entry.queuePair != user) {
                    int to = (head + kept++) & (entries.length - 1);
                    entries[from] = entries[to];
                    entries[to] = entry;
                }
            }
            count = kept;
        }
    }

    /** Puts a send-queue completion in; tells whether {@link #tell} is to be called. */
    boolean put(
            IwarpQueuePair queuePair,
            SendRequest request,
            CompletionStatus status,
            int bytes,
            int freedEntries,
            @Nullable String detail) {
        synchronized (lock) {
            Entry entry = next();
            if (entry == null) {
                return true;
            }
            entry.queuePair = queuePair;
            entry.id = request.id();
            entry.handler = request.handler();
            entry.opcode = request.opcode();
            entry.status = status;
            entry.bytes = bytes;
            entry.freedEntries = freedEntries;
            entry.isInvalidated = false;
            entry.detail = detail;
            return disarm();
        }
    }

    /** Puts a Receive's completion in; tells whether {@link #tell} is to be called. */
    boolean put(
            IwarpQueuePair queuePair,
            ReceiveRequest request,
            CompletionStatus status,
            int bytes,
            boolean isInvalidated,
            int invalidatedKey,
            @Nullable String detail) {
        synchronized (lock) {
            Entry entry = next();
            if (entry == null) {
                return true;
            }
            entry.queuePair = queuePair;
            entry.id = request.id();
            entry.handler = request.handler();
            entry.opcode = Opcode.RECEIVE;
            entry.status = status;
            entry.bytes = bytes;
            entry.freedEntries = 0;
            entry.isInvalidated = isInvalidated;
            entry.invalidatedKey = invalidatedKey;
            entry.detail = detail;
            return disarm();
        }
    }

    private @Nullable Entry next() {
        if (count == depth) {
            isOverflown = true;
            return null;
        }
        int at = (head + count) & (entries.length - 1);
        count++;
        Entry entry = entries[at];
        if (entry == null) {
            entry = new Entry();
            entries[at] = entry;
        }
        return entry;
    }

    private boolean disarm() {
        if (!isArmed) {
            return false;
        }
        isArmed = false;
        isTellDue = true;
        return true;
    }

    /**
     * Tells the listener, here or on the queue's thread; and the queue pairs, if the queue overflowed. Call without
     * locks.
     *
     * @param inPost whether this is inside a call that posts
     */
    void tell(boolean inPost) {
        if (isOverflown) {
            failUsers();
        }
        synchronized (lock) {
            if (!isTellDue) {
                return;
            }
            isTellDue = false;
        }
        if (inPost || loop.isCurrent()) {
            callListener();
        } else {
            loop.execute(tellTask);
        }
    }

    private void callListener() {
        if (!isClosed) {
            listener.onCompletions(this);
        }
    }

    private void failUsers() {
        IwarpQueuePair[] all;
        synchronized (lock) {
            if (isOverflowHandled) {
                return;
            }
            isOverflowHandled = true;
            all = users.toArray(new IwarpQueuePair[0]);
        }
        for (IwarpQueuePair each : all) {
            each.fail("its completion queue overflowed");
        }
    }

    @Override
    public int poll(WorkCompletion[] into) {
        synchronized (lock) {
            int n = Math.min(count, into.length);
            for (int i = 0; i < n; i++) {
                Entry entry = entries[head];
                head = (head + 1) & (entries.length - 1);
                if (entry != null) {
                    report(entry, into[i]);
                }
            }
            count -= n;
            return n;
        }
    }

    private static void report(Entry entry, WorkCompletion into) {
        IwarpQueuePair queuePair = entry.queuePair;
        int number = 0;
        if (queuePair != null) {
            number = queuePair.number();
            if (entry.freedEntries > 0) {
                queuePair.freeSendEntries(entry.freedEntries);
            }
        }
        if (entry.status == CompletionStatus.SUCCESS) {
            into.setSuccess(number, entry.id, entry.handler, entry.opcode, entry.bytes);
            if (entry.isInvalidated) {
                into.setInvalidatedKey(entry.invalidatedKey);
            }
        } else {
            into.setFailure(number, entry.id, entry.handler, entry.opcode, entry.status, entry.detail);
        }
        entry.queuePair = null;
        entry.handler = null;
        entry.detail = null;
    }

    @Override
    public boolean arm() {
        synchronized (lock) {
            if (count > 0) {
                return true;
            }
            isArmed = true;
            return false;
        }
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public boolean isOverflown() {
        return isOverflown;
    }

    @Override
    public void close() {
        synchronized (lock) {
            if (isClosed) {
                return;
            }
            if (!users.isEmpty()) {
                throw new IllegalStateException(users.size() + " queue pairs still report to the completion queue");
            }
            isClosed = true;
        }
        device.forget(this);
    }
}
