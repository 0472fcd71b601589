package io.rpcrdma4j.verbs.iwarp.wire;

import java.nio.ByteBuffer;

/**
 * The headers of DDP (RFC 5041 section 4) and RDMAP (RFC 5040 section 4.1). Offsets count from the FPDU's length field:
 *
 * <pre>
 * tagged                                        untagged
 *  0  ULPDU_Length (2)                           0  ULPDU_Length (2)
 *  2  T=1 L Rsvd(4) DV(2)=1                      2  T=0 L Rsvd(4) DV(2)=1
 *  3  RV(2)=1 Rsvd(2) Opcode(4)                  3  RV(2)=1 Rsvd(2) Opcode(4)
 *  4  STag (4)                                   4  Invalidate STag, or 0 (4)
 *  8  Tagged Offset (8)                          8  Queue Number (4)
 * 16  payload                                   12  Message Sequence Number (4)
 *                                               16  Message Offset (4)
 *                                               20  payload
 * </pre>
 *
 * The static methods are the view, the two records the strict form. Reserved bits are sent as 0 and ignored.
 */
public sealed interface DdpHeader {

    /** Where the payload of a tagged FPDU starts. */
    int TAGGED_BYTES = 16;

    /** Where the payload of an untagged FPDU starts. */
    int UNTAGGED_BYTES = 20;

    /** The queue of Sends. */
    int QUEUE_SEND = 0;

    /** The queue of RDMA Read Requests. */
    int QUEUE_READ_REQUEST = 1;

    /** The queue of Terminates. */
    int QUEUE_TERMINATE = 2;

    /** The T bit of the DDP control byte. */
    int TAGGED_FLAG = 0x80;

    /** The L bit of the DDP control byte. */
    int LAST_FLAG = 0x40;

    private static int control(boolean tagged, boolean last, int opcode) {
        return (tagged ? 0x8140 : 0x0140) | (last ? LAST_FLAG << 8 : 0) | opcode;
    }

    /** Whether the DDP control byte at {@code fpdu + 2} has the T bit. */
    static boolean isTagged(ByteBuffer buffer, int fpdu) {
        return buffer.get(fpdu + 2) < 0;
    }

    /** Whether this is the last segment of its message. */
    static boolean isLast(ByteBuffer buffer, int fpdu) {
        return (buffer.get(fpdu + 2) & LAST_FLAG) != 0;
    }

    /** DDP version, 2 bits; 1 is the only one there is. */
    static int ddpVersion(ByteBuffer buffer, int fpdu) {
        return buffer.get(fpdu + 2) & 0x03;
    }

    /** RDMAP version, 2 bits; 1 is RFC 5040. */
    static int rdmapVersion(ByteBuffer buffer, int fpdu) {
        return (buffer.get(fpdu + 3) & 0xC0) >> 6;
    }

    /** RDMAP opcode, 4 bits; see {@link RdmapOpcode}. */
    static int opcode(ByteBuffer buffer, int fpdu) {
        return buffer.get(fpdu + 3) & 0x0F;
    }

    /** STag of a tagged, Invalidate STag of an untagged segment; 32 bits. */
    static int stag(ByteBuffer buffer, int fpdu) {
        return buffer.getInt(fpdu + 4);
    }

    /** Tagged Offset, 64 bits unsigned. */
    static long taggedOffset(ByteBuffer buffer, int fpdu) {
        return buffer.getLong(fpdu + 8);
    }

    /** Queue Number, 32 bits unsigned. */
    static int queueNumber(ByteBuffer buffer, int fpdu) {
        return buffer.getInt(fpdu + 8);
    }

    /** Message Sequence Number, 32 bits unsigned. */
    static int messageSequenceNumber(ByteBuffer buffer, int fpdu) {
        return buffer.getInt(fpdu + 12);
    }

    /** Message Offset in bytes, 32 bits unsigned. */
    static int messageOffset(ByteBuffer buffer, int fpdu) {
        return buffer.getInt(fpdu + 16);
    }

    /** Writes length field and header of a tagged FPDU at {@code fpdu}; {@link #TAGGED_BYTES} bytes. */
    static void putTagged(
            ByteBuffer buffer, int fpdu, int opcode, boolean last, int stag, long taggedOffset, int payloadBytes) {
        int ulpduLength = TAGGED_BYTES - Fpdu.LENGTH_BYTES + payloadBytes;
        buffer.putInt(fpdu, ulpduLength << 16 | control(true, last, opcode));
        buffer.putInt(fpdu + 4, stag);
        buffer.putLong(fpdu + 8, taggedOffset);
    }

    /** Writes length field and header of an untagged FPDU at {@code fpdu}; {@link #UNTAGGED_BYTES} bytes. */
    static void putUntagged(
            ByteBuffer buffer,
            int fpdu,
            int opcode,
            boolean last,
            int invalidateStag,
            int queueNumber,
            int messageSequenceNumber,
            int messageOffset,
            int payloadBytes) {
        int ulpduLength = UNTAGGED_BYTES - Fpdu.LENGTH_BYTES + payloadBytes;
        buffer.putInt(fpdu, ulpduLength << 16 | control(false, last, opcode));
        buffer.putInt(fpdu + 4, invalidateStag);
        buffer.putInt(fpdu + 8, queueNumber);
        buffer.putInt(fpdu + 12, messageSequenceNumber);
        buffer.putInt(fpdu + 16, messageOffset);
    }

    /**
     * Reads the header at the position of {@code fpdu}, whose remaining bytes are length field and ULPDU; its position
     * stays.
     *
     * @throws IwarpException if versions, opcode and T bit don't make a header of RFC 5040, or it is cut short
     */
    static DdpHeader parse(ByteBuffer fpdu) throws IwarpException {
        int at = fpdu.position();
        int available = fpdu.remaining();
        if (available < 4) {
            throw new IwarpException(Violation.FPDU_TOO_SHORT, "ULPDU of " + (available - 2) + " bytes has no header");
        }
        boolean tagged = isTagged(fpdu, at);
        if (ddpVersion(fpdu, at) != 1) {
            throw new IwarpException(
                    tagged ? Violation.DDP_VERSION_TAGGED : Violation.DDP_VERSION_UNTAGGED,
                    "DDP version " + ddpVersion(fpdu, at));
        }
        if (rdmapVersion(fpdu, at) != 1) {
            throw new IwarpException(Violation.RDMAP_VERSION, "RDMAP version " + rdmapVersion(fpdu, at));
        }
        int opcode = opcode(fpdu, at);
        if (!RdmapOpcode.isKnown(opcode) || RdmapOpcode.isTagged(opcode) != tagged) {
            throw new IwarpException(
                    Violation.UNEXPECTED_OPCODE,
                    RdmapOpcode.name(opcode) + (tagged ? " in a tagged segment" : " in an untagged segment"));
        }
        int need = tagged ? TAGGED_BYTES : UNTAGGED_BYTES;
        if (available < need) {
            throw new IwarpException(
                    Violation.FPDU_TOO_SHORT,
                    RdmapOpcode.name(opcode) + " with an ULPDU of " + (available - 2)
                            + " bytes, shorter than its header");
        }
        boolean last = isLast(fpdu, at);
        int stag = stag(fpdu, at);
        return tagged
                ? new Tagged(opcode, last, stag, taggedOffset(fpdu, at))
                : new Untagged(
                        opcode,
                        last,
                        stag,
                        queueNumber(fpdu, at),
                        messageSequenceNumber(fpdu, at),
                        messageOffset(fpdu, at));
    }

    /** See {@link RdmapOpcode}. */
    int opcode();

    /** Whether this is the last segment of its message. */
    boolean last();

    /** Bytes from the length field to the payload. */
    int length();

    /** Writes length field and header, for this many bytes of payload, at the position of {@code out}. */
    void writeTo(ByteBuffer out, int payloadBytes);

    /**
     * Header of a tagged segment: RDMA Write, RDMA Read Response.
     *
     * @param opcode {@link RdmapOpcode#WRITE} or {@link RdmapOpcode#READ_RESPONSE}
     * @param last whether it is the last segment of its message
     * @param stag 32 bits
     * @param taggedOffset 64 bits, unsigned
     */
    record Tagged(int opcode, boolean last, int stag, long taggedOffset) implements DdpHeader {
        public Tagged {
            if (!RdmapOpcode.isKnown(opcode) || !RdmapOpcode.isTagged(opcode)) {
                throw new IllegalArgumentException(RdmapOpcode.name(opcode) + " is not tagged");
            }
        }

        @Override
        public int length() {
            return TAGGED_BYTES;
        }

        @Override
        public void writeTo(ByteBuffer out, int payloadBytes) {
            int at = out.position();
            out.position(at + TAGGED_BYTES);
            putTagged(out, at, opcode, last, stag, taggedOffset, payloadBytes);
        }
    }

    /**
     * Header of an untagged segment: Sends, RDMA Read Request, Terminate.
     *
     * @param opcode see {@link RdmapOpcode}
     * @param last whether it is the last segment of its message
     * @param invalidateStag the STag to invalidate, 0 for opcodes that don't
     * @param queueNumber 32 bits, unsigned
     * @param messageSequenceNumber 32 bits, unsigned; the first message of a queue is 1
     * @param messageOffset bytes of the message before this segment; 32 bits, unsigned
     */
    record Untagged(
            int opcode, boolean last, int invalidateStag, int queueNumber, int messageSequenceNumber, int messageOffset)
            implements DdpHeader {
        public Untagged {
            if (!RdmapOpcode.isKnown(opcode) || RdmapOpcode.isTagged(opcode)) {
                throw new IllegalArgumentException(RdmapOpcode.name(opcode) + " is not untagged");
            }
        }

        @Override
        public int length() {
            return UNTAGGED_BYTES;
        }

        @Override
        public void writeTo(ByteBuffer out, int payloadBytes) {
            int at = out.position();
            out.position(at + UNTAGGED_BYTES);
            putUntagged(
                    out,
                    at,
                    opcode,
                    last,
                    invalidateStag,
                    queueNumber,
                    messageSequenceNumber,
                    messageOffset,
                    payloadBytes);
        }
    }
}
