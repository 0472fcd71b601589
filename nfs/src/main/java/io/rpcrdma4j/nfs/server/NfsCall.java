package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.Change;
import io.rpcrdma4j.nfs.vfs.FileAttributes;
import io.rpcrdma4j.nfs.vfs.FileNode;
import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.vfs.FileTreeException;
import io.rpcrdma4j.nfs.wire.CommitArgs;
import io.rpcrdma4j.nfs.wire.HandleBuffer;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.ReadArgs;
import io.rpcrdma4j.nfs.wire.WriteArgs;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import org.jspecify.annotations.Nullable;

/**
 * What one call needs while it is served: arguments and attributes, used again for the next. Used by one thread at a
 * time.
 */
final class NfsCall {
    private final FileTree tree;
    private final HandleBuffer handle = new HandleBuffer();
    private final ReadArgs readArgs = new ReadArgs();
    private final WriteArgs writeArgs = new WriteArgs();
    private final CommitArgs commitArgs = new CommitArgs();
    private final FileAttributes attributes = new FileAttributes();
    private final FileAttributes directoryAttributes = new FileAttributes();
    private final Change change = new Change();
    private final Change otherChange = new Change();

    NfsCall(FileTree tree) {
        this.tree = tree;
    }

    /** Forgets what an earlier call left. */
    void reset() {
        attributes.clear();
        directoryAttributes.clear();
        change.clear();
        otherChange.clear();
        writeArgs.clear();
    }

    HandleBuffer handle() {
        return handle;
    }

    ReadArgs readArgs() {
        return readArgs;
    }

    WriteArgs writeArgs() {
        return writeArgs;
    }

    CommitArgs commitArgs() {
        return commitArgs;
    }

    /** Those of the file that the call is about. */
    FileAttributes attributes() {
        return attributes;
    }

    /** Those of the directory that the file is in. */
    FileAttributes directoryAttributes() {
        return directoryAttributes;
    }

    /** Of the file or the directory that is changed. */
    Change change() {
        return change;
    }

    /** Of the second directory of RENAME. */
    Change otherChange() {
        return otherChange;
    }

    /** Writes a {@code post_op_attr}. */
    static void writeAttributes(XdrWriter results, FileAttributes attributes) {
        results.writeBoolean(attributes.isValid());
        if (attributes.isValid()) {
            attributes.write(results);
        }
    }

    /** Writes a {@code wcc_data}. */
    static void writeWcc(XdrWriter results, Change change) {
        FileAttributes before = change.before();
        results.writeBoolean(before.isValid());
        if (before.isValid()) {
            results.writeLong(before.size());
            results.writeInt((int) before.modifySeconds());
            results.writeInt(before.modifyNanos());
            results.writeInt((int) before.changeSeconds());
            results.writeInt(before.changeNanos());
        }
        writeAttributes(results, change.after());
    }

    /**
     * Writes a failure with the attributes of a file, which are read unless they are there; without them if it is gone.
     */
    void writeFailure(XdrWriter results, NfsStatus status, @Nullable FileNode node, FileAttributes into) {
        status.write(results);
        refresh(node, into);
        writeAttributes(results, into);
    }

    /** Reads the attributes of a file unless they are there. */
    void refresh(@Nullable FileNode node, FileAttributes into) {
        if (node == null || into.isValid()) {
            return;
        }
        try {
            tree.attributes(node, into);
        } catch (FileTreeException e) {
            into.clear();
        }
    }
}
