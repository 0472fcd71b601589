package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** Room for one file handle, to be filled again and again. Used by one thread at a time. */
public final class HandleBuffer {
    private final byte[] bytes = new byte[Nfs3.HANDLE_BYTES_MAX];
    private int length;

    /** Makes an empty one. */
    public HandleBuffer() {}

    /** Reads a handle into it. */
    public void read(XdrReader reader) throws XdrException {
        length = reader.readOpaque(bytes);
    }

    /** Writes the handle that is in it. */
    public void write(XdrWriter writer) {
        writer.writeOpaque(bytes, 0, length);
    }

    /** Puts a handle into it. */
    public void set(FileHandle handle) {
        handle.copyTo(bytes);
        length = handle.length();
    }

    /** The array behind it; the first {@link #length()} bytes are the handle. Not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** Number of bytes of the handle: 0 to 64. */
    public int length() {
        return length;
    }

    /** The handle as a value. */
    public FileHandle toHandle() {
        return FileHandle.of(bytes, length);
    }
}
