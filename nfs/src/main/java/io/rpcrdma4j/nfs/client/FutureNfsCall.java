package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A call whose end is a future. Used once.
 *
 * @param <R> the results as they travel
 * @param <T> what the caller gets
 */
final class FutureNfsCall<R, T> extends NfsCall {
    private final NfsProcedure procedure;
    private final XdrEncoder arguments;
    private final XdrDecoder<R> decoder;
    private final StatusOf<R> statusOf;
    private final ValueOf<R, T> valueOf;
    private final Future future = new Future();
    private @Nullable R result;

    /** Takes the status out of results. */
    @FunctionalInterface
    interface StatusOf<R> {
        NfsStatus of(R result);
    }

    /** Takes what is wanted out of results that succeeded. */
    @FunctionalInterface
    interface ValueOf<R, T> {
        T of(R result);
    }

    FutureNfsCall(
            NfsProcedure procedure,
            XdrEncoder arguments,
            XdrDecoder<R> decoder,
            StatusOf<R> statusOf,
            ValueOf<R, T> valueOf) {
        super(procedure);
        this.procedure = procedure;
        this.arguments = arguments;
        this.decoder = decoder;
        this.statusOf = statusOf;
        this.valueOf = valueOf;
    }

    CompletableFuture<T> future() {
        return future;
    }

    @Override
    protected void encodeArguments(XdrWriter writer) {
        arguments.encode(writer);
    }

    @Override
    protected NfsStatus decode(XdrReader reader) throws XdrException {
        R decoded = decoder.decode(reader);
        result = decoded;
        return statusOf.of(decoded);
    }

    @Override
    protected void ended(@Nullable RpcException failure) {
        R decoded = result;
        if (failure != null) {
            future.completeExceptionally(failure);
        } else if (!status().isOk() || decoded == null) {
            future.completeExceptionally(new NfsException(procedure.toString(), status()));
        } else {
            future.complete(valueOf.of(decoded));
        }
    }

    /** Its cancellation is the call's. */
    private final class Future extends CompletableFuture<T> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            abandon();
            return cancelled;
        }

        @Override
        public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}
