package io.rpcrdma4j.verbs.iwarp.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The STags of a device. An STag is 24 bits of index and 8 bits of key (RFC 5040 section 4.1 leaves this to us); both
 * are random, so that a peer can't guess what it was not told. Indices have their top bit clear: STags with bit 31 are
 * those of {@linkplain OutboundReads RDMA Read sinks}, which no table holds.
 *
 * <h2>Operation</h2>
 *
 * A hash table with linear probing. A slot that was ever used is never empty again in the same array (a removed key
 * leaves a tombstone), so that {@link #enter}, which takes no lock, can't overlook a key that is there.
 *
 * <h2>Threading</h2>
 *
 * Any thread; {@link #insert} and {@link #remove} take a lock, {@link #enter} does not. The volatile read of the array
 * and of its slots pairs with the volatile writes under the lock.
 */
public final class KeyTable {

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(RemoteKey[].class);
    private static final RemoteKey TOMBSTONE = new RemoteKey(false);
    private static final int INDEX_MASK = 0x7FFF_FF00;
    private static final int KEYS_MAX = 1 << 22;

    private final IntSupplier random;
    private volatile @Nullable RemoteKey[] slots = new RemoteKey[64];
    private int live;
    private int used;

    /** @param random gives 32 unpredictable bits a call; called under the table's lock */
    public KeyTable(IntSupplier random) {
        this.random = random;
    }

    /**
     * Gives {@code key} a fresh STag and address, and makes it valid.
     *
     * @return false if the device has as many keys as it can have
     */
    public synchronized boolean insert(RemoteKey key) {
        if (live >= KEYS_MAX) {
            return false;
        }
        if ((used + 1) * 2 > slots.length) {
            rebuild();
        }
        int stag;
        do {
            stag = random.getAsInt() & Integer.MAX_VALUE;
        } while ((stag & INDEX_MASK) == 0 || holdsIndexOf(stag));
        // The address is part of the secret, and differs for every key, so that an offset for one is none for another.
        key.validate(stag, (long) stag << 12);
        @Nullable RemoteKey[] array = slots;
        int at = home(stag, array);
        while (array[at] != null && array[at] != TOMBSTONE) {
            at = (at + 1) & (array.length - 1);
        }
        if (array[at] == null) {
            used++;
        }
        live++;
        SLOT.setVolatile(array, at, key);
        return true;
    }

    /** Takes {@code key} out; does nothing if it is not there. */
    public synchronized void remove(RemoteKey key) {
        @Nullable RemoteKey[] array = slots;
        int at = home(key.stag(), array);
        for (RemoteKey each = array[at]; each != null; each = array[at]) {
            if (each == key) {
                SLOT.setVolatile(array, at, TOMBSTONE);
                live--;
                return;
            }
            at = (at + 1) & (array.length - 1);
        }
    }

    /**
     * Revokes and takes out every key that lies in {@code memory}.
     *
     * @param quiet called for each; returns when {@link RemoteKey#isQuiet()}
     */
    public void revokeAllOf(RegisteredMemory memory, Consumer<RemoteKey> quiet) {
        @Nullable RemoteKey[] array = slots;
        for (int i = 0; i < array.length; i++) {
            RemoteKey key = (RemoteKey) SLOT.getVolatile(array, i);
            if (key != null && key != TOMBSTONE && key.enterIfIn(memory)) {
                key.revoke();
                remove(key);
                key.exit();
                quiet.accept(key);
            }
        }
    }

    /** How many keys there are (gauge). */
    public synchronized int size() {
        return live;
    }

    /**
     * Finds and enters the key with this STag.
     *
     * @return null if there is none; else the caller must {@link RemoteKey#exit()}
     */
    @Nullable
    RemoteKey enter(int stag) {
        @Nullable RemoteKey[] array = slots;
        int at = home(stag, array);
        while (true) {
            RemoteKey each = (RemoteKey) SLOT.getVolatile(array, at);
            if (each == null) {
                return null;
            }
            if (each != TOMBSTONE && each.tryEnter(stag)) {
                return each;
            }
            at = (at + 1) & (array.length - 1);
        }
    }

    private boolean holdsIndexOf(int stag) {
        @Nullable RemoteKey[] array = slots;
        int at = home(stag, array);
        for (RemoteKey each = array[at]; each != null; each = array[at]) {
            if (each != TOMBSTONE && (each.stag() & INDEX_MASK) == (stag & INDEX_MASK)) {
                return true;
            }
            at = (at + 1) & (array.length - 1);
        }
        return false;
    }

    private void rebuild() {
        int capacity = 64;
        while (capacity < live * 4 + 4) {
            capacity *= 2;
        }
        @Nullable RemoteKey[] bigger = new RemoteKey[capacity];
        for (RemoteKey key : slots) {
            if (key != null && key != TOMBSTONE) {
                int at = home(key.stag(), bigger);
                while (bigger[at] != null) {
                    at = (at + 1) & (capacity - 1);
                }
                bigger[at] = key;
            }
        }
        used = live;
        slots = bigger;
    }

    /** Where the search for an STag starts; its key byte does not count, so that an index is taken only once. */
    private static int home(int stag, @Nullable RemoteKey[] array) {
        return (((stag >>> 8) * 0x9E37_79B9) >>> 8) & (array.length - 1);
    }
}
