package io.rpcrdma4j.nfs.vfs;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A hash table from file numbers to positions in a log, in a mapped file: the operating system keeps what is in use in
 * memory and may write the rest out. It is rebuilt from the log at each start and not kept.
 *
 * <p>Slots of 16 bytes, number and position; a number of 0 is an empty slot, a position of 0 one whose file was
 * forgotten. Open addressing with linear probing, at most half full. Used by one thread at a time.
 */
final class NodeIndex implements Closeable {
    private static final long SLOT = 16;
    private static final long FIRST_CAPACITY = 1 << 12;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final Path file;
    private Arena arena;
    private MemorySegment slots;
    /** A power of two. */
    private long capacity;
    /** Slots with a number, forgotten ones included. */
    private long taken;

    private long live;

    NodeIndex(Path file) throws IOException {
        this.file = file;
        capacity = FIRST_CAPACITY;
        arena = newArena();
        slots = map(arena, capacity);
    }

    /** The position of a file, 0 if there is none. */
    long get(long fileid) {
        return slots.get(LONG, slot(fileid) + 8);
    }

    /** Sets the position of a file; 0 forgets it. */
    void put(long fileid, long position) throws IOException {
        long slot = slot(fileid);
        if (slots.get(LONG, slot) == 0) {
            if (position == 0) {
                return;
            }
            if (2 * (taken + 1) > capacity) {
                rehash();
                slot = slot(fileid);
            }
            slots.set(LONG, slot, fileid);
            taken++;
        }
        long old = slots.get(LONG, slot + 8);
        live += (position == 0 ? 0 : 1) - (old == 0 ? 0 : 1);
        slots.set(LONG, slot + 8, position);
    }

    /** Number of files that have a position. */
    long size() {
        return live;
    }

    /** Number of slots, for {@link #fileidAt}. */
    long capacity() {
        return capacity;
    }

    /** The number in slot {@code index} if it has a position, else 0. */
    long fileidAt(long index) {
        return slots.get(LONG, SLOT * index + 8) == 0 ? 0 : slots.get(LONG, SLOT * index);
    }

    /** Empties the table. */
    void clear() throws IOException {
        replace(FIRST_CAPACITY);
    }

    @Override
    public void close() throws IOException {
        arena.close();
        Files.deleteIfExists(file);
    }

    private void rehash() throws IOException {
        MemorySegment old = slots;
        Arena oldArena = arena;
        long oldCapacity = capacity;
        long wanted = capacity;
        while (4 * (live + 1) > wanted) {
            wanted *= 2;
        }
        Arena next = newArena();
        slots = map(next, wanted);
        arena = next;
        capacity = wanted;
        taken = live;
        for (long i = 0; i < oldCapacity; i++) {
            long position = old.get(LONG, SLOT * i + 8);
            if (position != 0) {
                long fileid = old.get(LONG, SLOT * i);
                long slot = slot(fileid);
                slots.set(LONG, slot, fileid);
                slots.set(LONG, slot + 8, position);
            }
        }
        oldArena.close();
    }

    private void replace(long newCapacity) throws IOException {
        Arena next = newArena();
        MemorySegment mapped = map(next, newCapacity);
        arena.close();
        arena = next;
        slots = mapped;
        capacity = newCapacity;
        taken = 0;
        live = 0;
    }

    /** The offset of the slot with this number, or of the empty one where it would go. */
    private long slot(long fileid) {
        long mask = capacity - 1;
        long i = mix(fileid) & mask;
        while (true) {
            long there = slots.get(LONG, SLOT * i);
            if (there == fileid || there == 0) {
                return SLOT * i;
            }
            i = (i + 1) & mask;
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // It lives as long as the table, or until the table grows.
    private static Arena newArena() {
        return Arena.ofShared();
    }

    private static long mix(long value) {
        long h = value * 0x9e3779b97f4a7c15L;
        return h ^ (h >>> 32);
    }

    /** Maps a new file of zeros; the old one, if any, lives on as long as it is mapped. */
    private MemorySegment map(Arena owner, long newCapacity) throws IOException {
        Files.deleteIfExists(file);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, newCapacity * SLOT, owner);
        } catch (IOException | RuntimeException e) {
            owner.close();
            throw e;
        }
    }
}
