package io.rpcrdma4j.cli.decode;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * Reads packets from a capture in pcap or pcapng format, plain or compressed with xz or gzip.
 *
 * <p>Limits: a packet or block of at most {@link #RECORD_BYTES_MAX} bytes, 1,024 interfaces, and 128 MiB of memory for
 * xz. A capture that ends inside a record, as when its writer was killed, ends with the record before.
 *
 * <p><b>Threading:</b> confined. <b>Ownership:</b> owns the stream and closes it.
 */
abstract sealed class CaptureReader implements Closeable permits PcapReader, PcapngReader {
    /** Longest packet record or block; what no capture tool exceeds. */
    static final int RECORD_BYTES_MAX = 1 << 20;

    private static final int XZ_MEMORY_KIB_MAX = 128 << 10;
    private static final int BUFFER_BYTES = 1 << 16;

    private static final byte[] XZ_MAGIC = {(byte) 0xFD, '7', 'z', 'X', 'Z', 0};
    private static final byte[] GZIP_MAGIC = {0x1F, (byte) 0x8B};

    private final InputStream in;
    private long packetCount;
    private boolean cutShort;

    CaptureReader(InputStream in) {
        this.in = in;
    }

    /**
     * Opens a capture.
     *
     * @param file its bytes; owned by the reader if this returns, else still the caller's
     * @throws CaptureException if it is none
     */
    static CaptureReader open(InputStream file) throws IOException, CaptureException {
        InputStream in = decompressed(file);
        byte[] magic = in.readNBytes(4);
        if (magic.length < 4) {
            throw new CaptureException("not a capture: it has " + magic.length + " bytes");
        }
        int word = ByteBuffer.wrap(magic).getInt();
        if (word == PcapngReader.SECTION_HEADER) {
            return new PcapngReader(in);
        }
        ByteOrder order = PcapReader.orderOf(word);
        if (order != null) {
            return new PcapReader(in, order);
        }
        throw new CaptureException(String.format("not a pcap or pcapng capture: it starts with the bytes %08x", word));
    }

    private static InputStream decompressed(InputStream file) throws IOException {
        PushbackInputStream in = new PushbackInputStream(new BufferedInputStream(file, BUFFER_BYTES), XZ_MAGIC.length);
        byte[] start = in.readNBytes(XZ_MAGIC.length);
        in.unread(start);
        if (startsWith(start, XZ_MAGIC)) {
            return new BufferedInputStream(new XZInputStream(in, XZ_MEMORY_KIB_MAX), BUFFER_BYTES);
        }
        if (startsWith(start, GZIP_MAGIC)) {
            return new BufferedInputStream(new GZIPInputStream(in), BUFFER_BYTES);
        }
        return in;
    }

    private static boolean startsWith(byte[] bytes, byte[] magic) {
        return bytes.length >= magic.length
                && ByteBuffer.wrap(bytes, 0, magic.length).equals(ByteBuffer.wrap(magic));
    }

    /**
     * The next packet.
     *
     * @return null at the end of the capture
     * @throws CaptureException if the file is broken here
     */
    abstract @Nullable Packet next() throws IOException, CaptureException;

    /** Whether the file ended inside a record. */
    final boolean cutShort() {
        return cutShort;
    }

    final long packetCount() {
        return packetCount;
    }

    final Packet packet(int linkType, ByteBuffer bytes) {
        return new Packet(++packetCount, linkType, bytes.order(ByteOrder.BIG_ENDIAN));
    }

    /** Exactly this many bytes, or null at the end of the file, be it at their start or inside. */
    final @Nullable ByteBuffer read(int bytes) throws IOException {
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            cutShort |= read.length > 0;
            return null;
        }
        return ByteBuffer.wrap(read);
    }

    /** The same inside a record, where the end of the file cuts it short. */
    final @Nullable ByteBuffer readRest(int bytes) throws IOException {
        ByteBuffer read = read(bytes);
        cutShort |= read == null;
        return read;
    }

    final int checkLength(long bytes, String what) throws CaptureException {
        if (bytes < 0 || bytes > RECORD_BYTES_MAX) {
            throw new CaptureException(
                    what + " of " + bytes + " bytes exceeds " + RECORD_BYTES_MAX + " after packet " + packetCount);
        }
        return (int) bytes;
    }

    @Override
    public final void close() throws IOException {
        in.close();
    }
}
