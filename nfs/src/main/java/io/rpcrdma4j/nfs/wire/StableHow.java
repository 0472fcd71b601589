package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** How safe written data must be, or is, when WRITE returns ({@code stable_how}, RFC 1813 §3.3.7). */
public enum StableHow {
    /** It may be lost until a COMMIT succeeds. */
    UNSTABLE(0),
    /** Data, and what is needed to find it again, is on stable storage. */
    DATA_SYNC(1),
    /** Data and all attributes are on stable storage. */
    FILE_SYNC(2);

    private static final StableHow[] VALUES = values();

    private final int number;

    StableHow(int number) {
        this.number = number;
    }

    /** The 32-bit word on the wire. */
    public int number() {
        return number;
    }

    /**
     * Reads a value.
     *
     * @throws XdrException if RFC 1813 does not define it
     */
    public static StableHow read(XdrReader reader) throws XdrException {
        int number = reader.readInt();
        if (number < 0 || number >= VALUES.length) {
            throw XdrException.badValue("stable_how", number);
        }
        return VALUES[number];
    }

    /** Writes the value. */
    public void write(XdrWriter writer) {
        writer.writeInt(number);
    }
}
