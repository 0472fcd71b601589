package io.rpcrdma4j.rpc.xdr;

/** What a peer sent cannot be decoded. Carries no stack trace: it describes the input, not the code. */
public final class XdrException extends Exception {
    private static final long serialVersionUID = 1;

    /** The rule that the input broke. */
    public enum Reason {
        /** The message ends before the item does (RFC 4506 §3). */
        TRUNCATED,
        /** A counted item is longer than its declared maximum (RFC 4506 §4.10, §4.11, §4.13). */
        TOO_LONG,
        /**
         * A word has a value that its type does not have: a boolean other than 0 or 1, an unknown enum or union arm.
         */
        BAD_VALUE,
        /** A string is not UTF-8. */
        BAD_TEXT,
        /** Bytes are left over behind the last item. */
        TRAILING_BYTES,
        /** A chunk's length is neither the item's length nor that length with its pad (RFC 8166 §3.4.5). */
        CHUNK_LENGTH,
        /** A chunk was sent that belongs to no item (RFC 8166 §6.1). */
        CHUNK_UNCLAIMED
    }

    private final Reason reason;

    /**
     * Makes one.
     *
     * @param reason the rule that was broken
     * @param message the fact, the limit and the value; no payload
     */
    public XdrException(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    /** The rule that the input broke. */
    public Reason reason() {
        return reason;
    }

    /**
     * A word that its type does not allow.
     *
     * @param what the item, for the text
     * @param value the 32-bit word as received
     */
    public static XdrException badValue(String what, int value) {
        return new XdrException(Reason.BAD_VALUE, what + " has the undefined value " + Integer.toUnsignedString(value));
    }

    /**
     * A counted item that is longer than allowed.
     *
     * @param what the item, for the text
     * @param length what was received
     * @param limit what is allowed
     */
    public static XdrException tooLong(String what, long length, long limit) {
        return new XdrException(Reason.TOO_LONG, what + " has length " + length + ", more than the limit of " + limit);
    }
}
