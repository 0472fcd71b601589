package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.rpc.RpcException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for calls, and says of what file their failures are. */
final class Calls {
    /** How much longer than its time a call may take until its transport is given up. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private Calls() {}

    /** How long to wait for a call with a timeout until its transport is given up, in nanoseconds. */
    static long patienceNanos(Duration timeout) {
        long nanos = timeout.toNanos();
        return nanos > Long.MAX_VALUE - GRACE_NANOS ? Long.MAX_VALUE : nanos + GRACE_NANOS;
    }

    /**
     * Waits for a call.
     *
     * @param where names the file in failures
     * @param timeout the call's own
     * @throws NfsException what the server refused, with the file in its text
     * @throws RpcException for a call that got no answer, with the file in its text
     */
    static <T extends @Nullable Object> T await(String where, CompletableFuture<T> call, Duration timeout)
            throws IOException {
        try {
            return call.get(patienceNanos(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            call.cancel(false);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(where + ": interrupted");
        } catch (TimeoutException | CancellationException e) {
            throw new IOException(where + ": the transport did not end a call in its time", e);
        } catch (ExecutionException e) {
            throw switch (e.getCause()) {
                case NfsException refused -> refused.at(where);
                case RpcException unanswered -> named(where, unanswered);
                case null, default -> new IOException(where + ": " + e.getCause(), e);
            };
        }
    }

    /** The same failure, with the file in its text. */
    static RpcException named(String where, RpcException failure) {
        return new RpcException(failure.kind(), where + ": " + failure.getMessage(), failure);
    }

    /** What a failure said before the file was named in it. */
    static String reason(RpcException failure) {
        return failure.getCause() instanceof RpcException original
                ? String.valueOf(original.getMessage())
                : String.valueOf(failure.getMessage());
    }
}
