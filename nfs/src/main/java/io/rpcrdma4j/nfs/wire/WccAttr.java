package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * What a client compares to learn whether its cache is still good ({@code wcc_attr}, RFC 1813 §2.6).
 *
 * @param size size in bytes before the operation, an unsigned 64-bit value
 * @param modifyTime last change of the content before the operation
 * @param changeTime last change of the attributes before the operation
 */
public record WccAttr(long size, NfsTime modifyTime, NfsTime changeTime) {
    /** Length in bytes of an encoded {@code wcc_attr}. */
    public static final int BYTES = 24;

    /** Reads the attributes. */
    public static WccAttr read(XdrReader reader) throws XdrException {
        return new WccAttr(reader.readLong(), NfsTime.read(reader), NfsTime.read(reader));
    }

    /** Reads a {@code pre_op_attr}. */
    public static Optional<WccAttr> readOptional(XdrReader reader) throws XdrException {
        return reader.readBoolean() ? Optional.of(read(reader)) : Optional.empty();
    }

    /** Writes the attributes. */
    public void write(XdrWriter writer) {
        writer.writeLong(size);
        modifyTime.write(writer);
        changeTime.write(writer);
    }
}
