package io.rpcrdma4j.cli.decode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The classic capture format, with microseconds or nanoseconds, of either byte order:
 *
 * <pre>
 *   file    magic(4) major(2) minor(2) zone(4) accuracy(4) snaplen(4) linktype(4), then records
 *   record  seconds(4) fraction(4) captured(4) original(4), then the captured bytes
 * </pre>
 */
final class PcapReader extends CaptureReader {
    private static final int MAGIC_MICROSECONDS = 0xA1B2C3D4;
    private static final int MAGIC_NANOSECONDS = 0xA1B23C4D;
    private static final int REST_OF_FILE_HEADER = 20;
    private static final int LINK_TYPE_AT = 16;
    private static final int RECORD_HEADER = 16;
    private static final int CAPTURED_AT = 8;

    /** The upper bits tell of frame check sequences. */
    private static final int LINK_TYPE_MASK = 0xFFFF;

    private final ByteOrder order;
    private final int linkType;

    PcapReader(InputStream in, ByteOrder order) throws IOException, CaptureException {
        super(in);
        this.order = order;
        ByteBuffer header = read(REST_OF_FILE_HEADER);
        if (header == null) {
            throw new CaptureException("the capture ends inside its file header");
        }
        linkType = header.order(order).getInt(LINK_TYPE_AT) & LINK_TYPE_MASK;
    }

    /** The byte order of a file with this first word, read as big-endian; null if it is no such file. */
    static @Nullable ByteOrder orderOf(int magic) {
        if (magic == MAGIC_MICROSECONDS || magic == MAGIC_NANOSECONDS) {
            return ByteOrder.BIG_ENDIAN;
        }
        int swapped = Integer.reverseBytes(magic);
        return swapped == MAGIC_MICROSECONDS || swapped == MAGIC_NANOSECONDS ? ByteOrder.LITTLE_ENDIAN : null;
    }

    @Override
    @Nullable
    Packet next() throws IOException, CaptureException {
        ByteBuffer header = read(RECORD_HEADER);
        if (header == null) {
            return null;
        }
        long captured = Integer.toUnsignedLong(header.order(order).getInt(CAPTURED_AT));
        ByteBuffer bytes = readRest(checkLength(captured, "packet"));
        return bytes == null ? null : packet(linkType, bytes);
    }
}
