package io.rpcrdma4j.rpcrdma.engine;

/**
 * A requester's credits on one connection (RFC 8166 section 3.3.1).
 *
 * <p>A new connection has one credit until its first reply (section 3.3.3). A reply grants a new limit: 0 is illegal
 * and taken as 1, more than was asked for is cut. When the limit falls below the calls in flight, no call is sent until
 * it is above them again. <b>Threading:</b> one thread at a time. <b>Invariant:</b> {@code 0 <= inFlight}, {@code 1 <=
 * limit <= asked}.
 */
public final class CreditWindow {

    private final int asked;
    private int limit = 1;
    private int inFlight;

    /**
     * Starts a connection.
     *
     * @param asked the credits that each call asks for
     */
    public CreditWindow(int asked) {
        this.asked = asked;
    }

    /** Takes the credit for a call; false if none is left. */
    public boolean take() {
        if (inFlight >= limit) {
            return false;
        }
        inFlight++;
        return true;
    }

    /** A valid reply to a call in flight came: its credit is back, and the grant counts. */
    public void onReply(long granted) {
        giveBack();
        limit = (int) Math.max(1, Math.min(granted, asked));
    }

    /** A call was not sent after all. */
    public void giveBack() {
        inFlight--;
    }

    /** How many calls may be in flight. */
    public int limit() {
        return limit;
    }

    /** How many are. */
    public int inFlight() {
        return inFlight;
    }
}
