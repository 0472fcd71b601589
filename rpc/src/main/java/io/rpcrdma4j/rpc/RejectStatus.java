package io.rpcrdma4j.rpc;

import org.jspecify.annotations.Nullable;

/** Why a server denied a call (RFC 5531 §9, {@code reject_stat}). */
public enum RejectStatus {
    /** The RPC version is not 2; the lowest and highest that are served follow. */
    RPC_MISMATCH(0),
    /** The caller could not be authenticated; an {@link AuthStatus} follows. */
    AUTH_ERROR(1);

    private static final RejectStatus[] VALUES = values();

    private final int number;

    RejectStatus(int number) {
        this.number = number;
    }

    /** The 32-bit word on the wire. */
    public int number() {
        return number;
    }

    /** The status with this wire value, or null if there is none. */
    public static @Nullable RejectStatus of(int number) {
        return number >= 0 && number < VALUES.length ? VALUES[number] : null;
    }
}
