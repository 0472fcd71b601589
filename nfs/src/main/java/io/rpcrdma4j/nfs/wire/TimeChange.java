package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** What SETATTR does to a time ({@code set_atime}, {@code set_mtime}, RFC 1813 §2.5). */
public sealed interface TimeChange {
    /** Changes that need no time from the client. */
    enum Preset implements TimeChange {
        /** Leaves the time as it is. */
        KEEP,
        /** Sets the time to the server's. */
        SERVER_TIME
    }

    /**
     * Sets the time to what the client says.
     *
     * @param time the new time
     */
    record To(NfsTime time) implements TimeChange {}

    /** Reads a change. */
    static TimeChange read(XdrReader reader) throws XdrException {
        int how = reader.readInt();
        return switch (how) {
            case 0 -> Preset.KEEP;
            case 1 -> Preset.SERVER_TIME;
            case 2 -> new To(NfsTime.read(reader));
            default -> throw XdrException.badValue("time_how", how);
        };
    }

    /** Writes the change. */
    default void write(XdrWriter writer) {
        switch (this) {
            case Preset preset -> writer.writeInt(preset == Preset.KEEP ? 0 : 1);
            case To to -> {
                writer.writeInt(2);
                to.time().write(writer);
            }
        }
    }
}
