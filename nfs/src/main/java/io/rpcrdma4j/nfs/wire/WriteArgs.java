package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;

/**
 * Arguments of WRITE (RFC 1813 §3.3.7), to be filled again and again.
 *
 * <p>The data that {@link #read} finds is a part of the message or of a chunk: it is valid as long as the call's
 * arguments are. Used by one thread at a time.
 */
public final class WriteArgs {
    private final HandleBuffer file = new HandleBuffer();
    private long offset;
    private long count;
    private StableHow stable = StableHow.UNSTABLE;
    private MemorySegment data = MemorySegment.NULL;
    private long dataOffset;
    private long dataLength;

    /** Makes empty arguments. */
    public WriteArgs() {}

    /**
     * Sets what goes before the data.
     *
     * @param handle the file
     * @param atOffset where the data goes, an unsigned 64-bit value
     * @param bytes how many: 0 to 2^32-1
     * @param how how safe the data must be when the call returns
     */
    public void set(FileHandle handle, long atOffset, long bytes, StableHow how) {
        file.set(handle);
        offset = atOffset;
        count = bytes;
        stable = how;
    }

    /**
     * Reads the arguments.
     *
     * @param dataMax most bytes of data that are accepted
     */
    public void read(XdrReader reader, long dataMax) throws XdrException {
        file.read(reader);
        offset = reader.readLong();
        count = reader.readUnsignedInt();
        stable = StableHow.read(reader);
        dataLength = reader.readPayloadRange(dataMax);
        data = reader.payloadSegment();
        dataOffset = reader.payloadOffset();
    }

    /**
     * Writes the arguments.
     *
     * @param buffer where the data is; its ownership moves to the message
     * @param from where in the buffer it begins; {@link #count()} bytes of it are sent
     */
    public void write(XdrWriter writer, PayloadBuffer buffer, long from) {
        writeHead(writer);
        writer.payload(buffer, from, Math.toIntExact(count));
    }

    /**
     * As {@link #write}, but the buffer is lent: it stays with the caller, who keeps the bytes unchanged until the
     * message is released.
     */
    public void writeLent(XdrWriter writer, PayloadBuffer buffer, long from) {
        writeHead(writer);
        writer.lendPayload(buffer, from, Math.toIntExact(count));
    }

    private void writeHead(XdrWriter writer) {
        file.write(writer);
        writer.writeLong(offset);
        writer.writeUnsignedInt(count);
        stable.write(writer);
    }

    /** Forgets the data, so that its memory is no longer referred to. */
    public void clear() {
        data = MemorySegment.NULL;
        dataOffset = 0;
        dataLength = 0;
    }

    /** The file. */
    public HandleBuffer file() {
        return file;
    }

    /** Where the data goes, an unsigned 64-bit value. */
    public long offset() {
        return offset;
    }

    /** How many bytes the caller says to write: 0 to 2^32-1. RFC 1813 wants it equal to {@link #dataLength()}. */
    public long count() {
        return count;
    }

    /** How safe the data must be when the call returns. */
    public StableHow stable() {
        return stable;
    }

    /** The memory that holds the data, from {@link #dataOffset()} on. */
    public MemorySegment data() {
        return data;
    }

    /** Where in {@link #data()} the data begins. */
    public long dataOffset() {
        return dataOffset;
    }

    /** Number of bytes of data that came. */
    public long dataLength() {
        return dataLength;
    }
}
