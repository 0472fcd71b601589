package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Attributes before and after an operation ({@code wcc_data}, RFC 1813 §2.6).
 *
 * @param before what it was
 * @param after what it is
 */
public record WccData(Optional<WccAttr> before, Optional<Fattr3> after) {
    /** Nothing is known. */
    public static final WccData NONE = new WccData(Optional.empty(), Optional.empty());

    /** Reads both. */
    public static WccData read(XdrReader reader) throws XdrException {
        return new WccData(WccAttr.readOptional(reader), Fattr3.readOptional(reader));
    }

    /** Skips both without making objects of them. */
    public static void skip(XdrReader reader) throws XdrException {
        if (reader.readBoolean()) {
            reader.skipFixed(WccAttr.BYTES);
        }
        Fattr3.skipOptional(reader);
    }

    /** Writes both. */
    public void write(XdrWriter writer) {
        writer.writeBoolean(before.isPresent());
        before.ifPresent(attributes -> attributes.write(writer));
        Fattr3.writeOptional(writer, after);
    }
}
