package io.rpcrdma4j.rpcrdma;

import java.util.Locale;

/**
 * The interesting moments of a transport, by the names that the Linux trace points of {@code rpcrdma} have
 * ({@code svcrdma_} in lower case), so that a log of ours reads like a trace of theirs. The two arguments of each are
 * given behind its name.
 */
public enum TracePoint {
    /** A connection is usable: send limit, receive limit (bytes). */
    ACCEPT,
    /** A Receive completed: bytes, posted Receives left. */
    WC_RECV,
    /** A Receive was flushed: 0, 0. */
    WC_RECV_FLUSH,
    /** A Receive failed: status code, 0. */
    WC_RECV_ERR,
    /** Receives could not be posted: how many, error number. */
    RQ_POST_ERR,
    /** A call's header was parsed: procedure, credits asked. */
    DECODE_RQST,
    /** A message was too short to answer: 0, 0. */
    DECODE_SHORT_ERR,
    /** A version other than 1: procedure, version. */
    DECODE_BADVERS_ERR,
    /** A message that must be dropped: procedure, version. */
    DECODE_DROP_ERR,
    /** A procedure that must be refused: procedure, version. */
    DECODE_BADPROC_ERR,
    /** Malformed chunk lists: procedure, version. */
    DECODE_PARSE_ERR,
    /** ERR_VERS was sent: version asked, 0. */
    ERR_VERS,
    /** ERR_CHUNK was sent: 0, 0. */
    ERR_CHUNK,
    /** Reads of a call were posted: send-queue entries, bytes. */
    POST_READ_CHUNK,
    /** All Reads of a call are done: bytes, nanoseconds. */
    WC_READ,
    /** A call's Reads were flushed: 0, 0. */
    WC_READ_FLUSH,
    /** A call's Reads failed: status code, 0. */
    WC_READ_ERR,
    /** A call is whole after its Reads: bytes, 0. */
    READ_FINISHED,
    /** Writes of a Write chunk were queued: send-queue entries, bytes. */
    POST_WRITE_CHUNK,
    /** Writes of a Reply chunk were queued: send-queue entries, bytes. */
    POST_REPLY_CHUNK,
    /** A Write chunk's Writes are done: 0, 0. */
    WC_WRITE,
    /** A Write chunk's Writes were flushed: 0, 0. */
    WC_WRITE_FLUSH,
    /** A Write chunk's Writes failed: status code, 0. */
    WC_WRITE_ERR,
    /** A Reply chunk's Writes are done: 0, 0. */
    WC_REPLY,
    /** A Reply chunk's Writes were flushed: 0, 0. */
    WC_REPLY_FLUSH,
    /** A Reply chunk's Writes failed: status code, 0. */
    WC_REPLY_ERR,
    /** A chunk of the client's was too small: bytes left over, segments. */
    SMALL_WRCH_ERR,
    /** A result was larger than a Read sink may be: bytes, limit. */
    PAGE_OVERRUN_ERR,
    /** Registered memory was exhausted: bytes asked, 0. */
    DMA_MAP_ERR,
    /** A reply was copied into one buffer: bytes, 0. */
    SEND_PULLUP,
    /** A reply could not be sent: 0, 0. */
    SEND_ERR,
    /** A Send is about to be posted: send-queue entries, inline bytes. */
    POST_SEND,
    /** A Send completed: send-queue entries, 0. */
    WC_SEND,
    /** A Send was flushed: send-queue entries, 0. */
    WC_SEND_FLUSH,
    /** A Send failed: status code, send-queue entries. */
    WC_SEND_ERR,
    /** The send queue had no room: entries needed, available. */
    SQ_FULL,
    /** A waiter got its entries: entries needed, available. */
    SQ_RETRY,
    /** Posting failed: error number, 1 if part of the chain was posted. */
    SQ_POST_ERR,
    /** A chunk's Reads or Writes gave their resources back: send-queue entries, 0. */
    CC_RELEASE,
    /** The connection is being torn down: 0, 0. */
    CLOSE,
    /** The peer serves no Reads, so the connection was refused: 0, 0. */
    INITDEPTH_ERR,
    /** The device went away: 0, 0. */
    DEVICE_REMOVAL;

    private final String kernelName = "svcrdma_" + name().toLowerCase(Locale.ROOT);

    /** A small number of its own, for tables indexed by trace point. */
    @SuppressWarnings("EnumOrdinal") // an index within one run, never kept
    int index() {
        return ordinal();
    }

    /** The name of the Linux trace point. */
    public String kernelName() {
        return kernelName;
    }
}
