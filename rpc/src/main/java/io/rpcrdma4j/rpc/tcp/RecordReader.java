package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Puts records together from a stream of bytes (RFC 5531 §11). Pure: knows nothing of sockets.
 *
 * <pre>
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-------------------------------------------------------------+
 * |L|                    length of the fragment                   |  then that many bytes
 * +-+-------------------------------------------------------------+
 * </pre>
 *
 * <h2>Operation</h2>
 *
 * {@link #consume} takes bytes until they are used up or a record is complete; then {@link #take} hands the record
 * over. While a large fragment is under way its bytes can be read straight to where they belong: {@link #directRoom},
 * {@link #directTarget}, {@link #directAdded}.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns the buffer of the record that is under way. {@link #take} moves it to the caller; {@link #close} gives it
 * back. A record gets at most {@link #FIRST_BYTES} of memory until that much of it has arrived, whatever length it
 * announces.
 *
 * <h2>Threading</h2>
 *
 * Used by one thread at a time.
 *
 * <h2>Errors</h2>
 *
 * {@link RecordException} for a stream that cannot be gone on with. If memory is short,
 * {@link io.rpcrdma4j.rpc.memory.RpcResourceException}: then {@link #consumed} says how many bytes were taken, and the
 * rest may be offered again later.
 */
final class RecordReader {
    /** Most memory that a record gets on its announcement alone. */
    static final int FIRST_BYTES = 64 * 1024;

    /** Most fragments without a byte that may follow each other. */
    static final int EMPTY_FRAGMENTS_MAX = 16;

    private static final int LAST = 0x8000_0000;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final PayloadAllocator memory;
    private final int recordBytesMax;

    private @Nullable PayloadBuffer buffer;
    private MemorySegment segment = MemorySegment.NULL;
    /** Bytes of the record that are in the buffer; {@code 0 <= filled <= recordBytesMax}. */
    private int filled;
    /** Bytes of the current fragment that are still to come. */
    private int fragmentLeft;

    private boolean lastFragment;
    /** Bytes of a fragment header that came so far, 0 to 3, and their value. */
    private int headerBytes;

    private int header;
    private int emptyFragments;
    private boolean complete;
    private long consumed;

    RecordReader(PayloadAllocator memory, int recordBytesMax) {
        this.memory = memory;
        this.recordBytesMax = recordBytesMax;
    }

    /**
     * Takes bytes, up to the end of a record.
     *
     * @return how many were taken; fewer than {@code length} only if a record is complete
     */
    long consume(MemorySegment source, long offset, long length) throws RecordException {
        consumed = 0;
        while (consumed < length && !complete) {
            long at = offset + consumed;
            long left = length - consumed;
            if (fragmentLeft == 0) {
                consumeHeader(source, at, left);
            } else {
                int room = room();
                int n = (int) Math.min(left, Math.min(room, fragmentLeft));
                MemorySegment.copy(source, at, segment, filled, n);
                consumed += n;
                added(n);
            }
        }
        return consumed;
    }

    /** Bytes that the last {@link #consume} took, also if it threw. */
    long consumed() {
        return consumed;
    }

    boolean isComplete() {
        return complete;
    }

    /** Whether some of a record has arrived, but not all. */
    boolean isMidRecord() {
        return filled > 0 || fragmentLeft > 0 || headerBytes > 0 || emptyFragments > 0;
    }

    /** Length of the record: of what has arrived, and so of all of it when it is complete. */
    int recordLength() {
        return filled;
    }

    /** Hands the complete record over; the caller owns the buffer. Its bytes begin at offset 0. */
    PayloadBuffer take() {
        PayloadBuffer record = buffer;
        if (!complete || record == null) {
            throw new IllegalStateException("no record is complete");
        }
        buffer = null;
        reset();
        return record;
    }

    /** Bytes of the fragment under way that can be read straight into {@link #directTarget}. */
    int directRoom() {
        if (buffer == null || complete) {
            return 0;
        }
        return (int) Math.min(fragmentLeft, segment.byteSize() - filled);
    }

    /** Where they go: {@link #directRoom} bytes from {@link #directOffset} on. */
    MemorySegment directTarget() {
        return segment;
    }

    long directOffset() {
        return filled;
    }

    /** Says how many bytes were put there. */
    void directAdded(int bytes) {
        if (bytes > directRoom()) {
            throw new IllegalArgumentException(bytes + " bytes where " + directRoom() + " had room");
        }
        added(bytes);
    }

    /** Gives back what is under way. */
    void close() {
        PayloadBuffer unfinished = buffer;
        buffer = null;
        reset();
        if (unfinished != null) {
            unfinished.release();
        }
    }

    private void consumeHeader(MemorySegment source, long at, long left) throws RecordException {
        if (headerBytes == 0 && left >= 4) {
            consumed += 4;
            begin(source.get(INT, at));
            return;
        }
        header = (header << 8) | (source.get(ValueLayout.JAVA_BYTE, at) & 0xff);
        consumed++;
        if (++headerBytes == 4) {
            headerBytes = 0;
            begin(header);
        }
    }

    private void begin(int mark) throws RecordException {
        int length = mark & ~LAST;
        lastFragment = (mark & LAST) != 0;
        if (length > recordBytesMax - filled) {
            throw new RecordException("a record of at least " + ((long) filled + length) + " bytes, more than "
                    + recordBytesMax + " (fragment header 0x" + Integer.toHexString(mark) + ")");
        }
        fragmentLeft = length;
        if (length > 0) {
            emptyFragments = 0;
        } else if (lastFragment && filled > 0) {
            complete = true;
        } else if (lastFragment) {
            throw new RecordException("a record without a byte");
        } else if (++emptyFragments > EMPTY_FRAGMENTS_MAX) {
            throw new RecordException("more than " + EMPTY_FRAGMENTS_MAX + " fragments in a row without a byte");
        }
    }

    private void added(int bytes) {
        filled += bytes;
        fragmentLeft -= bytes;
        complete = fragmentLeft == 0 && lastFragment;
    }

    /** Room in the buffer, more than 0. Makes it if there is none. */
    private int room() {
        PayloadBuffer old = buffer;
        if (old == null) {
            set(memory.allocate(Math.min(fragmentLeft, FIRST_BYTES)));
        } else if (filled == segment.byteSize()) {
            long wanted = Math.min(recordBytesMax, Math.max((long) filled + fragmentLeft, 2L * filled));
            PayloadBuffer larger = memory.allocate(wanted);
            MemorySegment.copy(segment, 0, larger.segment(), 0, filled);
            set(larger);
            old.release();
        }
        return (int) Math.min(segment.byteSize() - filled, Integer.MAX_VALUE);
    }

    private void set(PayloadBuffer next) {
        buffer = next;
        segment = next.segment();
    }

    private void reset() {
        segment = MemorySegment.NULL;
        filled = 0;
        fragmentLeft = 0;
        lastFragment = false;
        headerBytes = 0;
        emptyFragments = 0;
        complete = false;
    }
}
