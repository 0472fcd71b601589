package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * Results of READLINK (RFC 1813 §3.3.5).
 *
 * @param status how it ended
 * @param attributes of the link, in either case
 * @param text what the link says; empty unless it succeeded
 */
public record ReadlinkResult(NfsStatus status, Optional<Fattr3> attributes, LinkText text) {
    /** Reads the results. */
    public static ReadlinkResult read(XdrReader reader) throws XdrException {
        NfsStatus status = NfsStatus.read(reader);
        return new ReadlinkResult(
                status, Fattr3.readOptional(reader), status.isOk() ? LinkText.read(reader) : LinkText.EMPTY);
    }

    /** Writes the results, the text inline. */
    public void write(XdrWriter writer) {
        status.write(writer);
        Fattr3.writeOptional(writer, attributes);
        if (status.isOk()) {
            text.write(writer);
        }
    }

    /**
     * Writes results that succeeded, the text so that it may be placed directly.
     *
     * @param buffer gets the text; its ownership moves to the message
     */
    public void writePayload(XdrWriter writer, PayloadBuffer buffer) {
        status.write(writer);
        Fattr3.writeOptional(writer, attributes);
        text.writePayload(writer, buffer);
    }
}
