package io.rpcrdma4j.verbs.iwarp.wire;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The body of a Terminate (RFC 5040 section 4.8), after the untagged header:
 *
 * <pre>
 *  0  Layer(4) Type(4) Code(8) M(1) D(1) R(1) Rsvd(13)
 *  4  DDP Segment Length (2), only with M
 *  .  terminated DDP header (14 tagged, 18 untagged), only with D
 *  .  terminated RDMA Read Request body (28), only with R
 * </pre>
 *
 * Linux siw on little-endian machines sends the layer and type nibbles swapped and M, D, R in the low bits of byte 2 in
 * reverse order; {@link #parse} reads both forms. Writing gives the RFC's form.
 *
 * @param layer 4 bits, see {@link TerminateCode#layer()}
 * @param type 4 bits
 * @param code 8 bits
 * @param segmentLength the terminated segment's ULPDU length, or -1 if not told
 * @param ddpHeader the terminated DDP header without length field: 0, 14 or 18 bytes
 * @param readRequest the terminated Read Request's body: 0 or 28 bytes
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record Terminate(int layer, int type, int code, int segmentLength, byte[] ddpHeader, byte[] readRequest) {

    /** Bytes of the control word. */
    public static final int CONTROL_BYTES = 4;

    /** The longest body: control, length, untagged header, Read Request. */
    public static final int BYTES_MAX = CONTROL_BYTES + 2 + 18 + ReadRequest.BYTES;

    private static final int TAGGED_HEADER = DdpHeader.TAGGED_BYTES - Fpdu.LENGTH_BYTES;
    private static final int UNTAGGED_HEADER = DdpHeader.UNTAGGED_BYTES - Fpdu.LENGTH_BYTES;
    private static final byte[] NONE = {};

    public Terminate {
        if ((layer & ~0xF) != 0 || (type & ~0xF) != 0 || (code & ~0xFF) != 0) {
            throw new IllegalArgumentException("layer " + layer + ", type " + type + ", code " + code);
        }
        if (segmentLength < -1 || segmentLength > Fpdu.ULPDU_BYTES_MAX) {
            throw new IllegalArgumentException("segment length " + segmentLength);
        }
        if (ddpHeader.length != 0 && ddpHeader.length != TAGGED_HEADER && ddpHeader.length != UNTAGGED_HEADER) {
            throw new IllegalArgumentException("DDP header of " + ddpHeader.length + " bytes");
        }
        if (readRequest.length != 0 && readRequest.length != ReadRequest.BYTES) {
            throw new IllegalArgumentException("Read Request of " + readRequest.length + " bytes");
        }
    }

    /** A Terminate that names no segment. */
    public static Terminate of(TerminateCode code) {
        return new Terminate(code.layer(), code.type(), code.code(), -1, NONE, NONE);
    }

    /** The same with the segment that caused it; arrays as in the record, empty if not told. */
    public static Terminate of(TerminateCode code, int segmentLength, byte[] ddpHeader, byte[] readRequest) {
        return new Terminate(code.layer(), code.type(), code.code(), segmentLength, ddpHeader, readRequest);
    }

    /**
     * Reads a body of either form, all remaining bytes of {@code in}. Never fails: what is cut short or makes no sense
     * is left out, since a Terminate ends the connection whatever it says.
     */
    public static Terminate parse(ByteBuffer in) {
        if (in.remaining() < CONTROL_BYTES) {
            in.position(in.limit());
            return of(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);
        }
        int word = in.getInt();
        int high = word >>> 28;
        int low = word >>> 24 & 0xF;
        int code = word >>> 16 & 0xFF;
        boolean swapped = isSwapped(word);
        int flags = swapped ? Integer.reverse(word & 0x0700) >>> 8 : word & 0xE000;
        int segmentLength = -1;
        if ((flags & 0x8000) != 0 && in.remaining() >= 2) {
            segmentLength = Short.toUnsignedInt(in.getShort());
        }
        byte[] header = NONE;
        if ((flags & 0x4000) != 0 && in.hasRemaining()) {
            header = take(in, DdpHeader.isTagged(in, in.position() - 2) ? TAGGED_HEADER : UNTAGGED_HEADER);
        }
        byte[] request = (flags & 0x2000) != 0 ? take(in, ReadRequest.BYTES) : NONE;
        in.position(in.limit());
        return new Terminate(swapped ? low : high, swapped ? high : low, code, segmentLength, header, request);
    }

    /**
     * Whether the control word is in siw's form: by its flags, or, without any, by which reading names a known error.
     */
    private static boolean isSwapped(int word) {
        if ((word & 0xE000) != 0) {
            return false;
        }
        if ((word & 0x0700) != 0) {
            return true;
        }
        int high = word >>> 28;
        int low = word >>> 24 & 0xF;
        int code = word >>> 16 & 0xFF;
        return TerminateCode.of(high, low, code) == null && TerminateCode.of(low, high, code) != null;
    }

    private static byte[] take(ByteBuffer in, int bytes) {
        if (in.remaining() < bytes) {
            return NONE;
        }
        var taken = new byte[bytes];
        in.get(taken);
        return taken;
    }

    /** Bytes of the body. */
    public int encodedLength() {
        return CONTROL_BYTES + (segmentLength >= 0 ? 2 : 0) + ddpHeader.length + readRequest.length;
    }

    /** Writes the body at the position of {@code out}, in the RFC's form. */
    public void writeTo(ByteBuffer out) {
        int flags = (segmentLength >= 0 ? 0x8000 : 0)
                | (ddpHeader.length > 0 ? 0x4000 : 0)
                | (readRequest.length > 0 ? 0x2000 : 0);
        out.putInt(layer << 28 | type << 24 | code << 16 | flags);
        if (segmentLength >= 0) {
            out.putShort((short) segmentLength);
        }
        out.put(ddpHeader).put(readRequest);
    }

    /** The error that it names, or null if the RFCs have none with these values. */
    public @Nullable TerminateCode knownCode() {
        return TerminateCode.of(layer, type, code);
    }

    /** What it says, in plain words. */
    public String text() {
        TerminateCode known = knownCode();
        return known != null
                ? known.text()
                : "unknown error, layer " + layer + " type " + type + " code "
                        + HexFormat.of().toHexDigits((byte) code);
    }
}
