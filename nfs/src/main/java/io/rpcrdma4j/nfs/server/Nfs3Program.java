package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.rpc.AcceptStatus;
import io.rpcrdma4j.rpc.RpcProgram;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.xdr.XdrException;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * NFS version 3 (RFC 1813), all 22 procedures, over a {@link FileTree}.
 *
 * <h2>Operation</h2>
 *
 * Register it with a dispatcher; {@link NfsService} makes it. Calls of other versions are answered PROG_MISMATCH there.
 * READ and WRITE move data between the file and the transport's memory without a copy in between.
 *
 * <h2>Buffer ownership</h2>
 *
 * The memory of a READ is taken from the call and moves to its reply. That of a WRITE belongs to the call.
 *
 * <h2>Threading</h2>
 *
 * May be called from any number of threads. All procedures but NULL may block, since they touch storage; an option runs
 * them on the transport's thread all the same.
 *
 * <h2>Errors</h2>
 *
 * Malformed arguments are an {@link XdrException} before anything is done. All else is a status in the reply.
 */
public final class Nfs3Program implements RpcProgram {
    private final boolean inline;
    private final FileTree tree;
    private final DataCalls data;
    private final NameCalls names;
    private final ListCalls lists;
    private final InfoCalls info;
    private final ReentrantLock lock = new ReentrantLock();
    /** Idle call objects, as many as there ever were calls at once; guarded by {@link #lock}. */
    private final ArrayDeque<NfsCall> idle = new ArrayDeque<>();

    Nfs3Program(NfsService.Builder options, FileTree tree, FileHandles handles, long writeVerifier) {
        inline = options.inline;
        this.tree = tree;
        data = new DataCalls(tree, handles, options.transferBytesMax, writeVerifier);
        names = new NameCalls(tree, handles, new ReplyCache(options.repliesMax, System::nanoTime));
        lists = new ListCalls(tree, handles);
        info = new InfoCalls(tree, handles, options.transferBytesMax);
    }

    @Override
    public int program() {
        return Nfs3.PROGRAM;
    }

    @Override
    public int lowestVersion() {
        return Nfs3.VERSION;
    }

    @Override
    public int highestVersion() {
        return Nfs3.VERSION;
    }

    @Override
    public boolean mayBlock(int version, int procedure) {
        return !inline && procedure != NfsProcedure.NULL.number();
    }

    @Override
    public void call(RpcServerCall call) throws XdrException {
        NfsProcedure procedure = NfsProcedure.of(call.procedure());
        if (procedure == null) {
            call.fail(AcceptStatus.PROC_UNAVAIL);
            return;
        }
        NfsCall work = take();
        try {
            serve(procedure, call, work);
        } finally {
            work.reset();
            give(work);
        }
    }

    private void serve(NfsProcedure procedure, RpcServerCall call, NfsCall work) throws XdrException {
        switch (procedure) {
            case NULL -> {
                call.arguments().finish();
                call.success();
                call.reply();
            }
            case GETATTR -> data.getattr(call, work);
            case ACCESS -> data.access(call, work);
            case READLINK -> data.readlink(call, work);
            case READ -> data.read(call, work);
            case WRITE -> data.write(call, work);
            case COMMIT -> data.commit(call, work);
            case LOOKUP -> names.lookup(call, work);
            case SETATTR -> names.setattr(call, work);
            case CREATE -> names.create(call, work);
            case MKDIR -> names.mkdir(call, work);
            case SYMLINK -> names.symlink(call, work);
            case MKNOD -> names.mknod(call, work);
            case REMOVE, RMDIR -> names.remove(procedure, call, work);
            case RENAME -> names.rename(call, work);
            case LINK -> names.link(call, work);
            case READDIR -> lists.readdir(call, work);
            case READDIRPLUS -> lists.readdirplus(call, work);
            case FSSTAT -> info.fsstat(call, work);
            case FSINFO -> info.fsinfo(call, work);
            case PATHCONF -> info.pathconf(call, work);
        }
    }

    private NfsCall take() {
        lock.lock();
        try {
            NfsCall work = idle.pollLast();
            return work == null ? new NfsCall(tree) : work;
        } finally {
            lock.unlock();
        }
    }

    private void give(NfsCall work) {
        lock.lock();
        try {
            idle.addLast(work);
        } finally {
            lock.unlock();
        }
    }
}
