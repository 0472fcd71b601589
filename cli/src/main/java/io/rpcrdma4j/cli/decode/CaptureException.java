package io.rpcrdma4j.cli.decode;

/**
 * A file is no capture that can be read, or a broken one. Has no stack trace: it tells of the file, not of our code.
 */
public final class CaptureException extends Exception {
    private static final long serialVersionUID = 1;

    /** @param message what was found and where */
    public CaptureException(String message) {
        super(message, null, false, false);
    }
}
