package io.rpcrdma4j.rpc.xdr;

import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds an XDR message (RFC 4506) in an {@link XdrBuffer}.
 *
 * <h2>Operation</h2>
 *
 * {@link #start} gives it an empty buffer and a head to write into, then come the write methods, then {@link #finish}.
 * When the head is full, writing goes on in further buffers from the allocator. Words never straddle two fragments;
 * opaque bytes may. {@link #payload} puts bulk data into the message by reference and marks it, so that a transport can
 * place it directly; what follows is written behind the head again, as the tail.
 *
 * <h2>Buffer ownership</h2>
 *
 * All buffers belong to the {@link XdrBuffer}, whoever fills it.
 *
 * <h2>Threading</h2>
 *
 * Used by one thread at a time.
 *
 * <h2>Errors</h2>
 *
 * Every write method throws {@link XdrOverflowException} when the bytes outside payloads exceed the limit given to
 * {@link #start}, and {@link RpcResourceException} when a further buffer is needed and not to be had. The message may
 * then be cut back with {@link #truncate}, or dropped with {@link XdrBuffer#releaseAll}.
 */
public final class XdrWriter {
    /** Smallest size in bytes of the buffers that a message continues in when its head is full. */
    public static final int OVERFLOW_BYTES = 16 * 1024;

    private static final int OVERFLOW_BYTES_MAX = 64 * 1024;

    /** So that sums with a limit cannot overflow. */
    private static final long LIMIT_MAX = 1L << 62;

    private final XdrBuffer buffer;
    private @Nullable PayloadAllocator memory;

    /** The fragment being written is {@code segment[first .. at)}; {@code first <= at <= end}. */
    private MemorySegment segment = XdrLayouts.NONE;

    private long first;
    private long at;
    private long end;
    /** Stream position of the fragment's first byte, minus {@code first}: position = base + at. */
    private long base;

    private long payloadBytes;
    private long limit;

    /** First fragment of the payload that is open, or -1. */
    private int openFragment = -1;

    private long openWord;
    private long openLength;

    /**
     * Makes a writer that fills {@code buffer}, again and again.
     *
     * @param buffer written by this writer only
     */
    public XdrWriter(XdrBuffer buffer) {
        this.buffer = buffer;
    }

    /**
     * Starts a message whose head is lent: it stays with the caller, who keeps it unchanged until the message is
     * released.
     *
     * @param allocator where further buffers come from
     * @param head where the message begins
     * @param offset where in the head's segment, in bytes; room before it is the caller's
     * @param capacity how many bytes of the head may be used; rounded down to a multiple of 4
     * @param limitBytes most bytes that the message may have outside payloads
     * @throws IllegalStateException if the buffer still holds a message
     */
    public void start(PayloadAllocator allocator, PayloadBuffer head, long offset, long capacity, long limitBytes) {
        start(allocator, head, offset, capacity, limitBytes, false);
    }

    /**
     * Starts a message and takes ownership of its head.
     *
     * @param allocator where further buffers come from
     * @param head where the message begins; all of it may be used
     * @param limitBytes most bytes that the message may have outside payloads
     * @throws IllegalStateException if the buffer still holds a message
     */
    public void startOwned(PayloadAllocator allocator, PayloadBuffer head, long limitBytes) {
        start(allocator, head, 0, head.segment().byteSize(), limitBytes, true);
    }

    /**
     * Makes a message of bytes that are encoded already. Takes ownership of the buffer; nothing more can be written.
     *
     * @param allocator where further buffers would come from
     * @param encoded holds the message
     * @param offset where in its segment the message begins
     * @param length how many bytes it has, a multiple of 4
     */
    public void startCopied(PayloadAllocator allocator, PayloadBuffer encoded, long offset, int length) {
        start(allocator, encoded, offset, length, length, true);
        at += length;
        finish();
    }

    private void start(
            PayloadAllocator allocator,
            PayloadBuffer head,
            long offset,
            long capacity,
            long limitBytes,
            boolean takesOwnership) {
        Objects.checkFromIndexSize(offset, capacity, head.segment().byteSize());
        buffer.openHead(head, offset, offset + (capacity & ~3L), takesOwnership);
        memory = allocator;
        limit = Math.min(limitBytes, LIMIT_MAX);
        payloadBytes = 0;
        openFragment = -1;
        enter(0, 0);
    }

    /** The message that this writer fills. Its last fragment is up to date only after {@link #finish}. */
    public XdrBuffer buffer() {
        return buffer;
    }

    /** Length of the message so far: the offset in the XDR stream of what is written next. */
    public long position() {
        return base + at;
    }

    /** Bytes that may still be written outside payloads. */
    public long remaining() {
        return limit - (position() - payloadBytes);
    }

    /**
     * Completes the message.
     *
     * @return the buffer, ready to be read
     * @throws IllegalStateException if a payload is open
     */
    public XdrBuffer finish() {
        requireNoOpenPayload();
        buffer.lastLength((int) (at - first));
        return buffer;
    }

    /** Writes a 32-bit word: an int, an unsigned int or an enum (RFC 4506 §4.1 to §4.3). */
    public void writeInt(int value) {
        if (at + 4 > end) {
            more(4);
        }
        segment.set(XdrLayouts.INT, at, value);
        at += 4;
    }

    /**
     * Writes an unsigned int.
     *
     * @param value 0 to 2^32-1
     * @throws IllegalArgumentException if it is not in that range
     */
    public void writeUnsignedInt(long value) {
        if (value >>> 32 != 0) {
            throw new IllegalArgumentException("not an unsigned 32-bit value: " + value);
        }
        writeInt((int) value);
    }

    /** Writes a hyper or unsigned hyper (RFC 4506 §4.5). */
    public void writeLong(long value) {
        if (at + 8 > end) {
            more(8);
        }
        segment.set(XdrLayouts.LONG, at, value);
        at += 8;
    }

    /** Writes a boolean (RFC 4506 §4.4). */
    public void writeBoolean(boolean value) {
        writeInt(value ? 1 : 0);
    }

    /** Copies variable-length opaque data: length word, bytes, pad (RFC 4506 §4.10). */
    public void writeOpaque(byte[] bytes) {
        writeInt(bytes.length);
        writeFixed(bytes);
    }

    /** Copies variable-length opaque data from a range of an array. */
    public void writeOpaque(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        writeInt(length);
        writeBytes(bytes, offset, length);
        writePad(length);
    }

    /** Copies variable-length opaque data. Bulk data belongs into {@link #payload}. */
    public void writeOpaque(MemorySegment source, long offset, int length) {
        Objects.checkFromIndexSize(offset, length, source.byteSize());
        writeInt(length);
        writeFixed(source, offset, length);
    }

    /** Copies fixed-length opaque data: bytes and pad (RFC 4506 §4.9). */
    public void writeFixed(byte[] bytes) {
        writeBytes(bytes, 0, bytes.length);
        writePad(bytes.length);
    }

    /** Copies fixed-length opaque data from a range of a segment. */
    public void writeFixed(MemorySegment source, long offset, int length) {
        Objects.checkFromIndexSize(offset, length, source.byteSize());
        int done = 0;
        while (done < length) {
            int n = room(length - done);
            MemorySegment.copy(source, offset + done, segment, at, n);
            at += n;
            done += n;
        }
        writePad(length);
    }

    /** Writes a string as UTF-8 (RFC 4506 §4.11). */
    public void writeString(String text) {
        writeOpaque(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes a zero word to be filled in later.
     *
     * @return its position, for {@link #patchInt}
     */
    public long reserveInt() {
        long position = position();
        writeInt(0);
        // A fresh fragment begins exactly where the old one ended, so the word is at the position it was promised.
        return position;
    }

    /**
     * Overwrites a word that was written before.
     *
     * @param position where the word is, as {@link #reserveInt} or {@link #position()} gave it
     * @param value its new value
     * @throws IllegalArgumentException if there is no word of this writer at that position
     */
    public void patchInt(long position, int value) {
        int index = position == position() ? -1 : buffer.writableAt(position);
        boolean last = index == buffer.fragmentCount() - 1;
        long offset = index < 0 ? -1 : position - buffer.fragmentStart(index);
        long length = last ? at - first : index < 0 ? 0 : buffer.fragmentLength(index);
        if (offset < 0 || offset + 4 > length) {
            throw new IllegalArgumentException("no word was written at position " + position);
        }
        buffer.fragmentSegment(index).set(XdrLayouts.INT, buffer.fragmentOffset(index) + offset, value);
    }

    /**
     * Takes everything from {@code position} on back: payloads that begin there or later are forgotten and their
     * buffers released, and writing goes on at {@code position}.
     *
     * @param position a value that {@link #position()} had, outside any payload
     */
    public void truncate(long position) {
        if (position < 0 || position > position()) {
            throw new IllegalArgumentException("position " + position + " is not in the message");
        }
        openFragment = -1;
        buffer.lastLength((int) (at - first));
        int index = buffer.writableAt(position);
        if (position > buffer.fragmentStart(index) + buffer.fragmentLength(index)) {
            throw new IllegalArgumentException("position " + position + " is inside a payload");
        }
        buffer.cutBehind(index);
        payloadBytes = buffer.payloadBytes();
        enter(index, position - buffer.fragmentStart(index));
    }

    /**
     * Writes variable-length opaque data by reference: the length word, the bytes as a page, the pad; and marks it as a
     * payload, which a transport may place directly. Takes ownership of the buffer, also if it throws.
     *
     * @param data where the bytes are; unchanged until the message is released
     * @param offset where in the buffer's segment they begin
     * @param length how many; 0 is allowed and marks nothing
     */
    public void payload(PayloadBuffer data, long offset, int length) {
        buffer.own(data);
        beginPayload();
        payloadPage(data, offset, length);
        endPayload();
    }

    /**
     * As {@link #payload}, but the buffer is lent: it stays with the caller, who keeps the bytes unchanged until the
     * message is released. For those who know when that is, as a client does, whose call ends after it.
     *
     * @param data where the bytes are
     * @param offset where in the buffer's segment they begin
     * @param length how many; 0 is allowed and marks nothing
     */
    public void lendPayload(PayloadBuffer data, long offset, int length) {
        Objects.checkFromIndexSize(offset, length, data.segment().byteSize());
        beginPayload();
        buffer.lendPage(data, offset, length);
        openLength = length;
        endPayload();
    }

    /** Opens a payload that consists of any number of pages: the length word is filled in by {@link #endPayload}. */
    public void beginPayload() {
        requireNoOpenPayload();
        openWord = reserveInt();
        openLength = 0;
        buffer.lastLength((int) (at - first));
        openFragment = buffer.fragmentCount();
    }

    /**
     * Adds a page to the open payload. Takes ownership of the buffer, also if it throws; several pages may be parts of
     * one buffer, which is then owned once.
     *
     * @param data where the bytes are; unchanged until the message is released
     * @param offset where in the buffer's segment they begin
     * @param length how many; may be 0
     */
    public void payloadPage(PayloadBuffer data, long offset, int length) {
        if (openFragment < 0) {
            throw new IllegalStateException("no payload is open");
        }
        buffer.own(data);
        Objects.checkFromIndexSize(offset, length, data.segment().byteSize());
        if (openLength + length > Integer.MAX_VALUE) {
            throw new XdrOverflowException("a payload of more than " + Integer.MAX_VALUE + " bytes");
        }
        buffer.addPage(data, offset, length);
        openLength += length;
    }

    /** Closes the open payload: patches its length word and writes its pad. Writing goes on behind it. */
    public void endPayload() {
        if (openFragment < 0) {
            throw new IllegalStateException("no payload is open");
        }
        int fragment = openFragment;
        int length = (int) openLength;
        openFragment = -1;
        if (length == 0) {
            return;
        }
        segment.set(XdrLayouts.INT, at - 4, length);
        payloadBytes += length;
        buffer.mark(openWord + 4, length, fragment);
        openTail(fragment - 1, XdrLayouts.pad(length));
        writePad(length);
    }

    /**
     * Opens the fragment behind a payload: in the memory behind fragment {@code before}, or in a new buffer if that is
     * full. It begins so that the words behind the pad are aligned again.
     */
    private void openTail(int before, int pad) {
        long room = buffer.fragmentEnd(before) - at;
        if (room < 4 && pad > 0) {
            PayloadBuffer next = overflowBuffer();
            buffer.openOwned(next, 4 - pad, next.segment().byteSize() & ~3L);
        } else {
            buffer.openBehind(before, pad == 0 ? at : at + 4 - pad, buffer.fragmentEnd(before));
        }
        enter(buffer.fragmentCount() - 1, 0);
    }

    private void requireNoOpenPayload() {
        if (openFragment >= 0) {
            throw new IllegalStateException("a payload is open");
        }
    }

    private void writeBytes(byte[] bytes, int offset, int length) {
        int done = 0;
        while (done < length) {
            int n = room(length - done);
            MemorySegment.copy(bytes, offset + done, segment, XdrLayouts.BYTE, at, n);
            at += n;
            done += n;
        }
    }

    private void writePad(int length) {
        for (int pad = XdrLayouts.pad(length); pad > 0; pad--) {
            room(1);
            segment.set(XdrLayouts.BYTE, at++, (byte) 0);
        }
    }

    /** Room of 1 to {@code wanted} bytes in the current fragment, in a new one if this is full. */
    private int room(int wanted) {
        if (at == end) {
            more(1);
        }
        return (int) Math.min(wanted, end - at);
    }

    /** Slow path: the current window has no room for {@code need} bytes. */
    private void more(int need) {
        requireNoOpenPayload();
        long remaining = remaining();
        if (remaining < need) {
            throw new XdrOverflowException("message of " + (position() - payloadBytes + need)
                    + " bytes outside payloads, more than the limit of " + limit);
        }
        PayloadBuffer next = overflowBuffer();
        buffer.lastLength((int) (at - first));
        buffer.openOwned(next, 0, next.segment().byteSize() & ~3L);
        enter(buffer.fragmentCount() - 1, 0);
    }

    private PayloadBuffer overflowBuffer() {
        PayloadAllocator allocator = memory;
        if (allocator == null) {
            throw new IllegalStateException("no message was started");
        }
        return allocator.allocate(Math.min(Math.max(position(), OVERFLOW_BYTES), OVERFLOW_BYTES_MAX));
    }

    /** Goes on writing in fragment {@code index}, {@code skip} bytes behind its start. */
    private void enter(int index, long skip) {
        segment = buffer.fragmentSegment(index);
        first = buffer.fragmentOffset(index);
        at = first + skip;
        base = buffer.fragmentStart(index) - first;
        end = Math.min(buffer.fragmentEnd(index), Math.max(at, at + remaining()));
    }
}
