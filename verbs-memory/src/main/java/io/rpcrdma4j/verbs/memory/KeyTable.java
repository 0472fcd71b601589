package io.rpcrdma4j.verbs.memory;

import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** The keys (STags) of a device: open addressing, so that binding a window allocates nothing. Guarded by the lock. */
final class KeyTable {

    private @Nullable Exposure[] slots = new @Nullable Exposure[64];
    private int size;
    private final IntSupplier randomInts;

    KeyTable(IntSupplier randomInts) {
        this.randomInts = randomInts;
    }

    int size() {
        return size;
    }

    @Nullable
    Exposure get(int key) {
        for (int i = home(key); ; i = i + 1 & slots.length - 1) {
            Exposure exposure = slots[i];
            if (exposure == null || exposure.key == key) {
                return exposure;
            }
        }
    }

    /** Gives the exposure a fresh random key, never 0, and enters it. */
    void add(Exposure exposure) {
        if ((size + 1) * 2 > slots.length) {
            grow();
        }
        int key;
        do {
            key = randomInts.getAsInt();
        } while (key == 0 || get(key) != null);
        exposure.key = key;
        insert(exposure);
        size++;
    }

    void remove(Exposure exposure) {
        int i = home(exposure.key);
        while (slots[i] != exposure) {
            if (slots[i] == null) {
                return;
            }
            i = i + 1 & slots.length - 1;
        }
        slots[i] = null;
        size--;
        // What follows in the cluster may have been displaced by it.
        for (int j = i + 1 & slots.length - 1; ; j = j + 1 & slots.length - 1) {
            Exposure displaced = slots[j];
            if (displaced == null) {
                return;
            }
            slots[j] = null;
            insert(displaced);
        }
    }

    private void insert(Exposure exposure) {
        int i = home(exposure.key);
        while (slots[i] != null) {
            i = i + 1 & slots.length - 1;
        }
        slots[i] = exposure;
    }

    private void grow() {
        @Nullable Exposure[] old = slots;
        slots = new @Nullable Exposure[old.length * 2];
        for (Exposure exposure : old) {
            if (exposure != null) {
                insert(exposure);
            }
        }
    }

    private int home(int key) {
        return key & slots.length - 1; // keys are random already
    }
}
