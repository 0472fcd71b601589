package io.rpcrdma4j.rpc.xdr;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes a received XDR message (RFC 4506) apart, without copying it.
 *
 * <h2>Operation</h2>
 *
 * {@link #start} points it at the inline part of a message and, if the transport placed data directly, at the chunks.
 * Then come the read methods in the order of the XDR definition, and {@link #finish}, which a server calls before it
 * acts on what it read. An item that is eligible for direct placement is read with {@link #readPayload} (or
 * {@link #readPayloadRange}), whichever way it came.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns nothing. Slices that it hands out are parts of the message or of a chunk, and live as long as those.
 *
 * <h2>Threading</h2>
 *
 * Used by one thread at a time.
 *
 * <h2>Errors</h2>
 *
 * Whatever the input, a read method either returns or throws {@link XdrException}. No allocation is sized by a length
 * of the peer before that length was compared with the bytes that are there.
 */
public final class XdrReader {
    private MemorySegment segment = XdrLayouts.NONE;
    /** {@code at <= end}: the inline bytes that are left. */
    private long at;

    private long end;
    /** Stream position minus {@code at}: grows by the length of each claimed chunk. */
    private long shift;

    private @Nullable ChunkClaims chunks;
    private @Nullable MemorySegment sink;
    private long sinkOffset;
    private long sinkLength;

    private MemorySegment payload = XdrLayouts.NONE;
    private long payloadOffset;

    /** Makes a reader of an empty message. */
    public XdrReader() {}

    /**
     * Starts to read a message.
     *
     * @param message memory that holds the inline part; borrowed until the next start
     * @param offset where in it the message begins
     * @param length how many bytes it has
     * @param claims the items that did not come inline, or null if all did
     */
    public void start(MemorySegment message, long offset, long length, @Nullable ChunkClaims claims) {
        Objects.checkFromIndexSize(offset, length, message.byteSize());
        segment = message;
        at = offset;
        end = offset + length;
        shift = -offset;
        chunks = claims;
        sink = null;
        payload = XdrLayouts.NONE;
        payloadOffset = 0;
    }

    /** Starts to read a message that came wholly inline. */
    public void start(MemorySegment message) {
        start(message, 0, message.byteSize(), null);
    }

    /** Forgets the message, so that its memory is no longer referred to. */
    public void clear() {
        start(XdrLayouts.NONE, 0, 0, null);
    }

    /**
     * Gives the memory that the first payload of the message is to end up in. If that payload came inline,
     * {@link #readPayload} copies it there; a chunk is returned as it is.
     *
     * @param target borrowed until the next start
     * @param offset where in it the payload goes
     * @param length most bytes that it may have; a longer one is an error
     */
    public void payloadSink(MemorySegment target, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, target.byteSize());
        sink = target;
        sinkOffset = offset;
        sinkLength = length;
    }

    /** Offset in the unreduced XDR stream of what is read next: chunks count with their length rounded up to 4. */
    public long position() {
        return at + shift;
    }

    /** Inline bytes that are left. */
    public long remaining() {
        return end - at;
    }

    /** Reads a 32-bit word: an int, or any word whose meaning the caller checks (RFC 4506 §4.1). */
    public int readInt() throws XdrException {
        if (end - at < 4) {
            throw truncated(4);
        }
        int value = segment.get(XdrLayouts.INT, at);
        at += 4;
        return value;
    }

    /** Reads an unsigned int: 0 to 2^32-1 (RFC 4506 §4.2). */
    public long readUnsignedInt() throws XdrException {
        return readInt() & 0xffff_ffffL;
    }

    /** Reads a hyper or unsigned hyper (RFC 4506 §4.5). */
    public long readLong() throws XdrException {
        if (end - at < 8) {
            throw truncated(8);
        }
        long value = segment.get(XdrLayouts.LONG, at);
        at += 8;
        return value;
    }

    /** Reads a boolean; a word other than 0 and 1 is an error (RFC 4506 §4.4). */
    public boolean readBoolean() throws XdrException {
        int value = readInt();
        if ((value & ~1) != 0) {
            throw XdrException.badValue("a boolean", value);
        }
        return value == 1;
    }

    /**
     * Reads the length word of a counted item or array.
     *
     * @param max the most that the definition allows
     * @param bytesEach fewest bytes that each element takes; the elements must be there
     * @return 0 to {@code max}
     */
    public int readCount(int max, int bytesEach) throws XdrException {
        long count = readUnsignedInt();
        if (count > max) {
            throw XdrException.tooLong("an array", count, max);
        }
        if (count * bytesEach > remaining()) {
            throw truncated(count * bytesEach);
        }
        return (int) count;
    }

    /**
     * Reads variable-length opaque data into a new array (RFC 4506 §4.10).
     *
     * @param max most bytes that the definition allows
     */
    public byte[] readOpaque(int max) throws XdrException {
        int length = opaqueLength(max);
        byte[] bytes = new byte[length];
        MemorySegment.copy(segment, XdrLayouts.BYTE, at, bytes, 0, length);
        skipItem(length);
        return bytes;
    }

    /**
     * Reads variable-length opaque data into an array of the caller.
     *
     * @param target gets the bytes, from index 0; its length is the most that is accepted
     * @return how many bytes there were
     */
    public int readOpaque(byte[] target) throws XdrException {
        int length = opaqueLength(target.length);
        MemorySegment.copy(segment, XdrLayouts.BYTE, at, target, 0, length);
        skipItem(length);
        return length;
    }

    /**
     * Reads variable-length opaque data as a slice of the message.
     *
     * @param max most bytes that the definition allows
     */
    public MemorySegment readOpaqueSlice(int max) throws XdrException {
        int length = opaqueLength(max);
        MemorySegment slice = segment.asSlice(at, length);
        skipItem(length);
        return slice;
    }

    /** Reads fixed-length opaque data: as many bytes as {@code target} has, and their pad (RFC 4506 §4.9). */
    public void readFixed(byte[] target) throws XdrException {
        readFixed(target, 0, target.length);
    }

    /** Reads fixed-length opaque data of {@code length} bytes into a range of an array, and skips the pad. */
    public void readFixed(byte[] target, int offset, int length) throws XdrException {
        requireItem(length);
        MemorySegment.copy(segment, XdrLayouts.BYTE, at, target, offset, length);
        skipItem(length);
    }

    /** Reads fixed-length opaque data as a slice of the message. */
    public MemorySegment readFixedSlice(int length) throws XdrException {
        requireItem(length);
        MemorySegment slice = segment.asSlice(at, length);
        skipItem(length);
        return slice;
    }

    /**
     * Reads a string (RFC 4506 §4.11) as UTF-8; malformed UTF-8 is an error. Names of files are bytes: read those as
     * opaque.
     *
     * @param max most bytes that the definition allows
     */
    public String readString(int max) throws XdrException {
        byte[] bytes = readOpaque(max);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new XdrException(XdrException.Reason.BAD_TEXT, "a string of " + bytes.length + " bytes is not UTF-8");
        }
    }

    /**
     * Whether the next {@code length} inline bytes are there and equal the first of {@code expected}. Consumes nothing.
     */
    public boolean sameFixed(MemorySegment expected, int length) {
        return length <= end - at && MemorySegment.mismatch(segment, at, at + length, expected, 0, length) < 0;
    }

    /** Skips {@code length} bytes and their pad. */
    public void skipFixed(long length) throws XdrException {
        requireItem(length);
        skipItem(length);
    }

    /**
     * Reads variable-length opaque data that is eligible for direct placement: from the chunk that starts here if there
     * is one, else inline.
     *
     * @param max most bytes that the definition or the caller allows
     * @return exactly the item's bytes; a part of a chunk, of the sink, or of the message
     */
    public MemorySegment readPayload(long max) throws XdrException {
        long length = readPayloadRange(max);
        return payload.asSlice(payloadOffset, length);
    }

    /**
     * As {@link #readPayload}, without making a slice: the bytes are in {@link #payloadSegment()} at
     * {@link #payloadOffset()}.
     *
     * @return the item's length
     */
    public long readPayloadRange(long max) throws XdrException {
        long length = readUnsignedInt();
        if (length > max) {
            throw XdrException.tooLong("an item", length, max);
        }
        MemorySegment target = sink;
        sink = null;
        ChunkClaims claims = chunks;
        if (claims != null) {
            MemorySegment chunk = claims.claim(position(), length);
            if (chunk != null) {
                shift += length + XdrLayouts.pad(length);
                payload = chunk;
                payloadOffset = 0;
                return length;
            }
        }
        requireItem(length);
        if (target == null) {
            payload = segment;
            payloadOffset = at;
        } else {
            if (length > sinkLength) {
                throw XdrException.tooLong("an item", length, sinkLength);
            }
            MemorySegment.copy(segment, at, target, sinkOffset, length);
            payload = target;
            payloadOffset = sinkOffset;
        }
        skipItem(length);
        return length;
    }

    /** The memory that holds the payload that {@link #readPayloadRange} read last. */
    public MemorySegment payloadSegment() {
        return payload;
    }

    /** Where in {@link #payloadSegment()} that payload begins. */
    public long payloadOffset() {
        return payloadOffset;
    }

    /**
     * Asserts that everything was read: no inline byte and no chunk is left.
     *
     * @throws XdrException {@link XdrException.Reason#TRAILING_BYTES} or {@link XdrException.Reason#CHUNK_UNCLAIMED}; a
     *     server answers {@code GARBAGE_ARGS} and does nothing
     */
    public void finish() throws XdrException {
        if (at != end) {
            throw new XdrException(XdrException.Reason.TRAILING_BYTES, (end - at) + " bytes behind the last item");
        }
        ChunkClaims claims = chunks;
        if (claims != null) {
            claims.finish();
        }
    }

    private int opaqueLength(int max) throws XdrException {
        long length = readUnsignedInt();
        if (length > max) {
            throw XdrException.tooLong("opaque data", length, max);
        }
        requireItem(length);
        return (int) length;
    }

    private void requireItem(long length) throws XdrException {
        if (length < 0) {
            throw new IllegalArgumentException("negative length " + length);
        }
        if (length + XdrLayouts.pad(length) > end - at) {
            throw truncated(length + XdrLayouts.pad(length));
        }
    }

    /** RFC 4506 §3 has zero bytes in the pad; what is in it is ignored here. */
    private void skipItem(long length) {
        at += length + XdrLayouts.pad(length);
    }

    private XdrException truncated(long wanted) {
        return new XdrException(
                XdrException.Reason.TRUNCATED,
                "an item of " + wanted + " bytes at position " + position() + ", where " + (end - at) + " are left");
    }
}
