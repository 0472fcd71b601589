package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.IOException;

/**
 * An operation on a {@link FileTree} did not succeed. Clients can cause most of these, so it carries no stack trace.
 */
public final class FileTreeException extends IOException {
    private static final long serialVersionUID = 1;

    private final NfsStatus status;

    /**
     * Makes one.
     *
     * @param status what the client is told
     * @param message what happened, for the log
     */
    public FileTreeException(NfsStatus status, String message) {
        super(message);
        this.status = status;
    }

    /**
     * Makes one with a cause.
     *
     * @param status what the client is told
     * @param cause what the operating system or the provider said
     */
    public FileTreeException(NfsStatus status, Throwable cause) {
        super(cause.toString(), cause);
        this.status = status;
    }

    /** What the client is told; never NFS3_OK. */
    public NfsStatus status() {
        return status;
    }

    /** Does nothing: it describes the input, not the code. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
