package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.FileTreeException;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.rpc.RpcServerCall;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what went wrong: trouble of the server's own as a warning, all that clients can cause for debugging only. */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    /** The status that the client is told. */
    static NfsStatus status(RpcServerCall call, FileTreeException failure) {
        NfsStatus status = failure.status();
        boolean ours = status == NfsStatus.NFS3ERR_IO || status == NfsStatus.NFS3ERR_SERVERFAULT;
        if (ours) {
            LOG.warn(
                    "{} for {} (xid 0x{}): {}",
                    NfsProcedure.of(call.procedure()),
                    call.connection().remoteAddress(),
                    Integer.toHexString(call.xid()),
                    failure.getMessage());
        } else if (LOG.isDebugEnabled()) {
            LOG.debug("{} is {}: {}", NfsProcedure.of(call.procedure()), status, failure.getMessage());
        }
        return status;
    }
}
