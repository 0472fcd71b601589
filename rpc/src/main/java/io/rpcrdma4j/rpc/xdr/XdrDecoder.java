package io.rpcrdma4j.rpc.xdr;

import org.jspecify.annotations.Nullable;

/**
 * Reads the results of a reply or the arguments of a call.
 *
 * @param <T> what comes out
 */
@FunctionalInterface
public interface XdrDecoder<T extends @Nullable Object> {

    /**
     * Reads from {@code reader}, in the order of the XDR definition.
     *
     * @param reader borrowed until return; slices of its memory are valid only until then, unless its owner says more
     * @throws XdrException if the input is malformed
     */
    T decode(XdrReader reader) throws XdrException;
}
