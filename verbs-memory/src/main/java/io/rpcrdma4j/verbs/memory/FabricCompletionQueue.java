package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.CompletionListener;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A completion queue of the fabric; its lane carries the calls of the listener. */
final class FabricCompletionQueue extends Lane implements CompletionQueue {

    private final FabricDevice device;
    private final int depth;
    private final CompletionListener listener;
    private final ArrayDeque<Cqe> entries = new ArrayDeque<>();
    private final List<FabricQueuePair> users = new ArrayList<>();
    private boolean armed;
    private boolean due;
    private boolean overflown;
    private boolean open = true;

    FabricCompletionQueue(FabricDevice device, int depth, @Nullable Worker home, CompletionListener listener) {
        super(device.scheduler, home);
        this.device = device;
        this.depth = depth;
        this.listener = listener;
    }

    FabricDevice device() {
        return device;
    }

    boolean isOpen() {
        return open;
    }

    /** With the lock held. */
    void attach(FabricQueuePair user) {
        users.add(user);
    }

    /** With the lock held: forgets a queue pair and its completions. */
    void detach(FabricQueuePair user) {
        users.remove(user);
        for (Iterator<Cqe> i = entries.iterator(); i.hasNext(); ) {
            Cqe entry = i.next();
            if (entry.queuePair == user) {
                i.remove();
                device.discard(entry);
            }
        }
    }

    /** With the lock held. Takes ownership of {@code entry}. */
    void push(Cqe entry) {
        if (overflown || !open) {
            device.discard(entry);
            return;
        }
        if (entries.size() == depth) {
            overflown = true;
            device.discard(entry);
            for (FabricQueuePair user : List.copyOf(users)) {
                user.fail("a completion queue of " + depth + " entries overflowed");
            }
        } else {
            entries.add(entry);
        }
        if (armed) {
            armed = false;
            due = true;
            wake();
        }
    }

    @Override
    public int poll(WorkCompletion[] into) {
        scheduler.lock.lock();
        try {
            int count = 0;
            while (count < into.length) {
                Cqe entry = entries.poll();
                if (entry == null) {
                    break;
                }
                FabricQueuePair from = entry.queuePair;
                entry.writeTo(into[count], from == null ? 0 : from.number());
                if (from != null) {
                    from.onPolled(entry);
                }
                device.recycle(entry);
                count++;
            }
            return count;
        } finally {
            scheduler.lock.unlock();
        }
    }

    @Override
    public boolean arm() {
        scheduler.lock.lock();
        try {
            armed = open;
            return !entries.isEmpty() || overflown;
        } finally {
            scheduler.lock.unlock();
        }
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public boolean isOverflown() {
        scheduler.lock.lock();
        try {
            return overflown;
        } finally {
            scheduler.lock.unlock();
        }
    }

    @Override
    public void close() {
        scheduler.lock.lock();
        try {
            if (!users.isEmpty()) {
                throw new IllegalStateException(users.size() + " queue pairs still report to the completion queue");
            }
            release();
            scheduler.awaitQuiet(this);
        } finally {
            scheduler.lock.unlock();
        }
    }

    /** With the lock held. */
    void release() {
        if (open) {
            open = false;
            armed = false;
            due = false;
            entries.forEach(device::discard);
            entries.clear();
            device.completionQueues.remove(this);
        }
    }

    @Override
    boolean hasWork() {
        return due;
    }

    @Override
    boolean advance() {
        due = false;
        return open;
    }

    @Override
    void callOut() {
        listener.onCompletions(this);
    }
}
