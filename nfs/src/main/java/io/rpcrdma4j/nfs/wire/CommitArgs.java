package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** Arguments of COMMIT (RFC 1813 §3.3.21), to be filled again and again. Used by one thread at a time. */
public final class CommitArgs {
    private final HandleBuffer file = new HandleBuffer();
    private long offset;
    private long count;

    /** Makes empty arguments. */
    public CommitArgs() {}

    /**
     * Sets all of them.
     *
     * @param handle the file
     * @param fromOffset where the range begins, an unsigned 64-bit value
     * @param bytes its length: 0 to 2^32-1; 0 means to the end of the file
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

    /** Where the range begins, an unsigned 64-bit value. */
    public long offset() {
        return offset;
    }

    /** Length of the range: 0 to 2^32-1; 0 means to the end of the file. */
    public long count() {
        return count;
    }
}
