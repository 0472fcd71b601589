package io.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Whether a received message belongs to the forward or the reverse direction of a connection that carries both (RFC
 * 8167 section 3): a Call goes to the local Responder, a Reply to the local Requester.
 *
 * <p>The two directions have independent XIDs that may collide; nothing but the kind of RPC message tells them apart.
 */
public enum MessageDirection {
    /** An RPC call, or a Long Call. */
    CALL,
    /** An RPC reply, a Long Reply or an RDMA_ERROR. */
    REPLY,
    /** Undeterminable; RFC 8167 section 4.1 has the credit word of such a message ignored. */
    UNKNOWN;

    /**
     * Finds the direction of a message without judging it: parsing may still refuse it. An inline RPC message tells by
     * its msg_type word (RFC 5531 section 9); without one, only a Call may have a Read list (RFC 8166 section 4.3.1)
     * and only a Reply may do without, and only a Responder sends RDMA_ERROR.
     *
     * @param message the received bytes, from the first header word on; borrowed until return
     * @param length how many of them were received
     * @return the direction; {@link #UNKNOWN} if the version is not 1 or the lists cannot be followed
     */
    public static MessageDirection peek(MemorySegment message, long length) {
        Objects.checkFromIndexSize(0, length, message.byteSize());
        if (length < WireWords.FIXED_BYTES) {
            return UNKNOWN;
        }
        MessageType type = MessageType.of(WireWords.unsignedWord(message, WireWords.TYPE));
        if (type == MessageType.RDMA_ERROR) {
            return REPLY;
        }
        boolean legible = WireWords.unsignedWord(message, WireWords.VERSION) == TransportHeader.VERSION
                && length >= WireWords.MIN_HEADER_BYTES;
        if (!legible || (type != MessageType.RDMA_MSG && type != MessageType.RDMA_NOMSG)) {
            return UNKNOWN;
        }
        boolean hasReadList = WireWords.word(message, WireWords.FIXED_BYTES) != 0;
        if (type == MessageType.RDMA_NOMSG) {
            return hasReadList ? CALL : REPLY;
        }
        long payload = skipLists(message, length);
        if (payload < 0 || length - payload < 2 * WireWords.WORD_BYTES) {
            return hasReadList ? CALL : UNKNOWN;
        }
        return ofInline(message, payload, length - payload);
    }

    /**
     * Tells the direction of an inline RPC message by its msg_type word, the second (RFC 5531 section 9).
     *
     * @param message the received bytes; borrowed until return
     * @param offset where the RPC message begins
     * @param length how many bytes it has
     * @return the direction; {@link #UNKNOWN} if there is no such word, or another value in it
     */
    public static MessageDirection ofInline(MemorySegment message, long offset, long length) {
        if (length < 2 * WireWords.WORD_BYTES) {
            return UNKNOWN;
        }
        return switch (WireWords.word(message, offset + WireWords.WORD_BYTES)) {
            case 0 -> CALL;
            case 1 -> REPLY;
            default -> UNKNOWN;
        };
    }

    /** Offset of the first byte behind the three lists; -1 if they do not end inside the message. */
    private static long skipLists(MemorySegment message, long length) {
        long at = WireWords.FIXED_BYTES;
        while (isOne(message, at, length)) {
            at += WireWords.WORD_BYTES + WireWords.READ_ENTRY_BYTES;
        }
        at += WireWords.WORD_BYTES;
        while (isOne(message, at, length)) {
            at = skipCounted(message, at + WireWords.WORD_BYTES, length);
        }
        at += WireWords.WORD_BYTES;
        if (isOne(message, at, length)) {
            at = skipCounted(message, at + WireWords.WORD_BYTES, length);
        } else {
            at += WireWords.WORD_BYTES;
        }
        return at <= length ? at : -1;
    }

    private static boolean isOne(MemorySegment message, long at, long length) {
        return length - at >= WireWords.WORD_BYTES && WireWords.word(message, at) == 1;
    }

    private static long skipCounted(MemorySegment message, long at, long length) {
        if (length - at < WireWords.WORD_BYTES) {
            return length + 1;
        }
        // At most 2^36 bytes, so that adding it cannot wrap; beyond the message the caller stops.
        return at + WireWords.WORD_BYTES + WireWords.SEGMENT_BYTES * WireWords.unsignedWord(message, at);
    }
}
