package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * Who a caller says it is (RFC 5531 §8.2). Values are immutable and may be shared.
 *
 * <p>A flavor that is neither AUTH_NONE nor AUTH_SYS is a {@link RawCredential}.
 */
public sealed interface Credential permits AuthNone, AuthSys, RawCredential {

    /** The auth flavor's number. */
    int flavor();

    /** Writes flavor and body, as they stand in a call header. */
    void writeTo(XdrWriter writer);
}
