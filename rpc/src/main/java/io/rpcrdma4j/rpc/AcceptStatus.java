package io.rpcrdma4j.rpc;

import org.jspecify.annotations.Nullable;

/** How a server answered a call that it accepted (RFC 5531 §9, {@code accept_stat}). */
public enum AcceptStatus {
    /** Executed; results follow. */
    SUCCESS(0),
    /** The program is not served here. */
    PROG_UNAVAIL(1),
    /** The version of the program is not served; the lowest and highest that are follow. */
    PROG_MISMATCH(2),
    /** The program has no such procedure. */
    PROC_UNAVAIL(3),
    /** The arguments cannot be decoded. */
    GARBAGE_ARGS(4),
    /** The server failed: no memory, a bug. */
    SYSTEM_ERR(5);

    private static final AcceptStatus[] VALUES = values();

    private final int number;

    AcceptStatus(int number) {
        this.number = number;
    }

    /** The 32-bit word on the wire. */
    public int number() {
        return number;
    }

    /** The status with this wire value, or null if there is none. */
    public static @Nullable AcceptStatus of(int number) {
        return number >= 0 && number < VALUES.length ? VALUES[number] : null;
    }
}
