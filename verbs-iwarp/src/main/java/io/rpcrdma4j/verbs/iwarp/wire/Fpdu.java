package io.rpcrdma4j.verbs.iwarp.wire;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A framed PDU of MPA in full operation (RFC 5044 section 4), without markers:
 *
 * <pre>
 *  0                   1                   2                   3
 * +---------------------------+---------------------------------+
 * |      ULPDU_Length         |  ULPDU: DDP header ...          |
 * +---------------------------+                                 |
 * |  ... and payload                                            |
 * |                             +-------------------------------+
 * |                             |  PAD, 0 to 3 bytes            |
 * +-----------------------------+-------------------------------+
 * |  CRC32C over all of the above, least significant byte first |
 * +-------------------------------------------------------------+
 * </pre>
 *
 * The record is for tools and tests; its payload shares memory with the buffer it was parsed from.
 *
 * @param header the DDP and RDMAP header
 * @param payload what follows the header; position and limit are its ends
 * @param crc the CRC field as found, in the form of {@link FpduCrc#wireValue()}
 */
public record Fpdu(DdpHeader header, ByteBuffer payload, int crc) {

    /** Bytes of the length field. */
    public static final int LENGTH_BYTES = 2;

    /** Bytes of the CRC field. */
    public static final int CRC_BYTES = 4;

    /** The longest ULPDU that the length field can tell. */
    public static final int ULPDU_BYTES_MAX = 65_535;

    /** The longest FPDU: length field, ULPDU, pad and CRC. */
    public static final int FPDU_BYTES_MAX = (LENGTH_BYTES + ULPDU_BYTES_MAX + 3) / 4 * 4 + CRC_BYTES;

    /** No sender cuts ULPDUs shorter than this for want of space in a TCP segment (RFC 5044 section 4.5). */
    public static final int MULPDU_BYTES_MIN = 128;

    public Fpdu {
        Objects.requireNonNull(header, "header");
        if (header.length() + payload.remaining() - LENGTH_BYTES > ULPDU_BYTES_MAX) {
            throw new IllegalArgumentException("a payload of " + payload.remaining() + " bytes does not fit an FPDU");
        }
    }

    /** The length field at {@code offset}: bytes of the ULPDU, 0 to 65,535. */
    public static int ulpduLength(ByteBuffer buffer, int offset) {
        return Short.toUnsignedInt(buffer.getShort(offset));
    }

    /** Pad bytes after an ULPDU of this length. */
    public static int padBytes(int ulpduLength) {
        return -(LENGTH_BYTES + ulpduLength) & 3;
    }

    /** Bytes of the whole FPDU whose ULPDU has this length. */
    public static int totalBytes(int ulpduLength) {
        return LENGTH_BYTES + ulpduLength + padBytes(ulpduLength) + CRC_BYTES;
    }

    /**
     * The longest ULPDU whose FPDU fits one TCP segment (RFC 5044 section 4.5, no markers).
     *
     * @param emss the TCP maximum segment size in bytes
     */
    public static int mulpduFor(int emss) {
        int mulpdu = emss - (LENGTH_BYTES + CRC_BYTES + emss % 4);
        return Math.clamp(mulpdu, MULPDU_BYTES_MIN, ULPDU_BYTES_MAX);
    }

    /**
     * Takes the next FPDU off {@code in}, if it is there as a whole; does not check the CRC.
     *
     * @return null if more bytes are needed; the position of {@code in} is then unchanged
     * @throws IwarpException if the header can't be one
     */
    public static @Nullable Fpdu parse(ByteBuffer in) throws IwarpException {
        if (in.remaining() < LENGTH_BYTES) {
            return null;
        }
        int start = in.position();
        int ulpduLength = ulpduLength(in, start);
        int total = totalBytes(ulpduLength);
        if (in.remaining() < total) {
            return null;
        }
        DdpHeader header = DdpHeader.parse(in.slice(start, LENGTH_BYTES + ulpduLength));
        ByteBuffer payload = in.slice(start + header.length(), LENGTH_BYTES + ulpduLength - header.length());
        int crc = in.getInt(start + total - CRC_BYTES);
        in.position(start + total);
        return new Fpdu(header, payload, crc);
    }

    /** Bytes of the whole FPDU. */
    public int encodedLength() {
        return totalBytes(ulpduLength());
    }

    /** The value of the length field. */
    public int ulpduLength() {
        return header.length() - LENGTH_BYTES + payload.remaining();
    }

    /** Writes all of it at the position of {@code out}, with the CRC field as it is here and a pad of zeros. */
    public void writeTo(ByteBuffer out) {
        int ulpduLength = ulpduLength();
        header.writeTo(out, payload.remaining());
        out.put(payload.duplicate());
        for (int i = padBytes(ulpduLength); i > 0; i--) {
            out.put((byte) 0);
        }
        out.putInt(crc);
    }

    /** The CRC that this FPDU must have, its pad being zeros. */
    public int expectedCrc() {
        ByteBuffer whole = ByteBuffer.allocate(encodedLength());
        writeTo(whole);
        return FpduCrc.of(whole.flip().limit(whole.limit() - CRC_BYTES));
    }

    /** The same with the right CRC. */
    public Fpdu withCrc() {
        return new Fpdu(header, payload, expectedCrc());
    }
}
