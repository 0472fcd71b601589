package io.rpcrdma4j.verbs.iwarp.engine;

/**
 * The STags that were valid for a stream a short while ago: a Send with Invalidate that crosses our own invalidation is
 * not the peer's fault. Remembers the last {@value #KEPT}.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class RevokedKeys {

    static final int KEPT = 1024;

    private int[] stags = {};
    private int next;

    RevokedKeys() {}

    /** Remembers an STag. */
    public synchronized void add(int stag) {
        if (stags.length < KEPT && next == stags.length) {
            stags = java.util.Arrays.copyOf(stags, Math.max(16, stags.length * 2));
        }
        if (next == KEPT) {
            next = 0;
        }
        stags[next++] = stag;
    }

    /** Whether it is remembered; 0 never is. */
    synchronized boolean contains(int stag) {
        if (stag == 0) {
            return false;
        }
        for (int each : stags) {
            if (each == stag) {
                return true;
            }
        }
        return false;
    }
}
