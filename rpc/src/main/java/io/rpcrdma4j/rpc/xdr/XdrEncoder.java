package io.rpcrdma4j.rpc.xdr;

/** Writes the arguments of a call or the results of a reply. */
@FunctionalInterface
public interface XdrEncoder {

    /** Writes nothing: the arguments of a procedure that has none. */
    XdrEncoder VOID = writer -> {};

    /**
     * Writes to {@code writer}, in the order of the XDR definition.
     *
     * @param writer borrowed until return
     */
    void encode(XdrWriter writer);
}
