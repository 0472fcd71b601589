package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.nfs.wire.AccessArgs;
import io.rpcrdma4j.nfs.wire.AccessResult;
import io.rpcrdma4j.nfs.wire.CommitArgs;
import io.rpcrdma4j.nfs.wire.CommitResult;
import io.rpcrdma4j.nfs.wire.CreateArgs;
import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.CreateResult;
import io.rpcrdma4j.nfs.wire.DirOpArgs;
import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.GetattrResult;
import io.rpcrdma4j.nfs.wire.LinkArgs;
import io.rpcrdma4j.nfs.wire.LinkResult;
import io.rpcrdma4j.nfs.wire.LinkText;
import io.rpcrdma4j.nfs.wire.LookupResult;
import io.rpcrdma4j.nfs.wire.MkdirArgs;
import io.rpcrdma4j.nfs.wire.Mount3;
import io.rpcrdma4j.nfs.wire.MountPath;
import io.rpcrdma4j.nfs.wire.MountResult;
import io.rpcrdma4j.nfs.wire.MountStatus;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.ReadArgs;
import io.rpcrdma4j.nfs.wire.ReadResult;
import io.rpcrdma4j.nfs.wire.ReaddirArgs;
import io.rpcrdma4j.nfs.wire.ReaddirResult;
import io.rpcrdma4j.nfs.wire.ReaddirplusArgs;
import io.rpcrdma4j.nfs.wire.ReaddirplusResult;
import io.rpcrdma4j.nfs.wire.ReadlinkResult;
import io.rpcrdma4j.nfs.wire.RenameArgs;
import io.rpcrdma4j.nfs.wire.RenameResult;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.SetattrArgs;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.nfs.wire.SymlinkArgs;
import io.rpcrdma4j.nfs.wire.WccResult;
import io.rpcrdma4j.nfs.wire.WriteResult;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A service over a directory, and a client of it that speaks in values. */
final class TestServer implements AutoCloseable {
    private final StateDirectory state;
    private final NfsService service;
    private final InProcess transport;

    TestServer(Path export, Path stateDirectory) throws IOException {
        this(export, stateDirectory, options -> options);
    }

    TestServer(Path export, Path stateDirectory, UnaryOperator<NfsService.Builder> options) throws IOException {
        state = StateDirectory.open(stateDirectory);
        try {
            // Names need not be on the disk here; that they can be is tested on its own.
            service = options.apply(NfsService.builder(export, state).syncNames(false))
                    .open();
        } catch (IOException | RuntimeException e) {
            state.close();
            throw e;
        }
        transport = new InProcess(RpcDispatcher.builder()
                .program(service.nfs())
                .program(service.mount(AddressFilter.LOOPBACK))
                .build());
    }

    InProcess transport() {
        return transport;
    }

    NfsService service() {
        return service;
    }

    @Override
    public void close() throws IOException {
        service.close();
        state.close();
        transport.close();
    }

    <T extends @Nullable Object> T nfs(NfsProcedure procedure, XdrEncoder arguments, XdrDecoder<T> results)
            throws RpcException {
        return transport.call(Nfs3.PROGRAM, Nfs3.VERSION, procedure.number(), arguments, results);
    }

    MountResult mnt(String path) throws RpcException {
        return transport.call(Mount3.PROGRAM, Mount3.VERSION, Mount3.MNT, MountPath.of(path)::write, MountResult::read);
    }

    FileHandle root() throws RpcException {
        MountResult result = mnt("/");
        assertThat(result.status()).isEqualTo(MountStatus.MNT3_OK);
        return result.directory();
    }

    GetattrResult getattr(FileHandle file) throws RpcException {
        return nfs(NfsProcedure.GETATTR, file::write, GetattrResult::read);
    }

    Fattr3 attributes(FileHandle file) throws RpcException {
        return getattr(file).attributes().orElseThrow();
    }

    LookupResult lookup(FileHandle directory, String name) throws RpcException {
        return nfs(NfsProcedure.LOOKUP, where(directory, name)::write, LookupResult::read);
    }

    /** The handle of what must be there; {@code path} has names and slashes. */
    FileHandle find(String path) throws RpcException {
        FileHandle at = root();
        for (String name : path.split("/", -1)) {
            LookupResult result = lookup(at, name);
            assertThat(result.status()).as("%s in %s", name, path).isEqualTo(NfsStatus.NFS3_OK);
            at = result.object();
        }
        return at;
    }

    WccResult setattr(FileHandle file, Sattr3 wanted) throws RpcException {
        return nfs(NfsProcedure.SETATTR, new SetattrArgs(file, wanted, Optional.empty())::write, WccResult::read);
    }

    AccessResult access(FileHandle file, int wanted) throws RpcException {
        return nfs(NfsProcedure.ACCESS, new AccessArgs(file, wanted)::write, AccessResult::read);
    }

    ReadlinkResult readlink(FileHandle link) throws RpcException {
        return nfs(NfsProcedure.READLINK, link::write, ReadlinkResult::read);
    }

    /** What READ gave. Not compared as a whole. */
    @SuppressWarnings("ArrayRecordComponent")
    record Data(NfsStatus status, byte[] bytes, boolean atEnd, Optional<Fattr3> attributes) {}

    Data read(FileHandle file, long offset, long count) throws RpcException {
        ReadArgs args = new ReadArgs();
        args.set(file, offset, count);
        return nfs(NfsProcedure.READ, args::write, reader -> {
            ReadResult result = new ReadResult();
            result.read(reader, 0xffff_ffffL, true);
            byte[] bytes =
                    result.data().asSlice(result.dataOffset(), result.count()).toArray(ValueLayout.JAVA_BYTE);
            return new Data(result.status(), bytes, result.atEnd(), Optional.ofNullable(result.attributes()));
        });
    }

    WriteResult write(FileHandle file, long offset, byte[] data, StableHow how) throws RpcException {
        return write(file, offset, data.length, data, how);
    }

    WriteResult write(FileHandle file, long offset, long count, byte[] data, StableHow how) throws RpcException {
        return nfs(
                NfsProcedure.WRITE,
                writer -> {
                    file.write(writer);
                    writer.writeLong(offset);
                    writer.writeUnsignedInt(count);
                    how.write(writer);
                    writer.writeOpaque(data);
                },
                reader -> {
                    WriteResult result = new WriteResult();
                    result.read(reader, true);
                    return result;
                });
    }

    CommitResult commit(FileHandle file) throws RpcException {
        CommitArgs args = new CommitArgs();
        args.set(file, 0, 0);
        return nfs(NfsProcedure.COMMIT, args::write, CommitResult::read);
    }

    CreateResult create(FileHandle directory, String name, CreateHow how) throws RpcException {
        return nfs(NfsProcedure.CREATE, new CreateArgs(where(directory, name), how)::write, CreateResult::read);
    }

    CreateResult create(FileHandle directory, String name) throws RpcException {
        return create(directory, name, new CreateHow.Guarded(Sattr3.ofMode(0644)));
    }

    CreateResult mkdir(FileHandle directory, String name) throws RpcException {
        return nfs(
                NfsProcedure.MKDIR,
                new MkdirArgs(where(directory, name), Sattr3.ofMode(0755))::write,
                CreateResult::read);
    }

    CreateResult symlink(FileHandle directory, String name, String text) throws RpcException {
        return nfs(
                NfsProcedure.SYMLINK,
                new SymlinkArgs(where(directory, name), Sattr3.NOTHING, LinkText.of(text))::write,
                CreateResult::read);
    }

    WccResult remove(FileHandle directory, String name) throws RpcException {
        return nfs(NfsProcedure.REMOVE, where(directory, name)::write, WccResult::read);
    }

    WccResult rmdir(FileHandle directory, String name) throws RpcException {
        return nfs(NfsProcedure.RMDIR, where(directory, name)::write, WccResult::read);
    }

    RenameResult rename(FileHandle from, String fromName, FileHandle to, String toName) throws RpcException {
        return nfs(
                NfsProcedure.RENAME,
                new RenameArgs(where(from, fromName), where(to, toName))::write,
                RenameResult::read);
    }

    LinkResult link(FileHandle file, FileHandle directory, String name) throws RpcException {
        return nfs(NfsProcedure.LINK, new LinkArgs(file, where(directory, name))::write, LinkResult::read);
    }

    ReaddirResult readdir(FileHandle directory, long cookie, long count) throws RpcException {
        return nfs(NfsProcedure.READDIR, new ReaddirArgs(directory, cookie, 0, count)::write, ReaddirResult::read);
    }

    ReaddirplusResult readdirplus(FileHandle directory, long cookie, long maxCount) throws RpcException {
        return nfs(
                NfsProcedure.READDIRPLUS,
                new ReaddirplusArgs(directory, cookie, 0, maxCount, maxCount)::write,
                ReaddirplusResult::read);
    }

    static DirOpArgs where(FileHandle directory, String name) {
        return new DirOpArgs(directory, FileName.of(name));
    }
}
