package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A call whose end is a future. Used once. */
final class FutureCall<T extends @Nullable Object> extends ClientCall {
    private final XdrEncoder arguments;
    private final XdrDecoder<T> results;
    private final Future future = new Future();
    private @Nullable Decoded<T> decoded;

    FutureCall(CallOptions options, int procedure, XdrEncoder arguments, XdrDecoder<T> results) {
        super(options.program(), options.version());
        this.arguments = arguments;
        this.results = results;
        procedure(procedure);
        credential(options.credential());
        timeoutNanos(nanos(options));
        replyBytesMax(options.replyBytesMax());
        resend(options.resend());
    }

    CompletableFuture<T> future() {
        return future;
    }

    @Override
    protected void encodeArguments(XdrWriter writer) {
        arguments.encode(writer);
    }

    @Override
    protected void decodeResults(XdrReader reader) throws XdrException {
        decoded = new Decoded<>(results.decode(reader));
    }

    @Override
    protected void onDone(@Nullable RpcException failure) {
        Decoded<T> value = decoded;
        if (failure != null) {
            future.completeExceptionally(failure);
        } else if (value != null) {
            future.complete(value.value);
        } else {
            throw new AssertionError("neither a failure nor results");
        }
    }

    private static long nanos(CallOptions options) {
        try {
            return options.timeout().toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Tells "no results yet" from "the results are null". */
    private static final class Decoded<T extends @Nullable Object> {
        private final T value;

        private Decoded(T value) {
            this.value = value;
        }
    }

    /** Its cancellation is the call's: the call ends, and its memory is free, only when the transport says so. */
    private final class Future extends CompletableFuture<T> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            FutureCall.this.cancel();
            return cancelled;
        }

        @Override
        public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}
