package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.CommitArgs;
import io.rpcrdma4j.nfs.wire.CommitResult;
import io.rpcrdma4j.nfs.wire.CreateArgs;
import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.CreateResult;
import io.rpcrdma4j.nfs.wire.DirOpArgs;
import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FsinfoResult;
import io.rpcrdma4j.nfs.wire.GetattrResult;
import io.rpcrdma4j.nfs.wire.LookupResult;
import io.rpcrdma4j.nfs.wire.MkdirArgs;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.ReaddirArgs;
import io.rpcrdma4j.nfs.wire.ReaddirResult;
import io.rpcrdma4j.nfs.wire.ReaddirplusArgs;
import io.rpcrdma4j.nfs.wire.ReaddirplusResult;
import io.rpcrdma4j.nfs.wire.ReadlinkResult;
import io.rpcrdma4j.nfs.wire.RenameArgs;
import io.rpcrdma4j.nfs.wire.RenameResult;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.SetattrArgs;
import io.rpcrdma4j.nfs.wire.WccResult;
import io.rpcrdma4j.rpc.CallOptions;
import io.rpcrdma4j.rpc.RpcClientTransport;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The procedures of NFS version 3 (RFC 1813), called over a transport.
 *
 * <h2>Operation</h2>
 *
 * Every method starts a call and returns at once. A call is sent again when its connection is lost, with the same
 * transaction id, and made again when the server says NFS3ERR_JUKEBOX, until its time is up. READ and WRITE are objects
 * to be used again and again: {@link ReadCall}, {@link WriteCall}, {@link #start}.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns no memory, and not the transport, which its owner closes.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread. Futures complete on threads of the transport: what hangs on them must not block.
 *
 * <h2>Errors</h2>
 *
 * Futures complete with {@link NfsException} for what the server refused, and with {@link RpcException} for a call that
 * got no answer.
 */
public final class Nfs3Client {
    /** Most bytes of a READDIR reply that are asked for. */
    public static final int DIRECTORY_BYTES_MAX = 64 << 10;

    /** Longest text of a symbolic link that the reply has room for. */
    private static final int LINK_BYTES_MAX = 4096;

    /** Room for RPC header, status, a handle, and attributes of three objects. */
    private static final int SMALL_REPLY_BYTES = 512;

    private final RpcClientTransport transport;
    private final NfsClientOptions options;
    private final Timers timers;

    /**
     * Makes a client.
     *
     * @param transport leads to the server; stays the caller's
     * @param options how to call
     * @param timers the clock of pauses and deadlines
     */
    public Nfs3Client(RpcClientTransport transport, NfsClientOptions options, Timers timers) {
        this.transport = transport;
        this.options = options;
        this.timers = timers;
    }

    /** How it calls. */
    public NfsClientOptions options() {
        return options;
    }

    /** What it calls through. */
    public RpcClientTransport transport() {
        return transport;
    }

    /** Memory that can be read into and written from without a copy. */
    public PayloadAllocator memory() {
        return transport.memory();
    }

    Timers timers() {
        return timers;
    }

    /**
     * Starts a call, a {@link ReadCall} or {@link WriteCall} most likely.
     *
     * @param call lent until it ended
     * @throws IllegalStateException if it is under way
     */
    public void start(NfsCall call) {
        call.begin(this);
    }

    /**
     * Does nothing, to see whether the server is there (RFC 1813 §3.3.0). Unlike all others it is not sent again when
     * the connection is lost.
     */
    public CompletableFuture<@Nullable Void> nullCall() {
        return transport.call(
                CallOptions.of(Nfs3.PROGRAM, Nfs3.VERSION).withTimeout(options.timeout()),
                NfsProcedure.NULL.number(),
                XdrEncoder.VOID,
                reader -> {
                    reader.finish();
                    return null;
                });
    }

    /** Gets attributes (RFC 1813 §3.3.1). */
    public CompletableFuture<Fattr3> getattr(FileHandle file) {
        return call(
                NfsProcedure.GETATTR,
                SMALL_REPLY_BYTES,
                file::write,
                GetattrResult::read,
                GetattrResult::status,
                result -> result.attributes().orElseThrow());
    }

    /** Sets attributes (RFC 1813 §3.3.2). */
    public CompletableFuture<WccResult> setattr(FileHandle file, Sattr3 attributes) {
        return call(
                NfsProcedure.SETATTR,
                SMALL_REPLY_BYTES,
                new SetattrArgs(file, attributes, Optional.empty())::write,
                WccResult::read,
                WccResult::status,
                result -> result);
    }

    /** Looks a name up in a directory (RFC 1813 §3.3.3). */
    public CompletableFuture<LookupResult> lookup(DirOpArgs where) {
        return call(
                NfsProcedure.LOOKUP,
                SMALL_REPLY_BYTES,
                where::write,
                LookupResult::read,
                LookupResult::status,
                result -> result);
    }

    /** Reads the text of a symbolic link of at most 4096 bytes (RFC 1813 §3.3.5). */
    public CompletableFuture<ReadlinkResult> readlink(FileHandle link) {
        return call(
                NfsProcedure.READLINK,
                SMALL_REPLY_BYTES + LINK_BYTES_MAX,
                link::write,
                ReadlinkResult::read,
                ReadlinkResult::status,
                result -> result);
    }

    /** Creates a regular file (RFC 1813 §3.3.8). */
    public CompletableFuture<CreateResult> create(DirOpArgs where, CreateHow how) {
        return call(
                NfsProcedure.CREATE,
                SMALL_REPLY_BYTES,
                new CreateArgs(where, how)::write,
                CreateResult::read,
                CreateResult::status,
                result -> result);
    }

    /** Creates a directory (RFC 1813 §3.3.9). */
    public CompletableFuture<CreateResult> mkdir(DirOpArgs where, Sattr3 attributes) {
        return call(
                NfsProcedure.MKDIR,
                SMALL_REPLY_BYTES,
                new MkdirArgs(where, attributes)::write,
                CreateResult::read,
                CreateResult::status,
                result -> result);
    }

    /** Removes a name of a file (RFC 1813 §3.3.12). */
    public CompletableFuture<WccResult> remove(DirOpArgs where) {
        return removeBy(NfsProcedure.REMOVE, where);
    }

    /** Removes an empty directory (RFC 1813 §3.3.13). */
    public CompletableFuture<WccResult> rmdir(DirOpArgs where) {
        return removeBy(NfsProcedure.RMDIR, where);
    }

    private CompletableFuture<WccResult> removeBy(NfsProcedure procedure, DirOpArgs where) {
        return call(procedure, SMALL_REPLY_BYTES, where::write, WccResult::read, WccResult::status, result -> result);
    }

    /** Renames a file or directory, and replaces what had the new name (RFC 1813 §3.3.14). */
    public CompletableFuture<RenameResult> rename(DirOpArgs from, DirOpArgs to) {
        return call(
                NfsProcedure.RENAME,
                SMALL_REPLY_BYTES,
                new RenameArgs(from, to)::write,
                RenameResult::read,
                RenameResult::status,
                result -> result);
    }

    /** Lists a part of a directory (RFC 1813 §3.3.16). */
    public CompletableFuture<ReaddirResult> readdir(ReaddirArgs arguments) {
        return call(
                NfsProcedure.READDIR,
                SMALL_REPLY_BYTES + Math.toIntExact(arguments.count()),
                arguments::write,
                ReaddirResult::read,
                ReaddirResult::status,
                result -> result);
    }

    /** Lists a part of a directory with attributes and handles (RFC 1813 §3.3.17). */
    public CompletableFuture<ReaddirplusResult> readdirplus(ReaddirplusArgs arguments) {
        return call(
                NfsProcedure.READDIRPLUS,
                SMALL_REPLY_BYTES + Math.toIntExact(arguments.maxCount()),
                arguments::write,
                ReaddirplusResult::read,
                ReaddirplusResult::status,
                result -> result);
    }

    /** Asks what the server supports (RFC 1813 §3.3.19). */
    public CompletableFuture<FsinfoResult.Figures> fsinfo(FileHandle file) {
        return call(
                NfsProcedure.FSINFO,
                SMALL_REPLY_BYTES,
                file::write,
                FsinfoResult::read,
                FsinfoResult::status,
                FsinfoResult::figures);
    }

    /**
     * Brings data to stable storage that was written UNSTABLE (RFC 1813 §3.3.21).
     *
     * @param offset where the range begins
     * @param length its length; 0: to the end of the file
     * @return the write verifier: data written under another one may be lost
     */
    public CompletableFuture<Long> commit(FileHandle file, long offset, long length) {
        CommitArgs arguments = new CommitArgs();
        arguments.set(file, offset, length);
        return call(
                NfsProcedure.COMMIT,
                SMALL_REPLY_BYTES,
                arguments::write,
                CommitResult::read,
                CommitResult::status,
                CommitResult::verifier);
    }

    /**
     * Waits for a call.
     *
     * @param where names the file in failures
     * @throws NfsException what the server refused, with the file in its text
     * @throws RpcException for a call that got no answer, with the file in its text
     */
    public <T extends @Nullable Object> T await(String where, CompletableFuture<T> call) throws IOException {
        return Calls.await(where, call, options.timeout());
    }

    private <R, T> CompletableFuture<T> call(
            NfsProcedure procedure,
            int replyBytes,
            XdrEncoder arguments,
            XdrDecoder<R> decoder,
            FutureNfsCall.StatusOf<R> status,
            FutureNfsCall.ValueOf<R, T> value) {
        FutureNfsCall<R, T> call = new FutureNfsCall<>(procedure, arguments, decoder, status, value);
        call.replyBytesMax(replyBytes);
        start(call);
        return call.future();
    }
}
