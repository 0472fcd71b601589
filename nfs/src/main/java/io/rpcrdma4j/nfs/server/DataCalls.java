package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.FileAttributes;
import io.rpcrdma4j.nfs.vfs.FileNode;
import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.vfs.FileTreeException;
import io.rpcrdma4j.nfs.wire.AccessArgs;
import io.rpcrdma4j.nfs.wire.CommitArgs;
import io.rpcrdma4j.nfs.wire.LinkText;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.ReadArgs;
import io.rpcrdma4j.nfs.wire.ReadResult;
import io.rpcrdma4j.nfs.wire.WriteArgs;
import io.rpcrdma4j.nfs.wire.WriteResult;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import org.jspecify.annotations.Nullable;

/** The procedures about one file: GETATTR, ACCESS, READLINK, READ, WRITE, COMMIT. May be used from any thread. */
final class DataCalls {
    private final FileTree tree;
    private final FileHandles handles;
    private final int transferBytesMax;
    private final long writeVerifier;

    DataCalls(FileTree tree, FileHandles handles, int transferBytesMax, long writeVerifier) {
        this.tree = tree;
        this.handles = handles;
        this.transferBytesMax = transferBytesMax;
        this.writeVerifier = writeVerifier;
    }

    void getattr(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        work.handle().read(arguments);
        arguments.finish();
        FileAttributes attributes = work.attributes();
        NfsStatus status = NfsStatus.NFS3_OK;
        try {
            tree.attributes(handles.resolve(work.handle()), attributes);
        } catch (FileTreeException e) {
            status = Failures.status(call, e);
        }
        XdrWriter results = call.success();
        status.write(results);
        if (status.isOk()) {
            attributes.write(results);
        }
        call.reply();
    }

    void access(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        AccessArgs args = AccessArgs.read(arguments);
        arguments.finish();
        FileNode node = null;
        int granted = 0;
        NfsStatus status = NfsStatus.NFS3_OK;
        try {
            node = handles.resolve(args.object());
            granted = tree.access(node, args.access(), work.attributes());
        } catch (FileTreeException e) {
            status = Failures.status(call, e);
        }
        XdrWriter results = call.success();
        work.writeFailure(results, status, node, work.attributes());
        if (status.isOk()) {
            results.writeInt(granted);
        }
        call.reply();
    }

    void readlink(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        work.handle().read(arguments);
        arguments.finish();
        FileNode node = null;
        LinkText text = LinkText.EMPTY;
        NfsStatus status = NfsStatus.NFS3_OK;
        try {
            node = handles.resolve(work.handle());
            text = tree.readLink(node);
        } catch (FileTreeException e) {
            status = Failures.status(call, e);
        }
        work.refresh(node, work.attributes());
        PayloadBuffer buffer = null;
        if (status.isOk()) {
            buffer = allocate(call, text.length());
            status = buffer == null ? NfsStatus.NFS3ERR_JUKEBOX : status;
        }
        XdrWriter results = call.success();
        status.write(results);
        NfsCall.writeAttributes(results, work.attributes());
        if (buffer != null) {
            text.writePayload(results, buffer);
        }
        call.reply();
    }

    void read(RpcServerCall call, NfsCall work) throws XdrException {
        ReadArgs args = work.readArgs();
        XdrReader arguments = call.arguments();
        args.read(arguments);
        arguments.finish();
        FileAttributes attributes = work.attributes();
        int count = (int) Math.min(args.count(), transferBytesMax);
        long position = args.offset();
        if (position < 0 || position > Long.MAX_VALUE - count) {
            // No file reaches that far.
            position = Long.MAX_VALUE - count;
            count = 0;
        }
        FileNode node = null;
        NfsStatus status;
        PayloadBuffer buffer = allocate(call, count);
        if (buffer == null) {
            status = NfsStatus.NFS3ERR_JUKEBOX;
        } else {
            try {
                node = handles.resolve(args.file());
                int done = tree.read(node, position, buffer.segment(), 0, count, attributes);
                boolean atEnd = position + done >= attributes.size();
                XdrWriter results = call.success();
                PayloadBuffer moved = buffer;
                buffer = null;
                ReadResult.writeOk(results, attributes, moved, done, atEnd);
                call.reply();
                return;
            } catch (FileTreeException e) {
                status = Failures.status(call, e);
            } finally {
                if (buffer != null) {
                    buffer.release();
                }
            }
        }
        work.writeFailure(call.success(), status, node, attributes);
        call.reply();
    }

    void write(RpcServerCall call, NfsCall work) throws XdrException {
        WriteArgs args = work.writeArgs();
        XdrReader arguments = call.arguments();
        args.read(arguments, transferBytesMax);
        arguments.finish();
        FileNode node = null;
        NfsStatus status = NfsStatus.NFS3_OK;
        try {
            node = handles.resolve(args.file());
            if (args.count() != args.dataLength()) {
                throw new FileTreeException(
                        NfsStatus.NFS3ERR_INVAL,
                        "WRITE of " + args.count() + " bytes with " + args.dataLength() + " bytes of data");
            }
            int count = (int) args.dataLength();
            if (args.offset() < 0 || args.offset() > tree.fileSizeMax() - count) {
                throw new FileTreeException(NfsStatus.NFS3ERR_FBIG, "WRITE beyond the largest file");
            }
            tree.write(
                    node,
                    args.offset(),
                    args.data(),
                    args.dataOffset(),
                    count,
                    args.stable(),
                    work.change().after());
        } catch (FileTreeException e) {
            status = Failures.status(call, e);
            work.refresh(node, work.change().after());
        }
        XdrWriter results = call.success();
        status.write(results);
        NfsCall.writeWcc(results, work.change());
        if (status.isOk()) {
            WriteResult.writeArm(results, args.dataLength(), args.stable(), writeVerifier);
        }
        call.reply();
    }

    void commit(RpcServerCall call, NfsCall work) throws XdrException {
        CommitArgs args = work.commitArgs();
        XdrReader arguments = call.arguments();
        args.read(arguments);
        arguments.finish();
        FileNode node = null;
        NfsStatus status = NfsStatus.NFS3_OK;
        try {
            node = handles.resolve(args.file());
            tree.commit(node, work.change().after());
        } catch (FileTreeException e) {
            status = Failures.status(call, e);
            work.refresh(node, work.change().after());
        }
        XdrWriter results = call.success();
        status.write(results);
        NfsCall.writeWcc(results, work.change());
        if (status.isOk()) {
            results.writeLong(writeVerifier);
        }
        call.reply();
    }

    /** Memory for a result, or null if there is none at the moment. */
    private static @Nullable PayloadBuffer allocate(RpcServerCall call, int bytes) {
        try {
            return call.memory().allocate(bytes);
        } catch (RpcResourceException e) {
            return null;
        }
    }
}
