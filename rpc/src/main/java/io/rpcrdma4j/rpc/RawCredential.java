package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A credential of a flavor that this library does not know: the bytes as they came. */
public final class RawCredential implements Credential {
    private final int flavor;
    private final byte[] body;

    /**
     * Makes one.
     *
     * @param flavor the auth flavor's number
     * @param body its opaque body, at most {@link RpcConstants#AUTH_BODY_BYTES_MAX} bytes; copied
     * @throws IllegalArgumentException if the body is longer
     */
    public RawCredential(int flavor, byte[] body) {
        if (body.length > RpcConstants.AUTH_BODY_BYTES_MAX) {
            throw new IllegalArgumentException("a body of " + body.length + " bytes, more than 400");
        }
        this.flavor = flavor;
        this.body = body.clone();
    }

    @Override
    public int flavor() {
        return flavor;
    }

    /** A copy of the opaque body. */
    public byte[] body() {
        return body.clone();
    }

    @Override
    public void writeTo(XdrWriter writer) {
        writer.writeInt(flavor);
        writer.writeOpaque(body);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RawCredential that && flavor == that.flavor && Arrays.equals(body, that.body);
    }

    @Override
    public int hashCode() {
        return 31 * flavor + Arrays.hashCode(body);
    }

    @Override
    public String toString() {
        return "flavor " + Integer.toUnsignedString(flavor) + " (" + body.length + " bytes)";
    }
}
