package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.FileNode;
import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.vfs.FileTreeException;
import io.rpcrdma4j.nfs.wire.FsinfoResult;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.NfsTime;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** The procedures about the file system: FSSTAT, FSINFO, PATHCONF. May be used from any thread. */
final class InfoCalls {
    private static final int PAGE_BYTES = 4_096;
    private static final int DIRECTORY_BYTES = 65_536;
    private static final NfsTime TIME_DELTA = new NfsTime(0, 1);
    private static final int PROPERTIES =
            Nfs3.FSF3_LINK | Nfs3.FSF3_SYMLINK | Nfs3.FSF3_HOMOGENEOUS | Nfs3.FSF3_CANSETTIME;

    private final FileTree tree;
    private final FileHandles handles;
    private final FsinfoResult.Figures figures;

    InfoCalls(FileTree tree, FileHandles handles, int transferBytesMax) {
        this.tree = tree;
        this.handles = handles;
        figures = new FsinfoResult.Figures(
                transferBytesMax,
                transferBytesMax,
                PAGE_BYTES,
                transferBytesMax,
                transferBytesMax,
                PAGE_BYTES,
                Math.min(DIRECTORY_BYTES, transferBytesMax),
                tree.fileSizeMax(),
                TIME_DELTA,
                PROPERTIES);
    }

    /** Writes what follows status and attributes. */
    @FunctionalInterface
    private interface Answer {
        void write(XdrWriter results, FileNode node) throws FileTreeException;
    }

    void fsstat(RpcServerCall call, NfsCall work) throws XdrException {
        answer(call, work, (results, node) -> tree.space(node).write(results));
    }

    void fsinfo(RpcServerCall call, NfsCall work) throws XdrException {
        answer(call, work, (results, node) -> figures.write(results));
    }

    void pathconf(RpcServerCall call, NfsCall work) throws XdrException {
        answer(call, work, (results, node) -> tree.limits().write(results));
    }

    private void answer(RpcServerCall call, NfsCall work, Answer answer) throws XdrException {
        XdrReader arguments = call.arguments();
        work.handle().read(arguments);
        arguments.finish();
        FileNode node = null;
        try {
            node = handles.resolve(work.handle());
            tree.attributes(node, work.attributes());
            XdrWriter results = call.success();
            NfsStatus.NFS3_OK.write(results);
            NfsCall.writeAttributes(results, work.attributes());
            answer.write(results, node);
        } catch (FileTreeException e) {
            work.writeFailure(call.success(), Failures.status(call, e), node, work.attributes());
        }
        call.reply();
    }
}
