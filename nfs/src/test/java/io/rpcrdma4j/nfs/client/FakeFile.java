package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.CommitArgs;
import io.rpcrdma4j.nfs.wire.CommitResult;
import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FileType;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.NfsTime;
import io.rpcrdma4j.nfs.wire.ReadArgs;
import io.rpcrdma4j.nfs.wire.ReadResult;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.nfs.wire.WccData;
import io.rpcrdma4j.nfs.wire.WriteArgs;
import io.rpcrdma4j.nfs.wire.WriteResult;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A server that has one file and no mercy: its reads and writes are as short as {@link #mostBytes} says, and when
 * {@link #restarts} says so it forgets everything that was not committed. Used by one thread at a time.
 */
final class FakeFile implements ScriptedTransport.Server {
    static final FileHandle HANDLE = FileHandle.of(new byte[] {1, 2, 3});

    private final NativeAllocator memory = new NativeAllocator();
    byte[] content = {};
    byte[] stable = {};
    long verifier = 7;
    int reads;
    int writes;
    int commits;
    int restarted;

    /** Most bytes of the next READ or WRITE. */
    IntSupplier mostBytes = () -> Integer.MAX_VALUE;

    /** Whether to restart: after a WRITE was answered, or before a COMMIT is. */
    java.util.function.BooleanSupplier restarts = () -> false;

    /** How the next call is answered if not with NFS3_OK. */
    java.util.function.Supplier<NfsStatus> status = () -> NfsStatus.NFS3_OK;

    /** How the next call ends if not with an answer. */
    java.util.function.Supplier<@Nullable RpcException> failure = () -> null;

    StableHow committed = StableHow.UNSTABLE;
    boolean tellsAttributes = true;
    boolean tellsEnd = true;
    boolean isStuck;

    @Override
    public void serve(int procedure, XdrReader arguments, XdrWriter results) throws XdrException, RpcException {
        RpcException unanswered = failure.get();
        if (unanswered != null) {
            throw unanswered;
        }
        NfsProcedure known = NfsProcedure.of(procedure);
        if (known == NfsProcedure.READ) {
            read(arguments, results);
        } else if (known == NfsProcedure.WRITE) {
            write(arguments, results);
        } else if (known == NfsProcedure.COMMIT) {
            commit(arguments, results);
        } else {
            throw new AssertionError("procedure " + procedure);
        }
    }

    private void read(XdrReader arguments, XdrWriter results) throws XdrException {
        reads++;
        ReadArgs args = new ReadArgs();
        args.read(arguments);
        NfsStatus answer = status.get();
        if (!answer.isOk()) {
            ReadResult.writeFailure(results, answer, null);
            return;
        }
        int from = (int) Math.min(args.offset(), content.length);
        int length = (int) Math.min(Math.min(args.count(), mostBytes.getAsInt()), content.length - from);
        length = isStuck ? 0 : length;
        PayloadBuffer data = memory.allocate(length);
        MemorySegment.copy(content, from, data.segment(), ValueLayout.JAVA_BYTE, 0, length);
        boolean atEnd = from + length == content.length && (tellsEnd || length == 0) && !isStuck;
        ReadResult.writeOk(results, tellsAttributes ? attributes() : null, data, length, atEnd);
    }

    private void write(XdrReader arguments, XdrWriter results) throws XdrException {
        writes++;
        WriteArgs args = new WriteArgs();
        args.read(arguments, 1 << 20);
        WriteResult result = new WriteResult();
        NfsStatus answer = status.get();
        if (!answer.isOk()) {
            result.fail(answer, WccData.NONE);
            result.write(results);
            return;
        }
        if (args.count() != args.dataLength()) {
            throw new AssertionError("a count of " + args.count() + " and " + args.dataLength() + " bytes");
        }
        int length = (int) Math.min(args.count(), mostBytes.getAsInt());
        int end = (int) args.offset() + length;
        if (end > content.length) {
            content = Arrays.copyOf(content, end);
        }
        MemorySegment.copy(args.data(), ValueLayout.JAVA_BYTE, args.dataOffset(), content, (int) args.offset(), length);
        if (committed != StableHow.UNSTABLE) {
            stable = content.clone();
        }
        result.succeed(WccData.NONE, length, committed, verifier);
        result.write(results);
        maybeRestart();
    }

    private void commit(XdrReader arguments, XdrWriter results) throws XdrException {
        commits++;
        CommitArgs args = new CommitArgs();
        args.read(arguments);
        maybeRestart();
        NfsStatus answer = status.get();
        if (answer.isOk()) {
            stable = content.clone();
        }
        new CommitResult(answer, WccData.NONE, verifier).write(results);
    }

    /** Loses what is not stable, and has zeros in its place. */
    private void maybeRestart() {
        if (restarts.getAsBoolean()) {
            restarted++;
            verifier++;
            content = Arrays.copyOf(stable, content.length);
        }
    }

    private Fattr3 attributes() {
        return new Fattr3(
                FileType.NF3REG,
                0644,
                1,
                0,
                0,
                content.length,
                0,
                0,
                0,
                1,
                1,
                NfsTime.EPOCH,
                NfsTime.EPOCH,
                NfsTime.EPOCH);
    }
}
