package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.FileAttributes;
import io.rpcrdma4j.nfs.vfs.FileNode;
import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.vfs.FileTreeException;
import io.rpcrdma4j.nfs.wire.ExportList;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.Mount3;
import io.rpcrdma4j.nfs.wire.MountList;
import io.rpcrdma4j.nfs.wire.MountPath;
import io.rpcrdma4j.nfs.wire.MountResult;
import io.rpcrdma4j.nfs.wire.MountStatus;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.rpc.AcceptStatus;
import io.rpcrdma4j.rpc.RpcConstants;
import io.rpcrdma4j.rpc.RpcProgram;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.xdr.XdrException;
import java.net.InetAddress;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * MOUNT version 3 (RFC 1813 §5): gives the handle of the export's root, {@code /}, or of a directory below it.
 *
 * <p>Who has mounted what is remembered for DUMP only, for the last {@value #MOUNTS_MAX} mounts.
 *
 * <h2>Threading</h2>
 *
 * May be called from any number of threads.
 */
public final class Mount3Program implements RpcProgram {
    /** Most mounts that are remembered. */
    static final int MOUNTS_MAX = 1_024;

    private static final Logger LOG = LoggerFactory.getLogger(Mount3Program.class);

    private static final List<Integer> FLAVORS = List.of(RpcConstants.AUTH_SYS, RpcConstants.AUTH_NONE);

    private final FileTree tree;
    private final FileHandles handles;
    private final AddressFilter allowed;
    private final ReentrantLock lock = new ReentrantLock();
    /** Oldest first; guarded by {@link #lock}. */
    private final Set<MountList.Entry> mounts = new LinkedHashSet<>();

    Mount3Program(FileTree tree, FileHandles handles, AddressFilter allowed) {
        this.tree = tree;
        this.handles = handles;
        this.allowed = allowed;
    }

    @Override
    public int program() {
        return Mount3.PROGRAM;
    }

    @Override
    public int lowestVersion() {
        return Mount3.VERSION;
    }

    @Override
    public int highestVersion() {
        return Mount3.VERSION;
    }

    @Override
    public boolean mayBlock(int version, int procedure) {
        return procedure == Mount3.MNT;
    }

    @Override
    public void call(RpcServerCall call) throws XdrException {
        switch (call.procedure()) {
            case Mount3.NULL -> {
                call.arguments().finish();
                call.success();
                call.reply();
            }
            case Mount3.MNT -> mnt(call);
            case Mount3.DUMP -> {
                call.arguments().finish();
                new MountList(mounts()).write(call.success());
                call.reply();
            }
            case Mount3.UMNT -> {
                MountPath path = MountPath.read(call.arguments());
                call.arguments().finish();
                forget(new MountList.Entry(host(call), path));
                call.success();
                call.reply();
            }
            case Mount3.UMNTALL -> {
                call.arguments().finish();
                forgetAll(host(call));
                call.success();
                call.reply();
            }
            case Mount3.EXPORT -> export(call);
            default -> call.fail(AcceptStatus.PROC_UNAVAIL);
        }
    }

    /** Who has mounted what. */
    public List<MountList.Entry> mounts() {
        lock.lock();
        try {
            return List.copyOf(mounts);
        } finally {
            lock.unlock();
        }
    }

    private void mnt(RpcServerCall call) throws XdrException {
        MountPath path = MountPath.read(call.arguments());
        call.arguments().finish();
        InetAddress client = call.connection().remoteAddress().getAddress();
        MountResult result;
        if (!allowed.test(client)) {
            LOG.info("Mount of {} by {} refused: not in {}", path, client.getHostAddress(), allowed);
            result = MountResult.failed(MountStatus.MNT3ERR_ACCES);
        } else {
            result = mount(path);
        }
        if (result.status().isOk()) {
            LOG.info("Mount of {} by {}", path, client.getHostAddress());
            remember(new MountList.Entry(host(call), path));
        }
        result.write(call.success());
        call.reply();
    }

    private MountResult mount(MountPath path) {
        if (!path.isAbsolute()) {
            return MountResult.failed(MountStatus.MNT3ERR_NOENT);
        }
        try {
            FileAttributes attributes = new FileAttributes();
            FileNode node = tree.root();
            tree.attributes(node, attributes);
            for (FileName name : path.names()) {
                node = tree.lookup(node, name, attributes, new FileAttributes());
            }
            if (!attributes.isDirectory()) {
                return MountResult.failed(MountStatus.MNT3ERR_NOTDIR);
            }
            return new MountResult(MountStatus.MNT3_OK, handles.of(node), FLAVORS);
        } catch (FileTreeException e) {
            LOG.debug("Mount of {}: {}", path, e.getMessage());
            return MountResult.failed(statusOf(e.status()));
        }
    }

    private static MountStatus statusOf(NfsStatus status) {
        return switch (status) {
            case NFS3ERR_NOENT, NFS3ERR_STALE -> MountStatus.MNT3ERR_NOENT;
            case NFS3ERR_NOTDIR -> MountStatus.MNT3ERR_NOTDIR;
            case NFS3ERR_ACCES -> MountStatus.MNT3ERR_ACCES;
            case NFS3ERR_PERM -> MountStatus.MNT3ERR_PERM;
            case NFS3ERR_NAMETOOLONG -> MountStatus.MNT3ERR_NAMETOOLONG;
            case NFS3ERR_INVAL -> MountStatus.MNT3ERR_INVAL;
            case NFS3ERR_IO -> MountStatus.MNT3ERR_IO;
            default -> MountStatus.MNT3ERR_SERVERFAULT;
        };
    }

    private void export(RpcServerCall call) throws XdrException {
        call.arguments().finish();
        List<FileName> groups = allowed.networks().stream().map(FileName::of).toList();
        new ExportList(List.of(new ExportList.Entry(MountPath.ROOT, groups))).write(call.success());
        call.reply();
    }

    private void remember(MountList.Entry mount) {
        lock.lock();
        try {
            mounts.remove(mount);
            mounts.add(mount);
            if (mounts.size() > MOUNTS_MAX) {
                Iterator<MountList.Entry> oldestFirst = mounts.iterator();
                oldestFirst.next();
                oldestFirst.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    private void forget(MountList.Entry mount) {
        lock.lock();
        try {
            mounts.remove(mount);
        } finally {
            lock.unlock();
        }
    }

    private void forgetAll(FileName host) {
        lock.lock();
        try {
            mounts.removeIf(mount -> mount.host().equals(host));
        } finally {
            lock.unlock();
        }
    }

    private static FileName host(RpcServerCall call) {
        return FileName.of(call.connection().remoteAddress().getAddress().getHostAddress());
    }
}
