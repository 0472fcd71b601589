package io.rpcrdma4j.rpc;

import org.jspecify.annotations.Nullable;

/** Why an authentication failed (RFC 5531 §9, {@code auth_stat}). */
public enum AuthStatus {
    /** Success. */
    AUTH_OK(0),
    /** Bad credential: it cannot be decoded, or its seal is broken. */
    AUTH_BADCRED(1),
    /** The client must begin a new session. */
    AUTH_REJECTEDCRED(2),
    /** Bad verifier. */
    AUTH_BADVERF(3),
    /** The verifier expired or was replayed. */
    AUTH_REJECTEDVERF(4),
    /** Rejected for security reasons. */
    AUTH_TOOWEAK(5),
    /** The server's verifier is bogus; found by a client. */
    AUTH_INVALIDRESP(6),
    /** Reason unknown. */
    AUTH_FAILED(7),
    /** Kerberos: a generic error. */
    AUTH_KERB_GENERIC(8),
    /** Kerberos: the time of the credential has run out. */
    AUTH_TIMEEXPIRE(9),
    /** Kerberos: a problem with the ticket file. */
    AUTH_TKT_FILE(10),
    /** Kerberos: the authenticator cannot be decoded. */
    AUTH_DECODE(11),
    /** Kerberos: wrong network address in the ticket. */
    AUTH_NET_ADDR(12),
    /** RPCSEC_GSS: no credentials for the user. */
    RPCSEC_GSS_CREDPROBLEM(13),
    /** RPCSEC_GSS: a problem with the context. */
    RPCSEC_GSS_CTXPROBLEM(14);

    private static final AuthStatus[] VALUES = values();

    private final int number;

    AuthStatus(int number) {
        this.number = number;
    }

    /** The 32-bit word on the wire. */
    public int number() {
        return number;
    }

    /** The status with this wire value, or null if there is none. */
    public static @Nullable AuthStatus of(int number) {
        return number >= 0 && number < VALUES.length ? VALUES[number] : null;
    }
}
