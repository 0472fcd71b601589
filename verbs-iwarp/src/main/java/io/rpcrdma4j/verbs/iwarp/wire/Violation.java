package io.rpcrdma4j.verbs.iwarp.wire;

/** The rules that a peer can break, with the Terminate that answers each once the connection is in full operation. */
public enum Violation {
    /** MPA start-up: the key is not the one expected (RFC 5044 section 7.1.1). */
    MPA_KEY(TerminateCode.MPA_FRAME),
    /** MPA start-up: a revision other than 1 and 2 (RFC 6581 section 9). */
    MPA_REVISION(TerminateCode.MPA_FRAME),
    /** MPA start-up: more than 512 bytes of private data (RFC 5044 section 7.1.1). */
    MPA_PRIVATE_DATA_LENGTH(TerminateCode.MPA_FRAME),
    /** MPA start-up: enhanced data announced but cut short, or not answered in kind (RFC 6581 section 6). */
    MPA_ENHANCED_DATA(TerminateCode.MPA_FRAME),
    /** MPA start-up: the peer wants markers, which we don't make. */
    MPA_MARKERS(TerminateCode.MPA_FRAME),
    /** MPA start-up: bytes before they are allowed (RFC 5044 section 7.1.2). */
    MPA_EARLY_DATA(TerminateCode.MPA_FRAME),
    /** The peer serves fewer Reads than it must (RFC 6581 section 9.1). */
    MPA_INSUFFICIENT_IRD(TerminateCode.MPA_INSUFFICIENT_IRD),
    /** The CRC is wrong (RFC 5044 section 4.4). */
    CRC(TerminateCode.MPA_CRC),
    /** The ULPDU is shorter than its header (RFC 5041 section 4). */
    FPDU_TOO_SHORT(TerminateCode.MPA_LENGTH),
    /** A started FPDU was not finished in time. */
    FPDU_TIMEOUT(TerminateCode.MPA_LOCAL_CATASTROPHIC),
    /** DV is not 1 in a tagged segment (RFC 5041 section 4). */
    DDP_VERSION_TAGGED(TerminateCode.DDP_TAGGED_VERSION),
    /** DV is not 1 in an untagged segment (RFC 5041 section 4). */
    DDP_VERSION_UNTAGGED(TerminateCode.DDP_UNTAGGED_VERSION),
    /** RV is not 1 (RFC 5040 section 4.1). */
    RDMAP_VERSION(TerminateCode.RDMAP_VERSION),
    /** An opcode that is unknown, or contradicts the T bit, or the state (RFC 5040 section 4.3). */
    UNEXPECTED_OPCODE(TerminateCode.RDMAP_UNEXPECTED_OPCODE),
    /** A Write to a key that names nothing, or no longer (RFC 5041 section 7.1). */
    WRITE_STAG(TerminateCode.DDP_TAGGED_INVALID_STAG),
    /** A Write to memory that may not be written; DDP has no code of its own for it. */
    WRITE_ACCESS(TerminateCode.DDP_TAGGED_INVALID_STAG),
    /** A Write to a key of another protection domain or connection. */
    WRITE_STREAM(TerminateCode.DDP_TAGGED_STAG_OF_OTHER_STREAM),
    /** A Write outside of the memory that the key exposes. */
    WRITE_BOUNDS(TerminateCode.DDP_TAGGED_BOUNDS),
    /** A Write whose end passes 2^64. */
    WRITE_WRAP(TerminateCode.DDP_TAGGED_OFFSET_WRAP),
    /** A Queue Number that the opcode does not use (RFC 5041 section 7.2). */
    QUEUE_NUMBER(TerminateCode.DDP_UNTAGGED_QUEUE),
    /** A Message Sequence Number other than the next. */
    MESSAGE_SEQUENCE(TerminateCode.DDP_UNTAGGED_MSN),
    /** A Message Offset other than the bytes so far. */
    MESSAGE_OFFSET(TerminateCode.DDP_UNTAGGED_OFFSET),
    /** A Send with no Receive posted for it. */
    NO_RECEIVE(TerminateCode.DDP_UNTAGGED_NO_BUFFER),
    /** A Send longer than its Receive. */
    RECEIVE_TOO_SHORT(TerminateCode.DDP_UNTAGGED_TOO_LONG),
    /** A posted Receive names memory that may not be used. */
    RECEIVE_MEMORY(TerminateCode.RDMAP_LOCAL_CATASTROPHIC),
    /** A Read Request that is not 28 bytes in one segment (RFC 5040 section 4.4). */
    READ_REQUEST_LENGTH(TerminateCode.RDMAP_OPERATION_UNSPECIFIED),
    /** More Read Requests than negotiated. */
    READ_REQUEST_LIMIT(TerminateCode.RDMAP_STREAM_CATASTROPHIC),
    /** A Read from a key that names nothing, or no longer (RFC 5040 section 7). */
    READ_STAG(TerminateCode.RDMAP_INVALID_STAG),
    /** A Read from memory that may not be read. */
    READ_ACCESS(TerminateCode.RDMAP_ACCESS),
    /** A Read from a key of another protection domain or connection. */
    READ_STREAM(TerminateCode.RDMAP_STAG_OF_OTHER_STREAM),
    /** A Read outside of the memory that the key exposes. */
    READ_BOUNDS(TerminateCode.RDMAP_BOUNDS),
    /** A Read whose end passes 2^64. */
    READ_WRAP(TerminateCode.RDMAP_OFFSET_WRAP),
    /** A Read Response that nobody asked for, or for another place than asked. */
    READ_RESPONSE_STAG(TerminateCode.DDP_TAGGED_INVALID_STAG),
    /** A Read Response longer or shorter than asked. */
    READ_RESPONSE_LENGTH(TerminateCode.DDP_TAGGED_BOUNDS),
    /** A Send with Invalidate of a key that names nothing. */
    INVALIDATE_STAG(TerminateCode.RDMAP_OPERATION_CANNOT_INVALIDATE),
    /** A Send with Invalidate of a key of another protection domain or connection. */
    INVALIDATE_STREAM(TerminateCode.RDMAP_PROTECTION_CANNOT_INVALIDATE);

    private final TerminateCode terminateCode;

    Violation(TerminateCode terminateCode) {
        this.terminateCode = terminateCode;
    }

    /** The error that a Terminate names for it. */
    public TerminateCode terminateCode() {
        return terminateCode;
    }
}
