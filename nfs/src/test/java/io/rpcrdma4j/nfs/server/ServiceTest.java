package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.CreateResult;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FsinfoResult;
import io.rpcrdma4j.nfs.wire.FsstatResult;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.PathconfResult;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.nfs.wire.WriteResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client does from mount to unmount. */
class ServiceTest {
    @TempDir
    Path scratch;

    private Path export;
    private TestServer server;
    private FileHandle root;

    @BeforeEach
    void start() throws Exception {
        export = Files.createDirectory(scratch.resolve("export"));
        server = new TestServer(export, scratch.resolve("state"));
        root = server.root();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @Test
    void aFileIsCreatedWrittenCommittedReadRenamedAndRemoved() throws Exception {
        CreateResult created = server.create(root, "a", new CreateHow.Unchecked(Sattr3.ofMode(0600)));
        assertThat(created.status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(created.attributes().orElseThrow().mode()).isEqualTo(0600);
        assertThat(created.directoryWcc().before()).isPresent();
        assertThat(created.directoryWcc().after()).isPresent();
        FileHandle file = created.object();

        byte[] data = "hello".getBytes(StandardCharsets.UTF_8);
        WriteResult written = server.write(file, 0, data, StableHow.UNSTABLE);
        assertThat(written.status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(written.count()).isEqualTo(5);
        assertThat(server.commit(file).verifier()).isEqualTo(written.verifier());
        assertThat(Files.readAllBytes(export.resolve("a"))).isEqualTo(data);

        TestServer.Data read = server.read(file, 1, 100);
        assertThat(read.bytes()).isEqualTo("ello".getBytes(StandardCharsets.UTF_8));
        assertThat(read.atEnd()).isTrue();
        assertThat(read.attributes().orElseThrow().size()).isEqualTo(5);

        assertThat(server.rename(root, "a", root, "b").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.lookup(root, "b").object()).isEqualTo(file);
        assertThat(server.lookup(root, "a").status()).isEqualTo(NfsStatus.NFS3ERR_NOENT);
        assertThat(server.remove(root, "b").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.getattr(file).status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
        assertThat(export).isEmptyDirectory();
    }

    @Test
    void directoriesAndSymbolicLinks() throws Exception {
        FileHandle directory = server.mkdir(root, "d").object();
        assertThat(server.attributes(directory).mode()).isEqualTo(0755);
        FileHandle link = server.symlink(directory, "l", "../else//where").object();
        assertThat(server.readlink(link).text().toString()).isEqualTo("../else/where");
        assertThat(server.readdir(directory, 0, 4_096).entries().stream()
                        .map(entry -> entry.name().toString()))
                .containsExactlyInAnyOrder(".", "..", "l");
        assertThat(server.rmdir(root, "d").status()).isEqualTo(NfsStatus.NFS3ERR_NOTEMPTY);
        assertThat(server.remove(directory, "l").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.rmdir(root, "d").status()).isEqualTo(NfsStatus.NFS3_OK);
    }

    @Test
    void whatTheFileSystemIs() throws Exception {
        FsinfoResult info = server.nfs(NfsProcedure.FSINFO, root::write, FsinfoResult::read);
        assertThat(info.figures().readMax()).isEqualTo(1 << 20);
        assertThat(info.figures().writePreferred()).isEqualTo(1 << 20);
        assertThat(info.figures().properties())
                .isEqualTo(Nfs3.FSF3_LINK | Nfs3.FSF3_SYMLINK | Nfs3.FSF3_HOMOGENEOUS | Nfs3.FSF3_CANSETTIME);
        FsstatResult stat = server.nfs(NfsProcedure.FSSTAT, root::write, FsstatResult::read);
        assertThat(stat.figures().totalBytes()).isPositive();
        PathconfResult limits = server.nfs(NfsProcedure.PATHCONF, root::write, PathconfResult::read);
        assertThat(limits.limits().nameMax()).isEqualTo(255);
    }
}
