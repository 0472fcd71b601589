package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.Change;
import io.rpcrdma4j.nfs.vfs.FileNode;
import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.vfs.FileTreeException;
import io.rpcrdma4j.nfs.wire.CreateArgs;
import io.rpcrdma4j.nfs.wire.DirOpArgs;
import io.rpcrdma4j.nfs.wire.LinkArgs;
import io.rpcrdma4j.nfs.wire.MkdirArgs;
import io.rpcrdma4j.nfs.wire.MknodArgs;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.RenameArgs;
import io.rpcrdma4j.nfs.wire.SetattrArgs;
import io.rpcrdma4j.nfs.wire.SymlinkArgs;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import org.jspecify.annotations.Nullable;

/**
 * LOOKUP, and the procedures that change names or attributes. The latter are not idempotent and go through the reply
 * cache. May be used from any thread.
 */
final class NameCalls {
    private final FileTree tree;
    private final FileHandles handles;
    private final ReplyCache replies;

    NameCalls(FileTree tree, FileHandles handles, ReplyCache replies) {
        this.tree = tree;
        this.handles = handles;
        this.replies = replies;
    }

    void lookup(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        DirOpArgs args = DirOpArgs.read(arguments);
        arguments.finish();
        FileNode directory = null;
        try {
            directory = handles.resolve(args.directory());
            FileNode found = tree.lookup(directory, args.name(), work.attributes(), work.directoryAttributes());
            XdrWriter results = call.success();
            NfsStatus.NFS3_OK.write(results);
            handles.of(found).write(results);
            NfsCall.writeAttributes(results, work.attributes());
            NfsCall.writeAttributes(results, work.directoryAttributes());
        } catch (FileTreeException e) {
            work.writeFailure(call.success(), Failures.status(call, e), directory, work.directoryAttributes());
        }
        call.reply();
    }

    void setattr(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        SetattrArgs args = SetattrArgs.read(arguments);
        arguments.finish();
        replies.serve(call, NfsProcedure.SETATTR, args, results -> {
            FileNode node = null;
            NfsStatus status = NfsStatus.NFS3_OK;
            try {
                node = handles.resolve(args.object());
                tree.setAttributes(node, args.attributes(), args.guard(), work.change());
            } catch (FileTreeException e) {
                status = Failures.status(call, e);
            }
            status.write(results);
            writeWcc(results, work, node, work.change());
        });
    }

    /** Makes something in a directory. */
    @FunctionalInterface
    private interface Maker {
        FileNode make(FileNode directory) throws FileTreeException;
    }

    void create(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        CreateArgs args = CreateArgs.read(arguments);
        arguments.finish();
        make(
                call,
                work,
                NfsProcedure.CREATE,
                args,
                args.where(),
                directory -> tree.create(directory, args.where().name(), args.how(), work.attributes(), work.change()));
    }

    void mkdir(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        MkdirArgs args = MkdirArgs.read(arguments);
        arguments.finish();
        make(
                call,
                work,
                NfsProcedure.MKDIR,
                args,
                args.where(),
                directory -> tree.makeDirectory(
                        directory, args.where().name(), args.attributes(), work.attributes(), work.change()));
    }

    void symlink(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        SymlinkArgs args = SymlinkArgs.read(arguments);
        arguments.finish();
        make(
                call,
                work,
                NfsProcedure.SYMLINK,
                args,
                args.where(),
                directory -> tree.makeSymbolicLink(
                        directory, args.where().name(), args.text(), work.attributes(), work.change()));
    }

    void mknod(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        MknodArgs args = MknodArgs.read(arguments);
        arguments.finish();
        make(
                call,
                work,
                NfsProcedure.MKNOD,
                args,
                args.where(),
                directory -> tree.makeSpecial(directory, args.where().name(), args, work.attributes(), work.change()));
    }

    private void make(
            RpcServerCall call, NfsCall work, NfsProcedure procedure, Object args, DirOpArgs where, Maker maker) {
        replies.serve(call, procedure, args, results -> {
            FileNode directory = null;
            try {
                directory = handles.resolve(where.directory());
                FileNode made = maker.make(directory);
                NfsStatus.NFS3_OK.write(results);
                handles.of(made).writeOptional(results);
                NfsCall.writeAttributes(results, work.attributes());
                NfsCall.writeWcc(results, work.change());
            } catch (FileTreeException e) {
                Failures.status(call, e).write(results);
                writeWcc(results, work, directory, work.change());
            }
        });
    }

    void remove(NfsProcedure procedure, RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        DirOpArgs args = DirOpArgs.read(arguments);
        arguments.finish();
        replies.serve(call, procedure, args, results -> {
            FileNode directory = null;
            NfsStatus status = NfsStatus.NFS3_OK;
            try {
                directory = handles.resolve(args.directory());
                if (procedure == NfsProcedure.RMDIR) {
                    tree.removeDirectory(directory, args.name(), work.change());
                } else {
                    tree.remove(directory, args.name(), work.change());
                }
            } catch (FileTreeException e) {
                status = Failures.status(call, e);
            }
            status.write(results);
            writeWcc(results, work, directory, work.change());
        });
    }

    void rename(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        RenameArgs args = RenameArgs.read(arguments);
        arguments.finish();
        replies.serve(call, NfsProcedure.RENAME, args, results -> {
            FileNode from = null;
            FileNode to = null;
            NfsStatus status = NfsStatus.NFS3_OK;
            try {
                from = handles.resolve(args.from().directory());
                to = handles.resolve(args.to().directory());
                tree.rename(from, args.from().name(), to, args.to().name(), work.change(), work.otherChange());
            } catch (FileTreeException e) {
                status = Failures.status(call, e);
            }
            status.write(results);
            writeWcc(results, work, from, work.change());
            writeWcc(results, work, to, work.otherChange());
        });
    }

    void link(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        LinkArgs args = LinkArgs.read(arguments);
        arguments.finish();
        replies.serve(call, NfsProcedure.LINK, args, results -> {
            FileNode file = null;
            FileNode directory = null;
            NfsStatus status = NfsStatus.NFS3_OK;
            try {
                file = handles.resolve(args.file());
                directory = handles.resolve(args.link().directory());
                tree.link(file, directory, args.link().name(), work.attributes(), work.change());
            } catch (FileTreeException e) {
                status = Failures.status(call, e);
            }
            work.writeFailure(results, status, file, work.attributes());
            writeWcc(results, work, directory, work.change());
        });
    }

    /** Writes the attributes before and after. After a failure those after are read now. */
    private static void writeWcc(XdrWriter results, NfsCall work, @Nullable FileNode node, Change change) {
        work.refresh(node, change.after());
        NfsCall.writeWcc(results, change);
    }
}
