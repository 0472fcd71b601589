package io.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One received RPC-over-RDMA version 1 message, parsed (RFC 8166 sections 4.2 to 4.5).
 *
 * <h2>Operation</h2>
 *
 * <p>{@link #parseCall} applies the rules of a Responder, {@link #parseReply} those of a Requester;
 * {@link MessageDirection#peek} tells which of the two a message needs on a connection that carries both. Each call
 * forgets what was parsed before. Checks run in this order: length, version, type, counts, arithmetic, ranges and
 * overlap, policy; the first broken rule is {@link #fault()} and the answer. After {@code ACCEPT} everything is valid;
 * after any other answer only {@link #xid()}, {@link #version()}, {@link #credits()}, {@link #typeCode()},
 * {@link #fault()} and {@link #faultText()} are, and the first four only if the fault is not
 * {@link HeaderFault#FIXED_WORDS_TRUNCATED}.
 *
 * <p>The XID of a call in a position-zero Read chunk, or of a reply in a Reply chunk, is not in the received bytes:
 * whoever has those bytes must compare it with {@link #xid()} (RFC 8166 section 4.2.1).
 *
 * <h2>Buffer ownership</h2>
 *
 * <p>Borrows the message until the parse method returns and keeps nothing of it. Arrays are kept and reused: after a
 * few messages, parsing allocates nothing.
 *
 * <h2>Threading</h2>
 *
 * <p>Confined to one thread at a time, like the receive context that owns it.
 *
 * <h2>Errors</h2>
 *
 * <p>What a peer can send ends in a {@link CallOutcome} or {@link ReplyOutcome}. A length beyond the given segment is
 * {@link IndexOutOfBoundsException}: the caller's mistake.
 */
public final class TransportHeader {
    /** The protocol version of this package. */
    public static final int VERSION = 1;

    /** Error code of RDMA_ERROR: the version is not supported (RFC 8166 section 4.5.1). */
    public static final int ERR_VERS = 1;

    /** Error code of RDMA_ERROR: the header or a chunk could not be processed (RFC 8166 section 4.5.2). */
    public static final int ERR_CHUNK = 2;

    /** The shortest header that can precede a payload: fixed words and three absent lists. */
    public static final int MIN_BYTES = WireWords.MIN_HEADER_BYTES;

    private final ChunkLists chunks = new ChunkLists();
    private final ListReader reader = new ListReader(chunks);

    private int xid;
    private long version;
    private long credits;
    private long typeCode;
    private MessageType type = MessageType.UNKNOWN;
    private long headerLength;
    private long inlineLength;
    private long errorCode;
    private long lowVersion;
    private long highVersion;

    private @Nullable HeaderFault fault;
    private long faultValue;
    private long faultLimit;

    /** An empty header, to be parsed into. */
    public TransportHeader() {}

    /**
     * Parses a message that a Requester sent to us as Responder. Counterpart of the header checks of
     * svc_rdma_recvfrom(9).
     *
     * @param message the received bytes, from the first header word on
     * @param length how many of them were received
     * @param limits what one header may ask for
     * @return what to do with the message
     */
    public CallOutcome parseCall(MemorySegment message, long length, HeaderLimits limits) {
        boolean sound = readFixedWords(message, length)
                && checkCallType(length)
                && readLists(message, length, limits)
                && checkCallPayload(message)
                && checkPositions(limits);
        HeaderFault found = fault;
        if (found == null) {
            assert sound;
            return CallOutcome.ACCEPT;
        }
        return found.callOutcome();
    }

    /**
     * Parses a message that a Responder sent to us as Requester.
     *
     * @param message the received bytes, from the first header word on
     * @param length how many of them were received
     * @param limits what one header may hold
     * @return what to do with the message; an RDMA_ERROR is accepted if its error code can be read
     */
    public ReplyOutcome parseReply(MemorySegment message, long length, HeaderLimits limits) {
        boolean sound = readFixedWords(message, length) && checkReplyType(length);
        if (sound && type == MessageType.RDMA_ERROR) {
            sound = readError(message, length);
        } else if (sound) {
            sound = readLists(message, length, limits) && checkReplyPayload(message);
        }
        HeaderFault found = fault;
        if (found == null) {
            assert sound;
            return ReplyOutcome.ACCEPT;
        }
        return found.replyOutcome();
    }

    /** The XID, a 32-bit pattern. */
    public int xid() {
        return xid;
    }

    /** The version word as received, unsigned 32-bit; to be returned in an ERR_VERS. */
    public long version() {
        return version;
    }

    /**
     * The credit word as received, unsigned 32-bit: what a call asks for or what a reply grants. A grant of 0 breaks
     * RFC 8166 section 3.3.1 and is to be taken as 1.
     */
    public long credits() {
        return credits;
    }

    /** The message type, {@link MessageType#UNKNOWN} for a value that RFC 8166 does not name. */
    public MessageType type() {
        return type;
    }

    /** The message type word as received, unsigned 32-bit. */
    public long typeCode() {
        return typeCode;
    }

    /** The three lists; all absent in an RDMA_ERROR. Valid until the next parse. */
    public ChunkLists chunks() {
        return chunks;
    }

    /** Bytes of the header: where the inline RPC message starts in the received bytes. */
    public long headerLength() {
        return headerLength;
    }

    /**
     * Bytes of the inline RPC message, which follow the header. 0 for RDMA_NOMSG: bytes that trail its lists are not
     * part of any message and are ignored.
     */
    public long inlineLength() {
        return inlineLength;
    }

    /** {@link #ERR_VERS}, {@link #ERR_CHUNK} or another unsigned 32-bit value; 0 if this is not an RDMA_ERROR. */
    public long errorCode() {
        return errorCode;
    }

    /** Lowest version the Responder supports, unsigned 32-bit; only of an {@link #ERR_VERS}, else 0. */
    public long lowVersion() {
        return lowVersion;
    }

    /** Highest version the Responder supports, unsigned 32-bit; only of an {@link #ERR_VERS}, else 0. */
    public long highVersion() {
        return highVersion;
    }

    /** The rule that the message broke; null if it was accepted. */
    public @Nullable HeaderFault fault() {
        return fault;
    }

    /** One line for a log: fact, limit, value and XID of the fault. Empty if there is none. */
    public String faultText() {
        HeaderFault found = fault;
        if (found == null) {
            return "";
        }
        String text = found.describe(faultValue, faultLimit);
        if (found == HeaderFault.FIXED_WORDS_TRUNCATED) {
            return text;
        }
        return text + " (xid 0x" + String.format("%08x", xid) + ")";
    }

    private boolean readFixedWords(MemorySegment message, long length) {
        Objects.checkFromIndexSize(0, length, message.byteSize());
        chunks.clear();
        fault = null;
        headerLength = 0;
        inlineLength = 0;
        errorCode = 0;
        lowVersion = 0;
        highVersion = 0;
        if (length < WireWords.FIXED_BYTES) {
            xid = 0;
            version = 0;
            credits = 0;
            typeCode = 0;
            type = MessageType.UNKNOWN;
            return fail(HeaderFault.FIXED_WORDS_TRUNCATED, length, WireWords.FIXED_BYTES);
        }
        xid = WireWords.word(message, WireWords.XID);
        version = WireWords.unsignedWord(message, WireWords.VERSION);
        credits = WireWords.unsignedWord(message, WireWords.CREDITS);
        typeCode = WireWords.unsignedWord(message, WireWords.TYPE);
        type = MessageType.of(typeCode);
        return true;
    }

    private boolean checkCallType(long length) {
        // Before the version: RDMA_ERROR means the same in every version, and an answer to it could loop for ever.
        if (type == MessageType.RDMA_ERROR) {
            return fail(HeaderFault.ERROR_AT_RESPONDER, typeCode, 0);
        }
        return checkVersion() && checkHasLists(length);
    }

    private boolean checkReplyType(long length) {
        // RFC 8166 section 4.2: the fixed words keep their meaning in all versions, so an error of any version counts.
        return type == MessageType.RDMA_ERROR || (checkVersion() && checkHasLists(length));
    }

    private boolean checkVersion() {
        return version == VERSION || fail(HeaderFault.BAD_VERSION, version, VERSION);
    }

    private boolean checkHasLists(long length) {
        switch (type) {
            case RDMA_DONE -> fail(HeaderFault.DONE_FORBIDDEN, typeCode, 0);
            case RDMA_MSGP -> fail(HeaderFault.MSGP_FORBIDDEN, typeCode, 0);
            case UNKNOWN, RDMA_ERROR -> fail(HeaderFault.UNKNOWN_TYPE, typeCode, MessageType.RDMA_ERROR.code());
            case RDMA_MSG, RDMA_NOMSG -> {
                if (length < WireWords.MIN_HEADER_BYTES) {
                    fail(HeaderFault.HEADER_TRUNCATED, length, WireWords.MIN_HEADER_BYTES);
                }
            }
        }
        return fault == null;
    }

    private boolean readError(MemorySegment message, long length) {
        if (length < WireWords.ERR_CHUNK_BYTES) {
            return fail(HeaderFault.ERROR_TRUNCATED, length, WireWords.ERR_CHUNK_BYTES);
        }
        errorCode = WireWords.unsignedWord(message, WireWords.ERROR_CODE);
        headerLength = WireWords.ERR_CHUNK_BYTES;
        if (errorCode == ERR_VERS) {
            if (length < WireWords.ERR_VERS_BYTES) {
                return fail(HeaderFault.ERROR_TRUNCATED, length, WireWords.ERR_VERS_BYTES);
            }
            lowVersion = WireWords.unsignedWord(message, WireWords.LOW_VERSION);
            highVersion = WireWords.unsignedWord(message, WireWords.HIGH_VERSION);
            headerLength = WireWords.ERR_VERS_BYTES;
        }
        return true;
    }

    private boolean readLists(MemorySegment message, long length, HeaderLimits limits) {
        HeaderFault found = reader.read(message, WireWords.FIXED_BYTES, length, limits);
        if (found != null) {
            return fail(found, reader.faultValue(), reader.faultLimit());
        }
        headerLength = reader.position();
        inlineLength = type == MessageType.RDMA_MSG ? length - headerLength : 0;
        return true;
    }

    private boolean checkCallPayload(MemorySegment message) {
        ReadChunk call = chunks.callChunk();
        if (type == MessageType.RDMA_NOMSG) {
            return call != null || fail(HeaderFault.NOMSG_WITHOUT_CALL_CHUNK, 0, 0);
        }
        if (call != null) {
            return inlineLength == 0 || fail(HeaderFault.INLINE_BESIDE_CALL_CHUNK, inlineLength, call.length());
        }
        return checkInlineXid(message);
    }

    private boolean checkReplyPayload(MemorySegment message) {
        if (chunks.readSegmentCount() > 0) {
            return fail(HeaderFault.READ_LIST_IN_REPLY, chunks.readSegmentCount(), 0);
        }
        if (type == MessageType.RDMA_NOMSG) {
            WriteChunk reply = chunks.replyChunk();
            boolean empty = reply == null || reply.length() == 0;
            return !empty || fail(HeaderFault.NOMSG_WITHOUT_REPLY_CHUNK, 0, 0);
        }
        return checkInlineXid(message);
    }

    private boolean checkInlineXid(MemorySegment message) {
        if (inlineLength < WireWords.WORD_BYTES) {
            return fail(HeaderFault.PAYLOAD_MISSING, inlineLength, WireWords.WORD_BYTES);
        }
        int payloadXid = WireWords.word(message, headerLength);
        return payloadXid == xid
                || fail(HeaderFault.XID_MISMATCH, Integer.toUnsignedLong(xid), Integer.toUnsignedLong(payloadXid));
    }

    /**
     * Places each data chunk in the reduced message. Positions count earlier items with their pads, whether or not the
     * Requester put the pad into the chunk (RFC 8166 section 3.4.5.2), so each earlier chunk takes its padded length.
     * All sums are of at most 2^31 segments of less than 2^32 bytes and cannot overflow a long.
     */
    private boolean checkPositions(HeaderLimits limits) {
        ReadChunk call = chunks.callChunk();
        long reducedLength = call != null ? call.length() : inlineLength;
        long moved = 0;
        long end = 0;
        int count = chunks.readChunkCount();
        for (int i = 0; i < count; i++) {
            ReadChunk chunk = chunks.readChunk(i);
            long position = chunk.position();
            if (position < end) {
                return fail(HeaderFault.READ_CHUNKS_OVERLAP, position, end);
            }
            long offset = position - moved;
            if (offset > reducedLength) {
                return fail(HeaderFault.POSITION_BEYOND_MESSAGE, offset, reducedLength);
            }
            chunk.reducedOffset(offset);
            end = position + chunk.length();
            moved += WireWords.padded(chunk.length());
        }
        long messageLength = reducedLength + moved;
        return messageLength <= limits.maxMessageBytes()
                || fail(HeaderFault.MESSAGE_TOO_LONG, messageLength, limits.maxMessageBytes());
    }

    private boolean fail(HeaderFault found, long value, long limit) {
        fault = found;
        faultValue = value;
        faultLimit = limit;
        return false;
    }
}
