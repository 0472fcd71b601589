package io.rpcrdma4j.rpcrdma.wire;

import java.util.Locale;

/**
 * The rules of RFC 8166 that a received header can break, one constant each, with what a Responder and a Requester do
 * about it.
 *
 * <p>For a Responder the outcome follows RFC 8166 section 4.5; a Requester drops what is malformed (section 4.5: it
 * must not answer, the call then meets its deadline). Messages state fact, limit and value and carry no payload.
 */
public enum HeaderFault {
    /** Fewer bytes than the four fixed words (RFC 8166 section 4.2): not even the XID can be trusted. */
    FIXED_WORDS_TRUNCATED(CallOutcome.DISCARD, "message of %1$d bytes is below the %2$d bytes of the fixed words"),
    /** RDMA_ERROR sent to a Responder (section 4.5); dropped in every version, so that errors never answer errors. */
    ERROR_AT_RESPONDER(CallOutcome.DISCARD, "RDMA_ERROR sent to a responder"),
    /** {@code rdma_vers} is not 1 (section 4.2.2). */
    BAD_VERSION(CallOutcome.ERR_VERS, "protocol version %1$d is not %2$d"),
    /** RDMA_DONE (section 4.2.4: senders MUST NOT, receivers discard); has no credit effect. */
    DONE_FORBIDDEN(CallOutcome.DISCARD, "RDMA_DONE is not used by this protocol version"),
    /** RDMA_MSGP (section 4.2.4: senders MUST NOT; a Responder answers ERR_CHUNK). */
    MSGP_FORBIDDEN(CallOutcome.ERR_CHUNK, "RDMA_MSGP is not used by this protocol version"),
    /** A {@code rdma_proc} value that section 4.2.4 does not name. */
    UNKNOWN_TYPE(CallOutcome.ERR_CHUNK, "message type %1$d exceeds %2$d"),
    /** RDMA_MSG or RDMA_NOMSG with no room for three absent lists (section 4.5.2). */
    HEADER_TRUNCATED(CallOutcome.ERR_CHUNK, "message of %1$d bytes is below the %2$d bytes of the shortest header"),

    /** The bytes end inside the Read list (section 4.5.2). */
    READ_LIST_TRUNCATED(CallOutcome.ERR_CHUNK, "Read list needs %2$d bytes of a message of %1$d"),
    /** An optional-data word that is neither 0 nor 1 in the Read list (RFC 4506 section 4.19). */
    READ_LIST_DISCRIMINATOR(CallOutcome.ERR_CHUNK, "Read list discriminator %1$d exceeds %2$d"),
    /** A Read list position that is not a multiple of 4 (RFC 8166 section 3.4.5). */
    POSITION_UNALIGNED(CallOutcome.ERR_CHUNK, "Read chunk position %1$d is not a multiple of %2$d"),
    /** More Read segments than {@link HeaderLimits#maxSegmentsPerList()}. */
    TOO_MANY_READ_SEGMENTS(CallOutcome.ERR_CHUNK, "Read list segment count %1$d exceeds %2$d"),
    /** More Read chunks than {@link HeaderLimits#maxChunksPerList()}. */
    TOO_MANY_READ_CHUNKS(CallOutcome.ERR_CHUNK, "Read chunk count %1$d exceeds %2$d"),
    /** A Read chunk of more segments than {@link HeaderLimits#maxSegmentsPerChunk()}. */
    TOO_MANY_SEGMENTS_IN_READ_CHUNK(CallOutcome.ERR_CHUNK, "Read chunk segment count %1$d exceeds %2$d"),
    /**
     * A Read chunk that is longer than {@link HeaderLimits#maxPayloadBytes()}, or a longer position-zero chunk than
     * {@link HeaderLimits#maxMessageBytes()}.
     */
    READ_CHUNK_TOO_LONG(CallOutcome.ERR_CHUNK, "Read chunk of %1$d bytes exceeds %2$d"),

    /** The bytes end inside the Write list (section 4.5.2). */
    WRITE_LIST_TRUNCATED(CallOutcome.ERR_CHUNK, "Write list needs %2$d bytes of a message of %1$d"),
    /** An optional-data word that is neither 0 nor 1 in the Write list (RFC 4506 section 4.19). */
    WRITE_LIST_DISCRIMINATOR(CallOutcome.ERR_CHUNK, "Write list discriminator %1$d exceeds %2$d"),
    /** More Write chunks than {@link HeaderLimits#maxChunksPerList()}. */
    TOO_MANY_WRITE_CHUNKS(CallOutcome.ERR_CHUNK, "Write chunk count %1$d exceeds %2$d"),
    /** More segments in all Write chunks together than {@link HeaderLimits#maxSegmentsPerList()}. */
    TOO_MANY_WRITE_SEGMENTS(CallOutcome.ERR_CHUNK, "Write list segment count %1$d exceeds %2$d"),
    /** A Write chunk that is longer than {@link HeaderLimits#maxMessageBytes()}. */
    WRITE_CHUNK_TOO_LONG(CallOutcome.ERR_CHUNK, "Write chunk of %1$d bytes exceeds %2$d"),

    /** The bytes end inside the Reply chunk (section 4.5.2). */
    REPLY_CHUNK_TRUNCATED(CallOutcome.ERR_CHUNK, "Reply chunk needs %2$d bytes of a message of %1$d"),
    /** An optional-data word that is neither 0 nor 1 before the Reply chunk (RFC 4506 section 4.19). */
    REPLY_CHUNK_DISCRIMINATOR(CallOutcome.ERR_CHUNK, "Reply chunk discriminator %1$d exceeds %2$d"),
    /** A Reply chunk that is longer than {@link HeaderLimits#maxMessageBytes()}. */
    REPLY_CHUNK_TOO_LONG(CallOutcome.ERR_CHUNK, "Reply chunk of %1$d bytes exceeds %2$d"),

    /** A counted array that claims more segments than the received bytes can hold (section 4.5.2). */
    SEGMENT_COUNT_BEYOND_MESSAGE(CallOutcome.ERR_CHUNK, "segment count %1$d exceeds the %2$d that the message holds"),
    /** A Write or Reply chunk of more segments than {@link HeaderLimits#maxSegmentsPerChunk()}. */
    SEGMENT_COUNT_BEYOND_LIMIT(CallOutcome.ERR_CHUNK, "segment count %1$d exceeds %2$d"),
    /** A single segment that is longer than any message we take ({@link HeaderLimits#maxMessageBytes()}). */
    SEGMENT_TOO_LONG(CallOutcome.ERR_CHUNK, "segment of %1$d bytes exceeds %2$d"),
    /** Offset plus length of a segment passes 2^64: the provider would refuse it (RFC 5041 section 8.2). */
    SEGMENT_WRAPS(CallOutcome.ERR_CHUNK, "segment at offset %1$#x with %2$d bytes passes 2^64"),

    /** RDMA_NOMSG call whose position-zero Read chunk is absent or empty: there is no RPC message (section 3.5.3). */
    NOMSG_WITHOUT_CALL_CHUNK(CallOutcome.ERR_CHUNK, "RDMA_NOMSG call without a position-zero Read chunk"),
    /** RDMA_MSG whose inline part is too short for an XID: there is no RPC message (section 4.2.1). */
    PAYLOAD_MISSING(CallOutcome.ERR_CHUNK, "RDMA_MSG with %1$d inline bytes is below %2$d"),
    /** RDMA_MSG that has inline bytes and a position-zero Read chunk: two candidates for one RPC message. */
    INLINE_BESIDE_CALL_CHUNK(
            CallOutcome.ERR_CHUNK, "%1$d inline bytes beside a position-zero Read chunk of %2$d bytes"),
    /** The header's XID is not that of the RPC message (section 4.2.1). */
    XID_MISMATCH(CallOutcome.ERR_CHUNK, "header xid %1$#x differs from payload xid %2$#x"),
    /** A Read chunk starts inside the one before it (section 3.4.5). */
    READ_CHUNKS_OVERLAP(CallOutcome.ERR_CHUNK, "Read chunk at position %1$d starts before %2$d, where another ends"),
    /** A Read chunk belongs behind the end of the RPC message that it is reduced from (section 3.4.5). */
    POSITION_BEYOND_MESSAGE(
            CallOutcome.ERR_CHUNK, "Read chunk belongs at byte %1$d of a reduced message of %2$d bytes"),
    /** The call with its reduced items back in place is longer than {@link HeaderLimits#maxMessageBytes()}. */
    MESSAGE_TOO_LONG(CallOutcome.ERR_CHUNK, "call of %1$d bytes exceeds %2$d"),

    /** RDMA_ERROR that ends before its error code, or ERR_VERS before its version pair (section 4.5). */
    ERROR_TRUNCATED(CallOutcome.DISCARD, "RDMA_ERROR of %1$d bytes is below %2$d"),
    /** A reply with a Read list (section 4.3.1: a Responder never supplies one). */
    READ_LIST_IN_REPLY(CallOutcome.ERR_CHUNK, "reply has a Read list of %1$d segments"),
    /** RDMA_NOMSG reply whose Reply chunk is absent or carries no byte (section 4.3.3). */
    NOMSG_WITHOUT_REPLY_CHUNK(
            CallOutcome.ERR_CHUNK, ReplyOutcome.FAIL_CALL, "RDMA_NOMSG reply without bytes in a Reply chunk");

    private final CallOutcome callOutcome;
    private final ReplyOutcome replyOutcome;
    private final String text;

    HeaderFault(CallOutcome callOutcome, String text) {
        this(callOutcome, ReplyOutcome.DISCARD, text);
    }

    HeaderFault(CallOutcome callOutcome, ReplyOutcome replyOutcome, String text) {
        this.callOutcome = callOutcome;
        this.replyOutcome = replyOutcome;
        this.text = text;
    }

    /** What a Responder does with such a call. */
    public CallOutcome callOutcome() {
        return callOutcome;
    }

    /** What a Requester does with such a reply. */
    public ReplyOutcome replyOutcome() {
        return replyOutcome;
    }

    /**
     * One line that says what was found and what the limit is.
     *
     * @param value the offending value
     * @param limit what it was compared with
     */
    String describe(long value, long limit) {
        return String.format(Locale.ROOT, text, value, limit);
    }
}
