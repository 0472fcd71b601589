package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
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
 * Reads a file from some offset to its end, with several READs under way ahead of the reader.
 *
 * <h2>Operation</h2>
 *
 * {@link #next} until it returns null, then {@link #close}. How far to read ahead is decided by the file's length,
 * first as the caller knows it, then as each READ tells it: a file that grows is read to its new end. A READ that the
 * server cut short is continued.
 *
 * <h2>Buffer ownership</h2>
 *
 * The reader owns as many buffers of the transport's memory as READs may be under way. The segment that {@link #next}
 * returns is lent until the following {@link #next} or {@link #close}.
 *
 * <h2>Threading</h2>
 *
 * Used by one thread at a time, which blocks.
 *
 * <h2>Errors</h2>
 *
 * {@link #next} throws {@link NfsException} for what the server refused, {@link RpcException} for a call that got no
 * answer, {@link IOException} for a server that breaks the protocol. {@link #close} ends all calls and waits for them.
 */
public final class NfsReader implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;

    private final Nfs3Client client;
    private final FileHandle file;
    private final String where;
    private final int chunkBytes;
    private final TransferLine<Slot> line;
    private final List<Slot> slots = new ArrayList<>();
    private final ArrayDeque<Slot> idle = new ArrayDeque<>();
    private final int slotsMax;
    private @Nullable Slot lent;
    private long nextOffset;
    private long fileBytes;
    private boolean isAtEnd;
    private boolean isClosed;

    /**
     * Starts to read.
     *
     * @param client stays the caller's
     * @param file the file's handle
     * @param where names the file in failures
     * @param offset first byte that is wanted
     * @param fileBytes the file's length as far as the caller knows; wrong values cost time, not data
     * @param transferBytes most bytes of one READ: what the server's FSINFO allows
     */
    public NfsReader(Nfs3Client client, FileHandle file, String where, long offset, long fileBytes, int transferBytes) {
        this.client = client;
        this.file = file;
        this.where = where;
        this.nextOffset = offset;
        this.fileBytes = fileBytes;
        this.line = new TransferLine<>(client.options());
        int most = Math.min(transferBytes, client.options().transferBytesMax());
        long pages = Math.ceilDiv(Math.max(1, fileBytes - offset), PAGE_BYTES);
        this.chunkBytes = (int) Math.min(most, pages * PAGE_BYTES);
        this.slotsMax = client.options().transfersMax();
    }

    /**
     * The next bytes of the file.
     *
     * @return at least one byte, valid until the next call of this or of {@link #close}; null at the end of the file
     */
    public @Nullable MemorySegment next() throws IOException {
        if (isClosed) {
            throw new IllegalStateException("the reader is closed");
        }
        takeBack();
        readAhead();
        Slot slot = line.oldest();
        if (slot == null) {
            return null;
        }
        complete(slot);
        line.removeOldest();
        lent = slot;
        if (isAtEnd) {
            dropTheRest();
        }
        if (slot.filled == 0) {
            takeBack();
            return null;
        }
        return slot.buffer.segment().asSlice(0, slot.filled);
    }

    /** Ends the READs that are under way and gives all memory back. Idempotent. */
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

    private void takeBack() {
        Slot slot = lent;
        if (slot != null) {
            lent = null;
            idle.addLast(slot);
        }
    }

    /** Starts READs up to the end of the file as it is known, and one beyond if nothing else is under way. */
    private void readAhead() throws IOException {
        while (!isAtEnd && (nextOffset < fileBytes || line.size() == 0)) {
            Slot slot = takeSlot();
            if (slot == null) {
                return;
            }
            slot.offset = nextOffset;
            slot.filled = 0;
            nextOffset += chunkBytes;
            line.add(slot, slot.outcome);
            slot.readRest();
        }
    }

    /** An idle slot, a new one, or null if there are enough or no memory is left for more. */
    private @Nullable Slot takeSlot() throws IOException {
        Slot slot = idle.pollFirst();
        if (slot != null || slots.size() >= slotsMax) {
            return slot;
        }
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

    /** Waits until the oldest slot is full, or has all there is. */
    private void complete(Slot slot) throws IOException {
        while (true) {
            RpcException failure = line.await(slot.outcome);
            if (failure != null) {
                throw Calls.named(where, failure);
            }
            if (!slot.status().isOk()) {
                throw new NfsException(where, slot.status());
            }
            slot.filled += slot.bytesRead();
            Fattr3 attributes = slot.attributes();
            if (attributes != null) {
                fileBytes = attributes.size();
            }
            if (slot.isAtEnd()) {
                isAtEnd = true;
            }
            if (isAtEnd || slot.filled == chunkBytes) {
                return;
            }
            if (slot.bytesRead() == 0) {
                throw new IOException(where + ": the server returned no bytes at offset " + (slot.offset + slot.filled)
                        + ", which it says is not the end of the file");
            }
            slot.again();
        }
    }

    /** The file ended earlier than it was thought to: what was to be read behind its end is not wanted. */
    private void dropTheRest() throws IOException {
        for (Slot slot : line.all()) {
            slot.abandon();
        }
        for (Slot slot = line.oldest(); slot != null; slot = line.oldest()) {
            line.await(slot.outcome);
            line.removeOldest();
            idle.addLast(slot);
        }
    }

    private final class Slot extends ReadCall {
        private final TransferLine.Outcome outcome = new TransferLine.Outcome();
        private final PayloadBuffer buffer;
        private long offset;
        /** {@code 0 <= filled <= chunkBytes}. */
        private int filled;

        private Slot(PayloadBuffer buffer) {
            super(true);
            this.buffer = buffer;
        }

        private void again() {
            line.reopen(outcome);
            readRest();
        }

        private void readRest() {
            prepare(file, offset + filled, buffer, filled, chunkBytes - filled);
            line.start(client, this, outcome);
        }

        @Override
        protected void ended(@Nullable RpcException failure) {
            line.end(outcome, failure);
        }
    }
}
