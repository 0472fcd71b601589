package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.ExportList;
import io.rpcrdma4j.nfs.wire.Mount3;
import io.rpcrdma4j.nfs.wire.MountPath;
import io.rpcrdma4j.nfs.wire.MountResult;
import io.rpcrdma4j.rpc.CallOptions;
import io.rpcrdma4j.rpc.RpcClientTransport;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The procedures of MOUNT version 3 (RFC 1813 §5.2) that a client needs. May be used from any thread. */
final class MountClient {
    /** Longest list of exports that is read, in bytes. */
    private static final int EXPORT_BYTES_MAX = 1 << 20;

    private final RpcClientTransport transport;
    private final CallOptions options;

    /** A client over a transport, which stays the caller's. */
    MountClient(RpcClientTransport transport, NfsClientOptions options) {
        this.transport = transport;
        this.options = CallOptions.of(Mount3.PROGRAM, Mount3.VERSION)
                .withCredential(options.credential())
                .withTimeout(options.timeout());
    }

    /** Gets the handle of a directory. */
    CompletableFuture<MountResult> mount(MountPath directory) {
        return call(options, Mount3.MNT, directory::write, MountResult::read);
    }

    /** Lists what is exported. */
    CompletableFuture<ExportList> exports() {
        return call(options.withReplyBytesMax(EXPORT_BYTES_MAX), Mount3.EXPORT, XdrEncoder.VOID, ExportList::read);
    }

    /** Says that a directory is no longer mounted. */
    CompletableFuture<@Nullable Void> unmount(MountPath directory) {
        return call(options, Mount3.UMNT, directory::write, reader -> null);
    }

    private <T extends @Nullable Object> CompletableFuture<T> call(
            CallOptions how, int procedure, XdrEncoder arguments, XdrDecoder<T> results) {
        return transport.call(how, procedure, arguments, reader -> {
            T result = results.decode(reader);
            reader.finish();
            return result;
        });
    }
}
