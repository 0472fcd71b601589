package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.FileAttributes;
import io.rpcrdma4j.nfs.vfs.FileNode;
import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.vfs.FileTreeException;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.ReaddirArgs;
import io.rpcrdma4j.nfs.wire.ReaddirResult;
import io.rpcrdma4j.nfs.wire.ReaddirplusArgs;
import io.rpcrdma4j.nfs.wire.ReaddirplusResult;
import io.rpcrdma4j.rpc.RpcConstants;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import org.jspecify.annotations.Nullable;

/**
 * READDIR and READDIRPLUS. May be used from any thread.
 *
 * <p>Cookies belong to names, whatever else happens in the directory, so the cookie verifier is always 0 and not looked
 * at. Results never exceed what the caller allows, nor what the reply has room for.
 */
final class ListCalls {
    /** Most bytes of results, however many the caller allows. */
    private static final long RESULTS_MAX = 1 << 20;

    /** Status, directory attributes, verifier, the flag behind the last entry, end of directory. */
    private static final int FRAME_BYTES = ReaddirResult.FRAME_BYTES + Nfs3.FATTR_BYTES;

    private static final long VERIFIER = 0;

    private final FileTree tree;
    private final FileHandles handles;

    ListCalls(FileTree tree, FileHandles handles) {
        this.tree = tree;
        this.handles = handles;
    }

    void readdir(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        ReaddirArgs args = ReaddirArgs.read(arguments);
        arguments.finish();
        list(call, work, args.directory(), args.cookie(), false, args.count(), args.count());
    }

    void readdirplus(RpcServerCall call, NfsCall work) throws XdrException {
        XdrReader arguments = call.arguments();
        ReaddirplusArgs args = ReaddirplusArgs.read(arguments);
        arguments.finish();
        list(call, work, args.directory(), args.cookie(), true, args.directoryCount(), args.maxCount());
    }

    private void list(
            RpcServerCall call,
            NfsCall work,
            FileHandle handle,
            long cookie,
            boolean plus,
            long directoryCount,
            long maxCount) {
        FileNode directory = null;
        FileAttributes attributes = work.directoryAttributes();
        try {
            directory = handles.resolve(handle);
            tree.attributes(directory, attributes);
            if (cookie < 0) {
                throw new FileTreeException(NfsStatus.NFS3ERR_BAD_COOKIE, "no cookie of ours: " + cookie);
            }
            long room = Math.min(Math.min(maxCount, RESULTS_MAX), call.replyLimit() - RpcConstants.REPLY_HEADER_BYTES);
            requireRoom(room >= FRAME_BYTES, room);
            XdrWriter results = call.success();
            NfsStatus.NFS3_OK.write(results);
            NfsCall.writeAttributes(results, attributes);
            results.writeLong(VERIFIER);
            Page page = new Page(results, plus, room - FRAME_BYTES, plus ? directoryCount : Long.MAX_VALUE);
            boolean atEnd = tree.list(directory, cookie, plus, page::add);
            requireRoom(atEnd || page.entries > 0, room);
            results.writeBoolean(false);
            results.writeBoolean(atEnd);
        } catch (FileTreeException e) {
            work.writeFailure(call.success(), Failures.status(call, e), directory, attributes);
        }
        call.reply();
    }

    private static void requireRoom(boolean enough, long room) throws FileTreeException {
        if (!enough) {
            throw new FileTreeException(NfsStatus.NFS3ERR_TOOSMALL, "no entry fits into " + room + " bytes");
        }
    }

    /** The entries of one reply. */
    private final class Page {
        private final XdrWriter results;
        private final boolean plus;
        private long bytesLeft;
        private long directoryBytesLeft;
        private int entries;

        Page(XdrWriter results, boolean plus, long bytesLeft, long directoryBytesLeft) {
            this.results = results;
            this.plus = plus;
            this.bytesLeft = bytesLeft;
            this.directoryBytesLeft = directoryBytesLeft;
        }

        boolean add(FileName name, long cookie, @Nullable FileNode node, FileAttributes attributes) {
            FileHandle handle = node == null ? FileHandle.NONE : handles.of(node);
            int directoryBytes = ReaddirResult.entryBytes(name.length());
            int bytes = plus ? ReaddirplusResult.entryBytes(name.length(), true, handle.length()) : directoryBytes;
            // The smaller limit is a hint: one entry is always given if the reply has room for it.
            if (bytes > bytesLeft || (directoryBytes > directoryBytesLeft && entries > 0)) {
                return false;
            }
            bytesLeft -= bytes;
            directoryBytesLeft -= directoryBytes;
            entries++;
            ReaddirResult.writeEntry(results, attributes.fileid(), name, cookie);
            if (plus) {
                NfsCall.writeAttributes(results, attributes);
                handle.writeOptional(results);
            }
            return true;
        }
    }
}
