package io.rpcrdma4j.rpc;

import java.time.Duration;

/**
 * What calls of one user to one program have in common.
 *
 * @param program the program's number
 * @param version its version
 * @param credential who calls
 * @param timeout how long a call may take, more than zero
 * @param replyBytesMax largest reply in bytes, RPC header included; see {@link ClientCall#replyBytesMax(int)}
 * @param resend whether a call survives the loss of its connection; see {@link ClientCall#resend(boolean)}
 */
public record CallOptions(
        int program, int version, Credential credential, Duration timeout, int replyBytesMax, boolean resend) {

    /** Checks the values. */
    public CallOptions {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("a timeout of " + timeout);
        }
    }

    /** Options with AUTH_NONE and the defaults of {@link ClientCall}. */
    public static CallOptions of(int program, int version) {
        return new CallOptions(
                program,
                version,
                AuthNone.INSTANCE,
                Duration.ofNanos(ClientCall.DEFAULT_TIMEOUT_NANOS),
                ClientCall.DEFAULT_REPLY_BYTES_MAX,
                false);
    }

    /** The same with another caller. */
    public CallOptions withCredential(Credential caller) {
        return new CallOptions(program, version, caller, timeout, replyBytesMax, resend);
    }

    /** The same with another timeout. */
    public CallOptions withTimeout(Duration time) {
        return new CallOptions(program, version, credential, time, replyBytesMax, resend);
    }

    /** The same with another largest reply. */
    public CallOptions withReplyBytesMax(int bytes) {
        return new CallOptions(program, version, credential, timeout, bytes, resend);
    }

    /** The same with another choice of what happens when the connection is lost. */
    public CallOptions withResend(boolean again) {
        return new CallOptions(program, version, credential, timeout, replyBytesMax, again);
    }
}
