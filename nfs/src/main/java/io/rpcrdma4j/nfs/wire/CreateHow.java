package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** How CREATE treats a name that exists ({@code createhow3}, RFC 1813 §3.3.8). */
public sealed interface CreateHow {
    /**
     * Takes the file that is there.
     *
     * @param attributes what to set on a new file; of an existing one only the size
     */
    record Unchecked(Sattr3 attributes) implements CreateHow {}

    /**
     * Fails if the name exists.
     *
     * @param attributes what to set
     */
    record Guarded(Sattr3 attributes) implements CreateHow {}

    /**
     * Fails if the name exists, unless this very call made it before.
     *
     * @param verifier names the call, 8 bytes
     */
    record Exclusive(long verifier) implements CreateHow {}

    /** Reads it. */
    static CreateHow read(XdrReader reader) throws XdrException {
        int mode = reader.readInt();
        return switch (mode) {
            case 0 -> new Unchecked(Sattr3.read(reader));
            case 1 -> new Guarded(Sattr3.read(reader));
            case 2 -> new Exclusive(reader.readLong());
            default -> throw XdrException.badValue("createmode3", mode);
        };
    }

    /** Writes it. */
    default void write(XdrWriter writer) {
        switch (this) {
            case Unchecked unchecked -> {
                writer.writeInt(0);
                unchecked.attributes().write(writer);
            }
            case Guarded guarded -> {
                writer.writeInt(1);
                guarded.attributes().write(writer);
            }
            case Exclusive exclusive -> {
                writer.writeInt(2);
                writer.writeLong(exclusive.verifier());
            }
        }
    }
}
