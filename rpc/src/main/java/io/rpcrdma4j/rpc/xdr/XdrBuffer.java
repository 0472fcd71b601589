package io.rpcrdma4j.rpc.xdr;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One RPC message that is being built or sent: head, pages and tail, as in the kernel's {@code xdr_buf}, and the places
 * of its payloads.
 *
 * <h2>Operation</h2>
 *
 * The message is the concatenation of its <em>fragments</em>. Fragment 0 is the head. A payload (the bytes of an item
 * that is eligible for direct placement) is one or more whole fragments of its own, its pages. What follows the last
 * payload is the tail. A long message without payload goes on in further fragments behind the head. Each payload is
 * also <em>marked</em> with its offset in the XDR stream and its length without pad; the marks are in stream order. The
 * pad of a payload (0 to 3 zero bytes, {@link #payloadPad}) is at the start of the fragment behind it.
 *
 * <p>{@link XdrWriter} fills a buffer; transports read it by index, without an allocation. {@link #releaseAll} makes it
 * empty again, ready for the next message.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns every {@link PayloadBuffer} that was put into it and gives each back once in {@link #releaseAll}, however
 * many fragments refer to it. The head and the pages of a payload may be lent instead: then they stay with the lender,
 * who keeps them unchanged until {@link #releaseAll}.
 *
 * <h2>Threading</h2>
 *
 * Used by one thread at a time; handing it to another needs a happens-before edge.
 *
 * <h2>Errors</h2>
 *
 * Indexes out of range are {@link IndexOutOfBoundsException}.
 */
public final class XdrBuffer {
    private static final int INITIAL = 8;
    /** Value of {@code ends} for a fragment that is not written by the writer but refers to a payload. */
    private static final long PAGE = -1;

    private @Nullable PayloadBuffer[] buffers = new @Nullable PayloadBuffer[INITIAL];
    private MemorySegment[] segments = newSegments(INITIAL);
    private long[] offsets = new long[INITIAL];
    private int[] lengths = new int[INITIAL];
    /** Offset in the XDR stream at which the fragment starts. */
    private long[] starts = new long[INITIAL];
    /** End of the room that the fragment may grow into, an offset in its segment; {@link #PAGE} for payload. */
    private long[] ends = new long[INITIAL];
    /** How many buffers were owned when the fragment was opened, its own included. */
    private int[] ownedAt = new int[INITIAL];

    private int count;

    private @Nullable PayloadBuffer[] owned = new @Nullable PayloadBuffer[INITIAL];
    private int ownedCount;

    private long[] markOffsets = new long[INITIAL];
    private int[] markLengths = new int[INITIAL];
    private int[] markFragments = new int[INITIAL];
    private int[] markFragmentCounts = new int[INITIAL];
    private int markCount;

    /** Makes an empty message. */
    public XdrBuffer() {}

    // ---- what transports read

    /** Length of the whole message in bytes, payloads and pads included. */
    public long length() {
        return count == 0 ? 0 : starts[count - 1] + lengths[count - 1];
    }

    /** Number of fragments; 0 only if no message was started. */
    public int fragmentCount() {
        return count;
    }

    /** The memory that fragment {@code index} is a part of; its bytes begin at {@link #fragmentOffset}. */
    public MemorySegment fragmentSegment(int index) {
        return segments[check(index, count)];
    }

    /** Where in {@link #fragmentSegment} the fragment's first byte is. */
    public long fragmentOffset(int index) {
        return offsets[check(index, count)];
    }

    /** Number of bytes of fragment {@code index}; may be 0 for head and tail. */
    public int fragmentLength(int index) {
        return lengths[check(index, count)];
    }

    /** Offset of the fragment's first byte in the XDR stream. */
    public long fragmentStart(int index) {
        return starts[check(index, count)];
    }

    /** The buffer that the fragment lies in; it stays owned by this message or by whoever lent it. */
    public PayloadBuffer fragmentBuffer(int index) {
        return present(buffers[check(index, count)]);
    }

    /** Whether the fragment is (part of) a payload. */
    public boolean isPayload(int index) {
        return ends[check(index, count)] == PAGE;
    }

    /** Number of marked payloads. Payloads of length 0 are not marked. */
    public int payloadCount() {
        return markCount;
    }

    /** Offset in the XDR stream at which payload {@code index} begins: right behind its length word. */
    public long payloadOffset(int index) {
        return markOffsets[check(index, markCount)];
    }

    /** Length of payload {@code index} in bytes, without pad; more than 0. */
    public int payloadLength(int index) {
        return markLengths[check(index, markCount)];
    }

    /** Length of the pad behind payload {@code index}: 0 to 3. It opens the fragment that follows the payload. */
    public int payloadPad(int index) {
        return XdrLayouts.pad(markLengths[check(index, markCount)]);
    }

    /** Index of the first fragment of payload {@code index}. */
    public int payloadFragment(int index) {
        return markFragments[check(index, markCount)];
    }

    /** Number of fragments that payload {@code index} consists of; they follow each other. */
    public int payloadFragmentCount(int index) {
        return markFragmentCounts[check(index, markCount)];
    }

    /** Sum of the payloads' lengths, without pads. */
    public long payloadBytes() {
        long sum = 0;
        for (int i = 0; i < markCount; i++) {
            sum += markLengths[i];
        }
        return sum;
    }

    /**
     * Copies a range of the message.
     *
     * @param from offset in the XDR stream
     * @param target where the bytes go
     * @param targetOffset where in {@code target} the first goes
     * @param bytes how many
     * @throws IndexOutOfBoundsException if the range is not inside the message or the target
     */
    public void copyTo(long from, MemorySegment target, long targetOffset, long bytes) {
        if (from < 0 || bytes < 0 || from > length() - bytes) {
            throw new IndexOutOfBoundsException(
                    "range " + from + "+" + bytes + " is outside the message of " + length() + " bytes");
        }
        long at = from;
        long left = bytes;
        for (int i = 0; left > 0; i++) {
            long skip = at - starts[i];
            if (skip >= lengths[i]) {
                continue;
            }
            long n = Math.min(left, lengths[i] - skip);
            MemorySegment.copy(segments[i], offsets[i] + skip, target, targetOffset + (at - from), n);
            at += n;
            left -= n;
        }
    }

    /** A copy of the whole message, for tests and logs. */
    public byte[] toByteArray() {
        byte[] bytes = new byte[Math.toIntExact(length())];
        copyTo(0, MemorySegment.ofArray(bytes), 0, bytes.length);
        return bytes;
    }

    /** Number of buffers that this message owns and has not given back. */
    public int ownedCount() {
        return ownedCount;
    }

    /** Gives back every buffer that the message owns and makes it empty. Does nothing on an empty message. */
    public void releaseAll() {
        releaseOwned(0);
        dropFragments(0);
        markCount = 0;
    }

    // ---- what the writer does

    void openHead(PayloadBuffer head, long offset, long end, boolean takesOwnership) {
        if (count != 0) {
            throw new IllegalStateException("the message is not empty; releaseAll comes first");
        }
        if (takesOwnership) {
            own(head);
        }
        open(head, offset, 0, end);
    }

    /** Opens a writable fragment that begins where the message ends. */
    void openOwned(PayloadBuffer buffer, long offset, long end) {
        own(buffer);
        open(buffer, offset, 0, end);
    }

    /** Opens a writable fragment in the buffer of fragment {@code of}, which the message already holds. */
    void openBehind(int of, long offset, long end) {
        open(present(buffers[of]), offset, 0, end);
    }

    void addPage(PayloadBuffer buffer, long offset, int length) {
        own(buffer);
        lendPage(buffer, offset, length);
    }

    void lendPage(PayloadBuffer buffer, long offset, int length) {
        if (length > 0) {
            open(buffer, offset, length, PAGE);
        }
    }

    /** Takes ownership, unless the message has it already. */
    @SuppressWarnings("ReferenceEquality") // It is the identity that is owned.
    void own(PayloadBuffer buffer) {
        for (int i = ownedCount - 1; i >= 0; i--) {
            if (owned[i] == buffer) {
                return;
            }
        }
        if (ownedCount == owned.length) {
            owned = Arrays.copyOf(owned, ownedCount * 2);
        }
        owned[ownedCount++] = buffer;
    }

    void lastLength(int length) {
        lengths[count - 1] = length;
    }

    long fragmentEnd(int index) {
        return ends[index];
    }

    void mark(long offset, int length, int firstFragment) {
        if (markCount == markOffsets.length) {
            int capacity = markCount * 2;
            markOffsets = Arrays.copyOf(markOffsets, capacity);
            markLengths = Arrays.copyOf(markLengths, capacity);
            markFragments = Arrays.copyOf(markFragments, capacity);
            markFragmentCounts = Arrays.copyOf(markFragmentCounts, capacity);
        }
        markOffsets[markCount] = offset;
        markLengths[markCount] = length;
        markFragments[markCount] = firstFragment;
        markFragmentCounts[markCount++] = count - firstFragment;
    }

    /** The last fragment that the writer may write to and that starts at or before {@code position}. */
    int writableAt(long position) {
        int i = count - 1;
        while (i > 0 && (ends[i] == PAGE || starts[i] > position)) {
            i--;
        }
        return i;
    }

    /** Forgets every fragment behind {@code last}, every buffer that came after it, and every payload from there on. */
    void cutBehind(int last) {
        releaseOwned(ownedAt[last]);
        dropFragments(last + 1);
        while (markCount > 0 && markFragments[markCount - 1] > last) {
            markCount--;
        }
    }

    private void open(PayloadBuffer buffer, long offset, int length, long end) {
        if (count == buffers.length) {
            grow();
        }
        long start = length();
        buffers[count] = buffer;
        segments[count] = buffer.segment();
        offsets[count] = offset;
        lengths[count] = length;
        starts[count] = start;
        ends[count] = end;
        ownedAt[count] = ownedCount;
        count++;
    }

    private void grow() {
        int capacity = count * 2;
        buffers = Arrays.copyOf(buffers, capacity);
        MemorySegment[] more = newSegments(capacity);
        System.arraycopy(segments, 0, more, 0, count);
        segments = more;
        offsets = Arrays.copyOf(offsets, capacity);
        lengths = Arrays.copyOf(lengths, capacity);
        starts = Arrays.copyOf(starts, capacity);
        ends = Arrays.copyOf(ends, capacity);
        ownedAt = Arrays.copyOf(ownedAt, capacity);
    }

    private void releaseOwned(int from) {
        while (ownedCount > from) {
            PayloadBuffer buffer = present(owned[--ownedCount]);
            owned[ownedCount] = null;
            buffer.release();
        }
    }

    private void dropFragments(int from) {
        for (int i = from; i < count; i++) {
            buffers[i] = null;
            segments[i] = XdrLayouts.NONE;
        }
        count = Math.min(count, from);
    }

    private static MemorySegment[] newSegments(int capacity) {
        MemorySegment[] segments = new MemorySegment[capacity];
        Arrays.fill(segments, XdrLayouts.NONE);
        return segments;
    }

    private static int check(int index, int bound) {
        if (index < 0 || index >= bound) {
            throw new IndexOutOfBoundsException(index);
        }
        return index;
    }

    private static PayloadBuffer present(@Nullable PayloadBuffer buffer) {
        if (buffer == null) {
            throw new AssertionError("a fragment without buffer");
        }
        return buffer;
    }
}
