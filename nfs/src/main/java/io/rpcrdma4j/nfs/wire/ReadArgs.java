package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** Arguments of READ (RFC 1813 §3.3.6), to be filled again and again. Used by one thread at a time. */
public final class ReadArgs {
    private final HandleBuffer file = new HandleBuffer();
    private long offset;
    private long count;

    /** Makes empty arguments. */
    public ReadArgs() {}

    /**
     * Sets all of them.
     *
     * @param handle the file
     * @param fromOffset where to begin, an unsigned 64-bit value
     * @param bytes most bytes to read: 0 to 2^32-1
     */
    public void set(FileHandle handle, long fromOffset, long bytes) {
        file.set(handle);
        offset = fromOffset;
        count = bytes;
    }

    /** Reads the arguments. */
    public void read(XdrReader reader) throws XdrException {
        file.read(reader);
        offset = reader.readLong();
        count = reader.readUnsignedInt();
    }

    /** Writes the arguments. */
    public void write(XdrWriter writer) {
        file.write(writer);
        writer.writeLong(offset);
        writer.writeUnsignedInt(count);
    }

    /** The file. */
    public HandleBuffer file() {
        return file;
    }

    /** Where to begin, an unsigned 64-bit value. */
    public long offset() {
        return offset;
    }

    /** Most bytes to read: 0 to 2^32-1. */
    public long count() {
        return count;
    }
}
