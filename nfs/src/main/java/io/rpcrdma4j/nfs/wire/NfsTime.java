package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * A moment ({@code nfstime3}, RFC 1813 §2.5).
 *
 * @param seconds since 1970-01-01T00:00:00Z: 0 to 2^32-1
 * @param nanos 0 to 2^32-1 on the wire; less than 1,000,000,000 where it means anything
 */
public record NfsTime(long seconds, long nanos) {
    /** The start of 1970. */
    public static final NfsTime EPOCH = new NfsTime(0, 0);

    /** Checks the ranges. */
    public NfsTime {
        if (seconds >>> 32 != 0 || nanos >>> 32 != 0) {
            throw new IllegalArgumentException("not a time of two unsigned 32-bit words: " + seconds + ", " + nanos);
        }
    }

    /** Reads a time. */
    public static NfsTime read(XdrReader reader) throws XdrException {
        return new NfsTime(reader.readUnsignedInt(), reader.readUnsignedInt());
    }

    /** Writes the time. */
    public void write(XdrWriter writer) {
        writer.writeInt((int) seconds);
        writer.writeInt((int) nanos);
    }
}
