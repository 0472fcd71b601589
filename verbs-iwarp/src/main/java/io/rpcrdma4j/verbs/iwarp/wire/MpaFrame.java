package io.rpcrdma4j.verbs.iwarp.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The frames of MPA start-up (RFC 5044 section 7.1.1, RFC 6581 section 6):
 *
 * <pre>
 *  0  Key, 16 bytes: "MPA ID Req Frame" or "MPA ID Rep Frame"
 * 16  M(1) C(1) R(1) S(1) Rsvd(4)
 * 17  Rev (1)
 * 18  PD_Length (2), 0 to 512, includes the enhanced data
 * 20  enhanced data (4), only with S
 *  .  private data
 * </pre>
 *
 * @param kind request or reply
 * @param markers M: the sender of the frame wants to receive markers
 * @param crc C: the sender wants CRCs
 * @param rejected R: the connection is refused; only in a reply
 * @param revision 1 or 2
 * @param enhanced present with S; only in revision 2
 * @param privateData the upper layer's part; treated as immutable
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record MpaFrame(
        Kind kind,
        boolean markers,
        boolean crc,
        boolean rejected,
        int revision,
        Optional<EnhancedData> enhanced,
        byte[] privateData) {

    /** Bytes before the private data. */
    public static final int HEADER_BYTES = 20;

    /** Most private data, the enhanced data included. */
    public static final int PRIVATE_DATA_BYTES_MAX = 512;

    /** The longest frame. */
    public static final int BYTES_MAX = HEADER_BYTES + PRIVATE_DATA_BYTES_MAX;

    private static final int KEY_BYTES = 16;
    private static final int FLAG_MARKERS = 0x80;
    private static final int FLAG_CRC = 0x40;
    private static final int FLAG_REJECTED = 0x20;
    private static final int FLAG_ENHANCED = 0x10;

    /** Which of the two frames. */
    public enum Kind {
        REQUEST("MPA ID Req Frame"),
        REPLY("MPA ID Rep Frame");

        private final String key;

        Kind(String key) {
            this.key = key;
        }
    }

    public MpaFrame {
        if (revision != 1 && revision != 2) {
            throw new IllegalArgumentException("MPA revision " + revision);
        }
        if (enhanced.isPresent() && revision == 1) {
            throw new IllegalArgumentException("enhanced data in a frame of revision 1");
        }
        if (rejected && kind == Kind.REQUEST) {
            throw new IllegalArgumentException("a request can't reject");
        }
        int total = privateData.length + (enhanced.isPresent() ? EnhancedData.BYTES : 0);
        if (total > PRIVATE_DATA_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "private data of " + total + " bytes, more than " + PRIVATE_DATA_BYTES_MAX);
        }
    }

    /**
     * Takes a frame off {@code in}, if it is there as a whole. Complains as early as the bytes allow: a peer that
     * speaks another protocol is known by its first byte.
     *
     * @return null if more bytes are needed; the position of {@code in} is then unchanged
     * @throws IwarpException if this is no such frame
     */
    public static @Nullable MpaFrame parse(Kind kind, ByteBuffer in) throws IwarpException {
        int at = in.position();
        int available = in.remaining();
        for (int i = 0; i < Math.min(KEY_BYTES, available); i++) {
            if (in.get(at + i) != kind.key.charAt(i)) {
                throw new IwarpException(
                        Violation.MPA_KEY, "not an MPA " + kind + " frame: starts with " + hex(in, at, available));
            }
        }
        if (available < HEADER_BYTES) {
            return null;
        }
        int flags = in.get(at + 16);
        int revision = Byte.toUnsignedInt(in.get(at + 17));
        int length = Short.toUnsignedInt(in.getShort(at + 18));
        if (revision != 1 && revision != 2) {
            throw new IwarpException(Violation.MPA_REVISION, "MPA revision " + revision + ", neither 1 nor 2");
        }
        if (length > PRIVATE_DATA_BYTES_MAX) {
            throw new IwarpException(
                    Violation.MPA_PRIVATE_DATA_LENGTH,
                    "private data of " + length + " bytes, more than " + PRIVATE_DATA_BYTES_MAX);
        }
        // RFC 5044 knows no S flag: in revision 1 the bit is reserved, and ignored.
        boolean isEnhanced = revision == 2 && (flags & FLAG_ENHANCED) != 0;
        if (isEnhanced && length < EnhancedData.BYTES) {
            throw new IwarpException(
                    Violation.MPA_ENHANCED_DATA, "enhanced data announced, but private data is " + length + " bytes");
        }
        if (available < HEADER_BYTES + length) {
            return null;
        }
        in.position(at + HEADER_BYTES);
        Optional<EnhancedData> enhanced = isEnhanced ? Optional.of(EnhancedData.parse(in.getInt())) : Optional.empty();
        var privateData = new byte[at + HEADER_BYTES + length - in.position()];
        in.get(privateData);
        return new MpaFrame(
                kind,
                (flags & FLAG_MARKERS) != 0,
                (flags & FLAG_CRC) != 0,
                kind == Kind.REPLY && (flags & FLAG_REJECTED) != 0,
                revision,
                enhanced,
                privateData);
    }

    private static String hex(ByteBuffer in, int at, int available) {
        var start = new byte[Math.min(KEY_BYTES, available)];
        in.get(at, start);
        return HexFormat.of().formatHex(start);
    }

    /** Bytes of the frame. */
    public int encodedLength() {
        return HEADER_BYTES + (enhanced.isPresent() ? EnhancedData.BYTES : 0) + privateData.length;
    }

    /** Writes the frame at the position of {@code out}. */
    public void writeTo(ByteBuffer out) {
        out.put(kind.key.getBytes(StandardCharsets.US_ASCII));
        out.put((byte) ((markers ? FLAG_MARKERS : 0)
                | (crc ? FLAG_CRC : 0)
                | (rejected ? FLAG_REJECTED : 0)
                | (enhanced.isPresent() ? FLAG_ENHANCED : 0)));
        out.put((byte) revision);
        out.putShort((short) (encodedLength() - HEADER_BYTES));
        enhanced.ifPresent(data -> out.putInt(data.toWord()));
        out.put(privateData);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MpaFrame that
                && kind == that.kind
                && markers == that.markers
                && crc == that.crc
                && rejected == that.rejected
                && revision == that.revision
                && enhanced.equals(that.enhanced)
                && Arrays.equals(privateData, that.privateData);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(privateData) * 31 + enhanced.hashCode();
    }

    @Override
    public String toString() {
        return "MPA " + kind + " revision " + revision + (markers ? " markers" : "") + (crc ? " crc" : "")
                + (rejected ? " rejected" : "")
                + enhanced.map(data -> " " + data).orElse("") + " private data "
                + HexFormat.of().formatHex(privateData);
    }
}
