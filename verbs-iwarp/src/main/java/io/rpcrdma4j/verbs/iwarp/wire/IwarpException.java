package io.rpcrdma4j.verbs.iwarp.wire;

/** The peer broke a rule of MPA, DDP or RDMAP. Has no stack trace: it tells of the peer, not of our code. */
public final class IwarpException extends Exception {

    private static final long serialVersionUID = 1;

    private final Violation violation;

    /**
     * @param violation the rule
     * @param message fact, limit and value, for the log
     */
    public IwarpException(Violation violation, String message) {
        super(message, null, false, false);
        this.violation = violation;
    }

    /** The rule that was broken. */
    public Violation violation() {
        return violation;
    }

    /** What happened; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
