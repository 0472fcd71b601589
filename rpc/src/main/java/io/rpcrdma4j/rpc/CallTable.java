package io.rpcrdma4j.rpc;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls that a transport has under way, by XID: an open hash table that allocates only when it grows. For
 * transports.
 *
 * <p>Used by one thread at a time.
 */
public final class CallTable {
    private static final int INITIAL = 64;

    /** Linear probing; a power of two long and at most half full. */
    private @Nullable PendingCall[] slots = new @Nullable PendingCall[INITIAL];

    private int size;

    /** Makes an empty table. */
    public CallTable() {}

    /** Number of calls. */
    public int size() {
        return size;
    }

    /**
     * Adds a call.
     *
     * @throws IllegalArgumentException if there is one with its XID
     */
    public void add(PendingCall call) {
        if (size * 2 >= slots.length) {
            grow();
        }
        insert(call);
        size++;
    }

    /** The call with this XID, or null. */
    public @Nullable PendingCall get(int xid) {
        int mask = slots.length - 1;
        for (int i = spread(xid) & mask; ; i = (i + 1) & mask) {
            PendingCall call = slots[i];
            if (call == null || call.xid() == xid) {
                return call;
            }
        }
    }

    /** Takes the call with this XID out, or returns null. */
    public @Nullable PendingCall remove(int xid) {
        int mask = slots.length - 1;
        for (int i = spread(xid) & mask; ; i = (i + 1) & mask) {
            PendingCall call = slots[i];
            if (call == null) {
                return null;
            }
            if (call.xid() == xid) {
                close(i);
                size--;
                return call;
            }
        }
    }

    /** Takes any call out, or returns null if there is none: for emptying the table. */
    public @Nullable PendingCall removeAny() {
        for (int i = 0; size > 0 && i < slots.length; i++) {
            PendingCall call = slots[i];
            if (call != null) {
                close(i);
                size--;
                return call;
            }
        }
        return null;
    }

    /** All calls, in no order; a new list. */
    public List<PendingCall> toList() {
        List<PendingCall> all = new ArrayList<>(size);
        for (PendingCall call : slots) {
            if (call != null) {
                all.add(call);
            }
        }
        return all;
    }

    /** A call whose time is up, or null. It stays in the table. */
    public @Nullable PendingCall overdue(long nowNanos) {
        for (PendingCall call : slots) {
            if (call != null && call.isOverdue(nowNanos)) {
                return call;
            }
        }
        return null;
    }

    /** Nanoseconds until the first deadline of all calls, 0 if it has passed, {@link Long#MAX_VALUE} without any. */
    public long untilDeadline(long nowNanos) {
        long first = Long.MAX_VALUE;
        for (PendingCall call : slots) {
            if (call != null && call.hasDeadline()) {
                first = Math.min(first, Math.max(0, call.deadlineNanos() - nowNanos));
            }
        }
        return first;
    }

    private void insert(PendingCall call) {
        int mask = slots.length - 1;
        int i = spread(call.xid()) & mask;
        for (PendingCall other = slots[i]; other != null; other = slots[i]) {
            if (other.xid() == call.xid()) {
                throw new IllegalArgumentException("xid " + Integer.toUnsignedString(call.xid()) + " is in use");
            }
            i = (i + 1) & mask;
        }
        slots[i] = call;
    }

    /** Empties a slot and moves those behind it up, so that probing never meets a hole. */
    private void close(int hole) {
        int mask = slots.length - 1;
        int free = hole;
        slots[free] = null;
        for (int i = (hole + 1) & mask; ; i = (i + 1) & mask) {
            PendingCall call = slots[i];
            if (call == null) {
                return;
            }
            int home = spread(call.xid()) & mask;
            if (((i - home) & mask) >= ((i - free) & mask)) {
                slots[free] = call;
                slots[i] = null;
                free = i;
            }
        }
    }

    private void grow() {
        @Nullable PendingCall[] old = slots;
        slots = new @Nullable PendingCall[old.length * 2];
        for (PendingCall call : old) {
            if (call != null) {
                insert(call);
            }
        }
    }

    private static int spread(int xid) {
        int h = xid * 0x9e3779b9;
        return h ^ (h >>> 16);
    }
}
