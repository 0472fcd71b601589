package io.rpcrdma4j.rpc.xdr;

/**
 * A message under construction would become longer than its limit. Nothing of the item that did not fit was written
 * beyond what {@link XdrWriter#truncate} can take back. Carries no stack trace.
 */
public final class XdrOverflowException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one.
     *
     * @param message the length that was wanted and the limit
     */
    public XdrOverflowException(String message) {
        super(message, null, false, false);
    }
}
