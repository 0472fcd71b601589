package io.rpcrdma4j.rpc.tcp;

/** The stream is not a sequence of acceptable records; there is no way to go on with it. No stack trace. */
final class RecordException extends Exception {
    private static final long serialVersionUID = 1;

    RecordException(String message) {
        super(message, null, false, false);
    }
}
