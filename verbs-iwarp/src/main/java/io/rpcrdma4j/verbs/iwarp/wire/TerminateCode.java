package io.rpcrdma4j.verbs.iwarp.wire;

import org.jspecify.annotations.Nullable;

/**
 * The errors that a Terminate can name: RFC 5040 section 4.8, RFC 5041 section 7, RFC 5044 section 8, RFC 6581 section
 * 9.5.
 */
public enum TerminateCode {
    RDMAP_LOCAL_CATASTROPHIC(0, 0, 0x00, "local catastrophic error"),
    RDMAP_INVALID_STAG(0, 1, 0x00, "invalid STag"),
    RDMAP_BOUNDS(0, 1, 0x01, "base or bounds violation"),
    RDMAP_ACCESS(0, 1, 0x02, "access rights violation"),
    RDMAP_STAG_OF_OTHER_STREAM(0, 1, 0x03, "STag not associated with this stream"),
    RDMAP_OFFSET_WRAP(0, 1, 0x04, "tagged offset wraps"),
    RDMAP_PROTECTION_CANNOT_INVALIDATE(0, 1, 0x09, "STag cannot be invalidated"),
    RDMAP_PROTECTION_UNSPECIFIED(0, 1, 0xFF, "unspecified protection error"),
    RDMAP_VERSION(0, 2, 0x05, "invalid RDMAP version"),
    RDMAP_UNEXPECTED_OPCODE(0, 2, 0x06, "unexpected opcode"),
    RDMAP_STREAM_CATASTROPHIC(0, 2, 0x07, "catastrophic error of this stream"),
    RDMAP_GLOBAL_CATASTROPHIC(0, 2, 0x08, "catastrophic error, not of this stream alone"),
    RDMAP_OPERATION_CANNOT_INVALIDATE(0, 2, 0x09, "STag cannot be invalidated"),
    RDMAP_OPERATION_UNSPECIFIED(0, 2, 0xFF, "unspecified operation error"),
    DDP_LOCAL_CATASTROPHIC(1, 0, 0x00, "local catastrophic error"),
    DDP_TAGGED_INVALID_STAG(1, 1, 0x00, "invalid STag"),
    DDP_TAGGED_BOUNDS(1, 1, 0x01, "base or bounds violation"),
    DDP_TAGGED_STAG_OF_OTHER_STREAM(1, 1, 0x02, "STag not associated with this stream"),
    DDP_TAGGED_OFFSET_WRAP(1, 1, 0x03, "tagged offset wraps"),
    DDP_TAGGED_VERSION(1, 1, 0x04, "invalid DDP version"),
    DDP_UNTAGGED_QUEUE(1, 2, 0x01, "invalid queue number"),
    DDP_UNTAGGED_NO_BUFFER(1, 2, 0x02, "no buffer for this message"),
    DDP_UNTAGGED_MSN(1, 2, 0x03, "message sequence number out of range"),
    DDP_UNTAGGED_OFFSET(1, 2, 0x04, "invalid message offset"),
    DDP_UNTAGGED_TOO_LONG(1, 2, 0x05, "message too long for its buffer"),
    DDP_UNTAGGED_VERSION(1, 2, 0x06, "invalid DDP version"),
    MPA_CONNECTION_LOST(2, 0, 0x01, "TCP connection lost"),
    MPA_CRC(2, 0, 0x02, "CRC error"),
    MPA_LENGTH(2, 0, 0x03, "marker and length mismatch"),
    MPA_FRAME(2, 0, 0x04, "invalid MPA frame"),
    MPA_LOCAL_CATASTROPHIC(2, 0, 0x05, "local catastrophic error"),
    MPA_INSUFFICIENT_IRD(2, 0, 0x06, "insufficient IRD"),
    MPA_NO_RTR(2, 0, 0x07, "no matching ready-to-receive message");

    private static final TerminateCode[] ALL = values();
    private static final String[] LAYERS = {"RDMAP", "DDP", "MPA"};

    private final int layer;
    private final int type;
    private final int code;
    private final String text;

    TerminateCode(int layer, int type, int code, String text) {
        this.layer = layer;
        this.type = type;
        this.code = code;
        this.text = text;
    }

    /** 0 RDMAP, 1 DDP, 2 the layer below. 4 bits. */
    public int layer() {
        return layer;
    }

    /** The error type within the layer. 4 bits. */
    public int type() {
        return type;
    }

    /** The error code within the type. 8 bits. */
    public int code() {
        return code;
    }

    /** What it means, for the log. */
    public String text() {
        return LAYERS[layer] + ": " + text;
    }

    /** The constant with these values, or null if the RFCs have none. */
    public static @Nullable TerminateCode of(int layer, int type, int code) {
        for (TerminateCode each : ALL) {
            if (each.layer == layer && each.type == type && each.code == code) {
                return each;
            }
        }
        return null;
    }
}
