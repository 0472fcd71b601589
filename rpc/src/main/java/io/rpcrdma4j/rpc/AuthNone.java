package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** No authentication (RFC 5531 §10.1). */
public enum AuthNone implements Credential {
    /** The only value. */
    INSTANCE;

    @Override
    public int flavor() {
        return RpcConstants.AUTH_NONE;
    }

    @Override
    public void writeTo(XdrWriter writer) {
        writer.writeInt(RpcConstants.AUTH_NONE);
        writer.writeInt(0);
    }
}
