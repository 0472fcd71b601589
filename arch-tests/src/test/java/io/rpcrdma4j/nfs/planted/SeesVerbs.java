package io.rpcrdma4j.nfs.planted;

import io.rpcrdma4j.verbs.QueuePairState;

/** Breaks a rule on purpose: NFS must not see verbs. */
public final class SeesVerbs {
    private SeesVerbs() {}

    public static boolean isReady(QueuePairState state) {
        return state.name().isEmpty();
    }
}
