package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file from some offset on, with several WRITEs under way behind the writer, and brings it to stable storage.
 *
 * <h2>Operation</h2>
 *
 * {@link #buffer}, fill it, {@link #write}, again and again; then {@link #finish}, which returns when all of it is on
 * stable storage; then {@link #close}. Data is written UNSTABLE and made stable by COMMIT (RFC 1813 §4.8). If the write
 * verifier shows that the server restarted in between, what it may have lost is written again: from the source if that
 * can be read again, else from memory. A WRITE that the server cut short is continued.
 *
 * <h2>Buffer ownership</h2>
 *
 * The writer owns a bounded number of buffers of the transport's memory: as many as WRITEs may be under way, and, if
 * the source cannot be read again, those that hold {@link NfsClientOptions#retainedBytesMax} of uncommitted data. The
 * segment that {@link #buffer} returns is lent until {@link #write}.
 *
 * <h2>Threading</h2>
 *
 * Used by one thread at a time, which blocks.
 *
 * <h2>Errors</h2>
 *
 * {@link NfsException} for what the server refused, {@link RpcException} for a call that got no answer; the file is
 * then in an unknown state, and only {@link #close} may follow, which ends all calls and waits for them.
 */
public final class NfsWriter implements AutoCloseable {
    /** Most times that lost data is written again before the server is given up. */
    private static final int ROUNDS_MAX = 16;

    /** Most bytes of a source that can be read again between two COMMITs, so that none takes too long: 512 MiB. */
    private static final long COMMIT_BYTES = 512L << 20;

    private final Nfs3Client client;
    private final FileHandle file;
    private final String where;
    private final int chunkBytes;
    private final @Nullable Source source;
    private final TransferLine<Slot> line;
    private final UnstableRanges ranges = new UnstableRanges();
    private final List<Slot> slots = new ArrayList<>();
    private final ArrayDeque<Slot> idle = new ArrayDeque<>();
    /** Written, not stable, and to be had nowhere else. */
    private final ArrayDeque<Slot> retained = new ArrayDeque<>();

    private final int slotsMax;
    private @Nullable Slot filling;
    private long nextOffset;
    private boolean isFailed;
    private boolean isClosed;

    /** Where the data comes from, if it can be had again. */
    @FunctionalInterface
    public interface Source {
        /**
         * Fills a segment with the data that was written at {@code offset}.
         *
         * @param offset position in the file that is written
         * @param target to be filled wholly
         * @throws IOException if the data is not there any more
         */
        void read(long offset, MemorySegment target) throws IOException;
    }

    /**
     * Starts to write.
     *
     * @param client stays the caller's
     * @param file the file's handle
     * @param where names the file in failures
     * @param offset where the first byte goes
     * @param transferBytes most bytes of one WRITE: what the server's FSINFO allows
     * @param source gives data again that was lost, or null if it is to be kept in memory until it is stable
     */
    public NfsWriter(
            Nfs3Client client, FileHandle file, String where, long offset, int transferBytes, @Nullable Source source) {
        NfsClientOptions options = client.options();
        this.client = client;
        this.file = file;
        this.where = where;
        this.nextOffset = offset;
        this.chunkBytes = Math.min(transferBytes, options.transferBytesMax());
        this.source = source;
        this.line = new TransferLine<>(options);
        long kept = source == null ? options.retainedBytesMax() / chunkBytes : 0;
        this.slotsMax = options.transfersMax() + (int) Math.min(kept, 1 << 16);
    }

    /**
     * Room for the next bytes of the file. Waits until there is some.
     *
     * @return memory to be filled from its start; the same until {@link #write}
     */
    public MemorySegment buffer() throws IOException {
        requireUsable();
        Slot slot = filling;
        if (slot == null) {
            slot = guarded(this::takeSlot);
            filling = slot;
        }
        return slot.buffer.segment().asSlice(0, chunkBytes);
    }

    /**
     * Writes the first bytes of what {@link #buffer} returned.
     *
     * @param length how many, 0 to the buffer's size
     */
    public void write(int length) throws IOException {
        requireUsable();
        Slot slot = filling;
        if (slot == null || length < 0 || length > chunkBytes) {
            throw new IllegalArgumentException(
                    "a write of " + length + " bytes of a buffer of " + (slot == null ? 0 : chunkBytes));
        }
        if (length == 0) {
            return;
        }
        filling = null;
        slot.offset = nextOffset;
        slot.length = length;
        nextOffset += length;
        slot.begin();
        if (ranges.bytes() >= COMMIT_BYTES) {
            guarded(this::commit);
        }
    }

    /** Position in the file behind the last byte that was given to {@link #write}. */
    public long position() {
        return nextOffset;
    }

    /** Returns when everything that was written is on the server's stable storage. */
    public void finish() throws IOException {
        requireUsable();
        guarded(this::commit);
    }

    /** Ends the WRITEs that are under way and gives all memory back. Idempotent. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        for (Slot slot : line.all()) {
            slot.abandon();
        }
        boolean allEnded = true;
        for (Slot slot : line.all()) {
            allEnded &= line.awaitUninterruptibly(slot.outcome);
        }
        if (allEnded) {
            slots.forEach(slot -> slot.buffer.release());
        }
    }

    private void requireUsable() {
        if (isClosed || isFailed) {
            throw new IllegalStateException(isClosed ? "the writer is closed" : "a write failed before");
        }
    }

    @FunctionalInterface
    private interface Step<T extends @Nullable Object> {
        T run() throws IOException;
    }

    private <T extends @Nullable Object> T guarded(Step<T> step) throws IOException {
        boolean done = false;
        try {
            T result = step.run();
            done = true;
            return result;
        } finally {
            isFailed = !done;
        }
    }

    /** A slot that nothing is in: after waiting for a WRITE, or for a COMMIT. */
    private Slot takeSlot() throws IOException {
        while (true) {
            for (Slot oldest = line.oldest(); oldest != null; oldest = line.oldest()) {
                if (!line.isDone(oldest.outcome)
                        && line.size() < client.options().transfersMax()) {
                    break;
                }
                completeOldest(oldest);
            }
            Slot slot = idle.pollFirst();
            if (slot == null && slots.size() < slotsMax) {
                slot = newSlot();
            }
            if (slot != null) {
                return slot;
            }
            Slot oldest = line.oldest();
            if (oldest != null) {
                completeOldest(oldest);
            } else {
                commit();
            }
        }
    }

    private @Nullable Slot newSlot() throws IOException {
        Slot slot;
        try {
            slot = new Slot(client.memory().allocate(chunkBytes));
        } catch (RpcResourceException e) {
            if (slots.isEmpty()) {
                throw new IOException(where + ": " + e.getMessage(), e);
            }
            return null;
        }
        slots.add(slot);
        return slot;
    }

    /** Waits for the oldest WRITE, continues it if it was cut short, and notes what is not stable. */
    private void completeOldest(Slot slot) throws IOException {
        while (true) {
            RpcException failure = line.await(slot.outcome);
            if (failure != null) {
                throw Calls.named(where, failure);
            }
            if (!slot.status().isOk()) {
                throw new NfsException(where, slot.status());
            }
            slot.note();
            if (slot.written == slot.length) {
                break;
            }
            slot.again();
        }
        line.removeOldest();
        if (slot.isUnstable && source == null) {
            retained.addLast(slot);
        } else {
            idle.addLast(slot);
        }
    }

    private void drain() throws IOException {
        for (Slot slot = line.oldest(); slot != null; slot = line.oldest()) {
            completeOldest(slot);
        }
    }

    /** Makes everything stable that was written. */
    private @Nullable Void commit() throws IOException {
        drain();
        for (int round = 0; !ranges.isEmpty() || !retained.isEmpty(); round++) {
            if (round == ROUNDS_MAX) {
                throw new IOException(where + ": the server lost what was written " + round + " times in a row");
            }
            long verifier = client.await(where, client.commit(file, 0, 0));
            writeLostSlotsAgain(verifier);
            if (source != null) {
                writeLostRangesAgain(source, ranges.takeLost(verifier));
            }
            drain();
        }
        return null;
    }

    private void writeLostSlotsAgain(long verifier) throws IOException {
        ArrayDeque<Slot> lost = new ArrayDeque<>();
        for (Slot slot : retained) {
            (slot.isStable(verifier) ? idle : lost).addLast(slot);
        }
        retained.clear();
        for (Slot slot : lost) {
            Slot oldest = line.oldest();
            if (oldest != null && line.size() >= client.options().transfersMax()) {
                completeOldest(oldest);
            }
            slot.begin();
        }
    }

    private void writeLostRangesAgain(Source from, List<UnstableRanges.Range> lost) throws IOException {
        for (UnstableRanges.Range range : lost) {
            for (long at = range.offset(); at < range.end(); at += chunkBytes) {
                Slot slot = takeSlot();
                slot.offset = at;
                slot.length = (int) Math.min(chunkBytes, range.end() - at);
                from.read(at, slot.buffer.segment().asSlice(0, slot.length));
                slot.begin();
            }
        }
    }

    private final class Slot extends WriteCall {
        private final TransferLine.Outcome outcome = new TransferLine.Outcome();
        private final PayloadBuffer buffer;
        private long offset;
        private int length;
        /** {@code 0 <= written <= length}. */
        private int written;

        private boolean isUnstable;
        /** Of all unstable parts; meaningless when they have several. */
        private long verifierOfAll;

        private boolean hasSeveralVerifiers;

        private Slot(PayloadBuffer buffer) {
            this.buffer = buffer;
        }

        private void begin() {
            written = 0;
            isUnstable = false;
            hasSeveralVerifiers = false;
            line.add(this, outcome);
            writeRest();
        }

        private void again() {
            line.reopen(outcome);
            writeRest();
        }

        private void writeRest() {
            prepare(file, offset + written, buffer, written, length - written, StableHow.UNSTABLE);
            line.start(client, this, outcome);
        }

        private void note() {
            if (committed() == StableHow.UNSTABLE) {
                if (source != null) {
                    ranges.add(offset + written, bytesWritten(), verifier());
                }
                hasSeveralVerifiers |= isUnstable && verifierOfAll != verifier();
                verifierOfAll = verifier();
                isUnstable = true;
            }
            written += bytesWritten();
        }

        private boolean isStable(long verifier) {
            return !hasSeveralVerifiers && verifierOfAll == verifier;
        }

        @Override
        protected void ended(@Nullable RpcException failure) {
            line.end(outcome, failure);
        }
    }
}
