package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayDeque;

/**
 * Sends records, each as one fragment (RFC 5531 §11), to a channel that takes as many bytes as it likes at a time.
 *
 * <h2>Operation</h2>
 *
 * {@link #add} queues, {@link #flush} writes what the channel takes. The place in the stream moves by exactly the
 * number of bytes that were taken, fragment headers included, so a write of no byte or of part of a header changes
 * nothing or just that. Small pieces are gathered in a buffer of the loop, so that many small records need one system
 * call; large ones are written from where they are.
 *
 * <h2>Buffer ownership</h2>
 *
 * Records stay their owner's, who must not change them before {@link OutgoingRecord#onWritten} or
 * {@link OutgoingRecord#onDropped}.
 *
 * <h2>Threading</h2>
 *
 * Used by the thread of one event loop.
 */
final class RecordWriter {
    /** Pieces of at least this many bytes are written without a copy. */
    static final int LARGE_BYTES = 8 * 1024;

    /** Most bytes that one {@link #flush} writes, so that a fast reader does not hold up the other connections. */
    private static final long TURN_BYTES = 4L << 20;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Buffers that the connections of a loop share: what is in them matters only during one write. */
    static final class Scratch {
        private static final int BYTES = 64 * 1024;

        private final ByteBuffer before = ByteBuffer.allocateDirect(BYTES);
        private final ByteBuffer behind = ByteBuffer.allocateDirect(BYTES);
        private final MemorySegment beforeMemory = MemorySegment.ofBuffer(before);
        private final MemorySegment behindMemory = MemorySegment.ofBuffer(behind);
        private final ByteBuffer[] vector = {before, before, behind};
        /** Whether the middle of the vector is a large piece; else only {@code before} is to be written. */
        private boolean vectored;
    }

    private final ArrayDeque<OutgoingRecord> queue = new ArrayDeque<>();
    private long queuedBytes;
    /** How many bytes of the first record are written, its header included. */
    private long written;

    /** Queues a record and writes its header in front of its head. */
    void add(OutgoingRecord record) {
        XdrBuffer message = record.message();
        long length = message.length();
        if (length > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a record of " + length + " bytes");
        }
        message.fragmentSegment(0)
                .set(INT, message.fragmentOffset(0) - OutgoingRecord.MARK_BYTES, (int) length | 0x8000_0000);
        queue.add(record);
        queuedBytes += OutgoingRecord.MARK_BYTES + length;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Bytes that are still to be written. */
    long queuedBytes() {
        return queuedBytes;
    }

    /** Number of bytes of the record that are written already; 0 if it is not the first in the queue. */
    @SuppressWarnings("ReferenceEquality") // It is this very record that is asked for.
    long writtenOf(OutgoingRecord record) {
        return queue.peek() == record ? written : 0;
    }

    /** Takes a record out of which nothing was written. It is not told. */
    boolean remove(OutgoingRecord record) {
        if (writtenOf(record) > 0 || !queue.remove(record)) {
            return false;
        }
        queuedBytes -= OutgoingRecord.MARK_BYTES + record.message().length();
        return true;
    }

    /** Puts another record with the same bytes in the place of the first. The first is not told. */
    void replaceFirst(OutgoingRecord same) {
        queue.remove();
        queue.addFirst(same);
    }

    /** Takes the first record out although part of it is written: the stream is broken. It is not told. */
    void forgetFirst() {
        queuedBytes -= OutgoingRecord.MARK_BYTES + queue.remove().message().length() - written;
        written = 0;
    }

    /** Drops everything, and tells each record. */
    void dropAll() {
        queuedBytes = 0;
        written = 0;
        for (OutgoingRecord record = queue.poll(); record != null; record = queue.poll()) {
            record.onDropped();
        }
    }

    /**
     * Writes until everything is written, the channel takes no more, or others should have their turn.
     *
     * @return how many bytes were written
     */
    long flush(GatheringByteChannel channel, Scratch scratch) throws IOException {
        long total = 0;
        while (!queue.isEmpty() && total < TURN_BYTES) {
            long offered = gather(scratch);
            long n = scratch.vectored ? channel.write(scratch.vector, 0, 3) : channel.write(scratch.before);
            scratch.vector[1] = scratch.before;
            total += n;
            advance(n);
            if (n < offered) {
                break;
            }
        }
        return total;
    }

    /** Fills the scratch: small pieces, then at most one large one, then more small pieces. Returns their length. */
    private long gather(Scratch scratch) {
        MemorySegment target = scratch.beforeMemory;
        int filled = 0;
        int filledBefore = -1;
        long large = 0;
        long skip = written;
        gathering:
        for (OutgoingRecord record : queue) {
            XdrBuffer message = record.message();
            int mark = OutgoingRecord.MARK_BYTES;
            for (int i = 0; i < message.fragmentCount(); i++) {
                long length = (long) message.fragmentLength(i) + mark;
                long offset = message.fragmentOffset(i) - mark + skip;
                long left = length - skip;
                skip = Math.max(0, skip - length);
                mark = 0;
                if (left <= 0) {
                    continue;
                }
                if (left >= LARGE_BYTES) {
                    if (filledBefore >= 0) {
                        break gathering;
                    }
                    scratch.vector[1] =
                            message.fragmentSegment(i).asSlice(offset, left).asByteBuffer();
                    large = left;
                    filledBefore = filled;
                    filled = 0;
                    target = scratch.behindMemory;
                    continue;
                }
                if (left > Scratch.BYTES - filled) {
                    break gathering;
                }
                MemorySegment.copy(message.fragmentSegment(i), offset, target, filled, left);
                filled += (int) left;
            }
        }
        boolean vectored = filledBefore >= 0;
        scratch.vectored = vectored;
        scratch.before.clear().limit(vectored ? filledBefore : filled);
        scratch.behind.clear().limit(vectored ? filled : 0);
        return vectored ? filledBefore + large + filled : filled;
    }

    private void advance(long bytes) {
        queuedBytes -= bytes;
        written += bytes;
        while (!queue.isEmpty()) {
            long size = OutgoingRecord.MARK_BYTES + queue.element().message().length();
            if (written < size) {
                return;
            }
            written -= size;
            queue.remove().onWritten();
        }
    }
}
