package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A client's way to one server. It connects when there is a call to send, and again after a connection was lost.
 *
 * <p>May be used from any thread.
 */
public interface RpcClientTransport extends AutoCloseable {

    /**
     * Starts a call. Whatever becomes of it is told to {@link ClientCall#onDone}, possibly before this returns.
     *
     * @param call lent until {@link ClientCall#onDone}
     * @throws IllegalStateException if the call is under way
     */
    void start(ClientCall call);

    /** Memory that argument payloads can be sent from, and result payloads received into, without a copy. */
    PayloadAllocator memory();

    /** Name of the transport: {@code tcp} or {@code rdma}. */
    String name();

    /** The server's address. */
    InetSocketAddress remoteAddress();

    /** Whether there is a connection right now. */
    boolean isConnected();

    /**
     * Ends all calls with {@link RpcException.Kind#CLOSED} and gives everything back. When it returns, the end of each
     * call has been told, unless it was called by a callback of this transport. Idempotent.
     */
    @Override
    void close();

    /**
     * Makes a call the convenient way.
     *
     * @param options whom to call, as whom, and how long
     * @param procedure the procedure's number
     * @param arguments writes the arguments, on any thread
     * @param results reads the results, on a thread of the transport; must not block or keep slices
     * @return completes with what {@code results} returned, or with an {@link RpcException}; cancelling it cancels the
     *     call
     */
    default <T extends @Nullable Object> CompletableFuture<T> call(
            CallOptions options, int procedure, XdrEncoder arguments, XdrDecoder<T> results) {
        FutureCall<T> call = new FutureCall<>(options, procedure, arguments, results);
        start(call);
        return call.future();
    }
}
