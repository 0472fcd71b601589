package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.vfs.NioNode.NodeLink;
import io.rpcrdma4j.nfs.wire.FileName;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link NodeStore} in a log file that is only appended to, with a {@link NodeIndex} over it.
 *
 * <pre>
 *   file:    magic 8 | record ...
 *   record:  CRC-32C 4 | kind 1 | 0 1 | name length 2 | fileid 8 | generation 8 | birth 8
 *            | parent 8 | previous 8 | name
 * </pre>
 *
 * The CRC is of what follows it. {@code previous} is the position of the record before this one about the same file, 0
 * if that does not count any more. A torn record at the end, as a crash leaves it, is cut off. When more than half of
 * the file is of no use any more, it is written anew.
 *
 * <h2>Threading</h2>
 *
 * Used by one thread at a time.
 *
 * <h2>Errors</h2>
 *
 * After an {@link IOException} what was said last may be lost.
 */
final class LogNodeStore implements NodeStore {
    private static final Logger LOG = LoggerFactory.getLogger(LogNodeStore.class);

    /** Name of the log in its directory. */
    static final String FILE_NAME = "files.log";

    private static final long MAGIC = 0x7270_6372_646d_6101L;
    private static final int MAGIC_BYTES = 8;
    private static final int RECORD_BYTES = 48;
    private static final int RECORD_BYTES_MAX = RECORD_BYTES + 0xffff;
    private static final int BUFFER_BYTES = 2 * RECORD_BYTES_MAX;
    /** Most names of a file that are remembered. */
    private static final int LINKS_MAX = 32;
    /** Most records of a file that are looked at. */
    private static final int CHAIN_MAX = 256;

    private static final byte KIND_ADD = 1;
    private static final byte KIND_REMOVE = 2;
    private static final byte KIND_FORGET = 3;

    private final Path file;
    private long compactAtBytes;
    private final NodeIndex index;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private final ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES_MAX);
    private final CRC32C crc = new CRC32C();
    private FileChannel channel;
    /** Bytes of the file; what is in the buffer goes behind them. */
    private long written;
    /** Bytes of records that count. */
    private long useful;

    /**
     * Opens the store, or makes an empty one.
     *
     * @param directory where its files are
     * @param compactAtBytes smallest size of the log at which it is written anew
     */
    LogNodeStore(Path directory, long compactAtBytes) throws IOException {
        file = directory.resolve(FILE_NAME);
        this.compactAtBytes = compactAtBytes;
        index = new NodeIndex(directory.resolve("files.index"));
        FileChannel opened = null;
        try {
            opened = open(file);
            channel = opened;
            load();
            flush();
        } catch (IOException | RuntimeException e) {
            index.close();
            if (opened != null) {
                opened.close();
            }
            throw e;
        }
    }

    @Override
    public @Nullable Entry find(long fileid) throws IOException {
        List<NodeLink> links = new ArrayList<>();
        Set<NodeLink> removed = new HashSet<>();
        long generation = 0;
        long birth = 0;
        long position = index.get(fileid);
        for (int i = 0; position != 0 && i < CHAIN_MAX && links.size() < LINKS_MAX; i++) {
            read(position);
            NodeLink link = link();
            if (kind() == KIND_REMOVE) {
                removed.add(link);
            } else if (!removed.contains(link) && !links.contains(link)) {
                generation = record.getLong(16);
                birth = record.getLong(24);
                links.add(link);
            }
            position = record.getLong(40);
        }
        return links.isEmpty() ? null : new Entry(generation, birth, links);
    }

    @Override
    public void add(long fileid, long generation, long birth, NodeLink link, boolean alone) throws IOException {
        append(KIND_ADD, fileid, generation, birth, link, alone ? 0 : index.get(fileid));
    }

    @Override
    public void remove(long fileid, NodeLink link) throws IOException {
        Entry entry = find(fileid);
        if (entry != null && entry.links().contains(link)) {
            boolean last = entry.links().size() == 1;
            append(last ? KIND_FORGET : KIND_REMOVE, fileid, 0, 0, link, last ? 0 : index.get(fileid));
        }
    }

    @Override
    public void forget(long fileid) throws IOException {
        Entry entry = find(fileid);
        if (entry != null) {
            append(KIND_FORGET, fileid, 0, 0, entry.links().getFirst(), 0);
        }
    }

    @Override
    public void flush() throws IOException {
        drain();
        if (written > compactAtBytes && written > 2 * useful) {
            try {
                compact();
            } catch (IOException e) {
                LOG.warn("{}: stays as long as it is: {}", file, e.toString());
                compactAtBytes = 2 * written;
            }
        }
    }

    /** Writes out what is in the buffer. */
    private void drain() throws IOException {
        buffer.flip();
        try {
            while (buffer.hasRemaining()) {
                written += channel.write(buffer, written);
            }
        } finally {
            buffer.compact();
        }
    }

    @Override
    public long size() {
        return index.size();
    }

    /** Size of the log in bytes. */
    long logBytes() {
        return written + buffer.position();
    }

    @Override
    public void close() throws IOException {
        try {
            drain();
        } finally {
            index.close();
            channel.close();
        }
    }

    private static FileChannel open(Path path) throws IOException {
        return FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    /** Reads the log from end to end and makes the index. */
    private void load() throws IOException {
        long size = channel.size();
        ByteBuffer magic = ByteBuffer.allocate(MAGIC_BYTES);
        if (size < MAGIC_BYTES) {
            magic.putLong(0, MAGIC);
            channel.truncate(0);
            channel.write(magic, 0);
            written = MAGIC_BYTES;
            return;
        }
        readFully(magic, 0);
        if (magic.getLong(0) != MAGIC) {
            throw new IOException(file + " is no list of files of this version");
        }
        long position = MAGIC_BYTES;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment log = channel.map(MapMode.READ_ONLY, 0, size, arena);
            while (takeRecord(log, position)) {
                count(position);
                position += record.limit();
            }
        }
        written = position;
        if (position < size) {
            LOG.warn("{}: cut off {} bytes of an unfinished record", file, size - position);
            channel.truncate(position);
        }
    }

    /** Copies the record at {@code position} of the mapped log to {@link #record}, if there is a whole one. */
    private boolean takeRecord(MemorySegment log, long position) {
        long left = log.byteSize() - position;
        if (left < RECORD_BYTES) {
            return false;
        }
        MemorySegment.copy(log, ValueLayout.JAVA_BYTE, position, record.array(), 0, RECORD_BYTES);
        int length = RECORD_BYTES + (record.getShort(6) & 0xffff);
        if (left < length) {
            return false;
        }
        MemorySegment.copy(log, ValueLayout.JAVA_BYTE, position, record.array(), 0, length);
        record.position(0).limit(length);
        return checksum() == record.getInt(0);
    }

    /** Takes the current record, which is at {@code position}, into the index. */
    private void count(long position) throws IOException {
        long fileid = record.getLong(8);
        switch (kind()) {
            case KIND_ADD -> {
                if (index.get(fileid) == 0 || record.getLong(40) != 0) {
                    useful += record.limit();
                }
                index.put(fileid, position);
            }
            case KIND_REMOVE -> {
                useful -= record.limit();
                index.put(fileid, position);
            }
            case KIND_FORGET -> {
                useful -= record.limit();
                index.put(fileid, 0);
            }
            default -> throw new IOException(file + " has a record of kind " + kind() + " at " + position);
        }
    }

    private void append(byte kind, long fileid, long generation, long birth, NodeLink link, long previous)
            throws IOException {
        encode(kind, fileid, generation, birth, link, previous);
        if (buffer.remaining() < record.limit()) {
            drain();
        }
        long position = written + buffer.position();
        buffer.put(record.duplicate());
        count(position);
    }

    /** Puts the record at {@code position} into {@link #record}. */
    private void read(long position) throws IOException {
        if (position >= written) {
            int at = (int) (position - written);
            int length = RECORD_BYTES + (buffer.getShort(at + 6) & 0xffff);
            record.clear();
            record.put(0, buffer, at, length).limit(length);
            return;
        }
        record.clear().limit(RECORD_BYTES + NioNames.NAME_BYTES_MAX);
        int got = 0;
        while (record.hasRemaining()) {
            int n = channel.read(record, position + got);
            if (n < 0) {
                break;
            }
            got += n;
        }
        int length = got < RECORD_BYTES ? 0 : RECORD_BYTES + (record.getShort(6) & 0xffff);
        if (length == 0 || length > got) {
            throw new IOException(file + " is damaged at " + position);
        }
        record.position(0).limit(length);
        if (checksum() != record.getInt(0)) {
            throw new IOException(file + " is damaged at " + position);
        }
    }

    private void readFully(ByteBuffer target, long position) throws IOException {
        while (target.hasRemaining()) {
            if (channel.read(target, position + target.position()) < 0) {
                throw new IOException(file + " ends at " + (position + target.position()));
            }
        }
    }

    private byte kind() {
        return record.get(4);
    }

    private NodeLink link() {
        byte[] name = new byte[record.limit() - RECORD_BYTES];
        record.get(RECORD_BYTES, name);
        return new NodeLink(record.getLong(32), FileName.of(name));
    }

    /** Makes {@link #record}. */
    private void encode(byte kind, long fileid, long generation, long birth, NodeLink link, long previous) {
        byte[] name = link.name().toByteArray();
        record.clear()
                .putInt(0)
                .put(kind)
                .put((byte) 0)
                .putShort((short) name.length)
                .putLong(fileid)
                .putLong(generation)
                .putLong(birth)
                .putLong(link.parent())
                .putLong(previous)
                .put(name)
                .flip();
        record.putInt(0, checksum());
    }

    /** The CRC of {@link #record}, without the place where it stands. */
    private int checksum() {
        crc.reset();
        crc.update(record.array(), 4, record.limit() - 4);
        return (int) crc.getValue();
    }

    /** Writes what counts into a new file, puts it in the place of the old one, and goes on with it. */
    private void compact() throws IOException {
        Path next = file.resolveSibling("files.log.new");
        Files.deleteIfExists(next);
        long before = written;
        try (FileChannel target = open(next)) {
            copyUseful(target);
            target.force(true);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        FileChannel old = channel;
        channel = open(file);
        old.close();
        index.clear();
        useful = 0;
        load();
        LOG.debug("{}: {} bytes, was {}", file, written, before);
    }

    private void copyUseful(FileChannel target) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(BUFFER_BYTES).putLong(MAGIC);
        long position = MAGIC_BYTES;
        for (long slot = 0; slot < index.capacity(); slot++) {
            long fileid = index.fileidAt(slot);
            Entry entry = fileid == 0 ? null : find(fileid);
            if (entry == null) {
                continue;
            }
            long previous = 0;
            for (NodeLink link : entry.links().reversed()) {
                encode(KIND_ADD, fileid, entry.generation(), entry.birth(), link, previous);
                if (out.remaining() < record.limit()) {
                    drain(out, target);
                }
                out.put(record);
                previous = position;
                position += record.limit();
            }
        }
        drain(out, target);
    }

    private static void drain(ByteBuffer out, FileChannel target) throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            target.write(out);
        }
        out.clear();
    }
}
