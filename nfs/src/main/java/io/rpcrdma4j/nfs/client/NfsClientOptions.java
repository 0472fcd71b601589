package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.rpc.Credential;
import java.time.Duration;

/**
 * How an NFS client behaves.
 *
 * @param credential who calls
 * @param timeout how long one call may take, the time to reconnect included; more than zero
 * @param transferBytesMax most bytes of one READ or WRITE, at least 512; the server's limit counts too
 * @param transfersMax most READ or WRITE calls of one file under way at a time, 1 to 1024
 * @param retainedBytesMax most bytes of unstable data from a source that cannot be read again that are kept until
 *     COMMIT
 */
public record NfsClientOptions(
        Credential credential, Duration timeout, int transferBytesMax, int transfersMax, long retainedBytesMax) {
    /** Time that a call has if nothing else is said: one minute, as Linux has it. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

    /** Most bytes of one READ or WRITE if nothing else is said: 1 MiB. */
    public static final int DEFAULT_TRANSFER_BYTES_MAX = 1 << 20;

    /** Most READ or WRITE calls under way if nothing else is said. */
    public static final int DEFAULT_TRANSFERS_MAX = 8;

    /** Most unstable bytes that are kept if nothing else is said: 32 MiB. */
    public static final long DEFAULT_RETAINED_BYTES_MAX = 32L << 20;

    private static final int TRANSFER_BYTES_MIN = 512;
    private static final int TRANSFERS_LIMIT = 1024;

    /** Checks the values. */
    public NfsClientOptions {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("timeout is more than zero, not " + timeout);
        }
        if (transferBytesMax < TRANSFER_BYTES_MIN) {
            throw new IllegalArgumentException("transferBytesMax is at least 512, not " + transferBytesMax);
        }
        if (transfersMax < 1 || transfersMax > TRANSFERS_LIMIT) {
            throw new IllegalArgumentException("transfersMax is 1 to 1024, not " + transfersMax);
        }
        if (retainedBytesMax < transferBytesMax) {
            throw new IllegalArgumentException(
                    "retainedBytesMax is at least transferBytesMax, not " + retainedBytesMax);
        }
    }

    /** The user of this process, and the defaults above. */
    public static NfsClientOptions defaults() {
        return new NfsClientOptions(
                LocalUser.credential(),
                DEFAULT_TIMEOUT,
                DEFAULT_TRANSFER_BYTES_MAX,
                DEFAULT_TRANSFERS_MAX,
                DEFAULT_RETAINED_BYTES_MAX);
    }

    /** The same with another caller. */
    public NfsClientOptions withCredential(Credential caller) {
        return new NfsClientOptions(caller, timeout, transferBytesMax, transfersMax, retainedBytesMax);
    }

    /** The same with another timeout. */
    public NfsClientOptions withTimeout(Duration time) {
        return new NfsClientOptions(credential, time, transferBytesMax, transfersMax, retainedBytesMax);
    }

    /** The same with another size of transfers. */
    public NfsClientOptions withTransferBytesMax(int bytes) {
        return new NfsClientOptions(credential, timeout, bytes, transfersMax, Math.max(retainedBytesMax, bytes));
    }

    /** The same with another number of transfers. */
    public NfsClientOptions withTransfersMax(int count) {
        return new NfsClientOptions(credential, timeout, transferBytesMax, count, retainedBytesMax);
    }

    /** The same with another limit of what is kept until COMMIT. */
    public NfsClientOptions withRetainedBytesMax(long bytes) {
        return new NfsClientOptions(credential, timeout, transferBytesMax, transfersMax, bytes);
    }
}
