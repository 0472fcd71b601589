package io.rpcrdma4j.verbs.iwarp.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The CRC of an FPDU (RFC 5044 section 4.4): CRC32C over the length field, the ULPDU and the pad, sent least
 * significant byte first although all else is big-endian.
 *
 * <p><b>Threading:</b> one owner at a time.
 */
public final class FpduCrc {

    private final CRC32C crc = new CRC32C();

    /** Back to the start of an FPDU. */
    public void reset() {
        crc.reset();
    }

    /** Adds the remaining bytes of {@code bytes}, and moves its position to its limit. */
    public void update(ByteBuffer bytes) {
        crc.update(bytes);
    }

    /** Adds bytes of {@code buffer}, whose position and limit are the same afterwards. */
    public void update(ByteBuffer buffer, int offset, int length) {
        int position = buffer.position();
        int limit = buffer.limit();
        buffer.limit(offset + length).position(offset);
        crc.update(buffer);
        buffer.limit(limit).position(position);
    }

    /**
     * The CRC so far, as the {@code int} that {@link ByteBuffer#putInt} of a big-endian buffer writes as the wire wants
     * it.
     */
    public int wireValue() {
        return Integer.reverseBytes((int) crc.getValue());
    }

    /** The wire value over the remaining bytes of {@code bytes}, whose position and limit stay. */
    public static int of(ByteBuffer bytes) {
        var crc = new FpduCrc();
        crc.update(bytes, bytes.position(), bytes.remaining());
        return crc.wireValue();
    }
}
