package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.nfs.wire.ExportList;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.Mount3;
import io.rpcrdma4j.nfs.wire.MountList;
import io.rpcrdma4j.nfs.wire.MountPath;
import io.rpcrdma4j.nfs.wire.MountResult;
import io.rpcrdma4j.nfs.wire.MountStatus;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The MOUNT program, and what the dispatcher answers for programs and versions that are not there. */
class MountTest {
    private static final XdrDecoder<@Nullable Void> NOTHING = reader -> null;

    @TempDir
    Path scratch;

    private Path export;
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        export = Files.createDirectory(scratch.resolve("export"));
        server = new TestServer(export, scratch.resolve("state"));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private <T extends @Nullable Object> T mount(int procedure, XdrEncoder arguments, XdrDecoder<T> results)
            throws RpcException {
        return server.transport().call(Mount3.PROGRAM, Mount3.VERSION, procedure, arguments, results);
    }

    private MountList dump() throws RpcException {
        return mount(Mount3.DUMP, XdrEncoder.VOID, MountList::read);
    }

    @Test
    void theRootIsMountedByTheAllowedOnly() throws Exception {
        MountResult result = server.mnt("/");
        assertThat(result.status()).isEqualTo(MountStatus.MNT3_OK);
        assertThat(result.flavors()).containsExactly(1, 0);
        server.transport().from("192.0.2.1", 700);
        MountResult refused = server.mnt("/");
        assertThat(refused.status()).isEqualTo(MountStatus.MNT3ERR_ACCES);
        assertThat(refused.directory()).isEqualTo(FileHandle.NONE);
    }

    @Test
    void filesAreNotMounted() throws Exception {
        Files.createFile(export.resolve("file"));
        Files.createDirectories(export.resolve("a/b"));
        assertThat(server.mnt("/file").status()).isEqualTo(MountStatus.MNT3ERR_NOTDIR);
        assertThat(server.mnt("/missing").status()).isEqualTo(MountStatus.MNT3ERR_NOENT);
        assertThat(server.mnt("/" + "n".repeat(300)).status()).isEqualTo(MountStatus.MNT3ERR_NAMETOOLONG);
        assertThat(server.mnt("/a/b").status()).isEqualTo(MountStatus.MNT3_OK);
    }

    @Test
    void mountsAreListedUntilTheyEnd() throws Exception {
        Files.createDirectories(export.resolve("a"));
        server.mnt("/");
        server.mnt("/a");
        server.mnt("/a");
        assertThat(dump().entries())
                .extracting(entry -> entry.directory().toString())
                .containsExactly("/", "/a");
        mount(Mount3.UMNT, MountPath.of("/")::write, NOTHING);
        assertThat(dump().entries()).hasSize(1);
        server.transport().from("127.0.0.2", 700);
        mount(Mount3.UMNTALL, XdrEncoder.VOID, NOTHING);
        assertThat(dump().entries()).as("somebody else's").hasSize(1);
        server.transport().from("127.0.0.1", 700);
        mount(Mount3.UMNTALL, XdrEncoder.VOID, NOTHING);
        assertThat(dump().entries()).isEmpty();
    }

    @Test
    void theListOfMountsIsBounded() throws Exception {
        for (int i = 0; i < Mount3Program.MOUNTS_MAX + 50; i++) {
            server.transport().from("127.1." + i / 250 + "." + (1 + i % 250), 700);
            server.mnt("/");
        }
        assertThat(dump().entries()).hasSize(Mount3Program.MOUNTS_MAX);
    }

    @Test
    void exportsSayWhoMayMount() throws Exception {
        ExportList exports = mount(Mount3.EXPORT, XdrEncoder.VOID, ExportList::read);
        assertThat(exports.entries()).hasSize(1);
        assertThat(exports.entries().getFirst().directory()).isEqualTo(MountPath.ROOT);
        assertThat(exports.entries().getFirst().groups())
                .extracting(Object::toString)
                .containsExactly("127.0.0.0/8", "::1/128");
    }

    @Test
    void whatIsNotServedIsSaidAtOnce() throws Exception {
        mount(Mount3.NULL, XdrEncoder.VOID, NOTHING);
        server.transport().call(Nfs3.PROGRAM, 3, 0, XdrEncoder.VOID, NOTHING);
        assertThatThrownBy(() -> server.transport().call(Nfs3.PROGRAM, 4, 0, XdrEncoder.VOID, NOTHING))
                .hasMessageContaining("PROG_MISMATCH");
        assertThatThrownBy(() -> server.transport().call(Nfs3.PROGRAM, 3, 22, XdrEncoder.VOID, NOTHING))
                .hasMessageContaining("PROC_UNAVAIL");
        assertThatThrownBy(() -> mount(6, XdrEncoder.VOID, NOTHING)).hasMessageContaining("PROC_UNAVAIL");
        assertThatThrownBy(() -> server.transport().call(100_227, 3, 0, XdrEncoder.VOID, NOTHING))
                .hasMessageContaining("PROG_UNAVAIL");
    }

    @Test
    void argumentsOfAnyOtherLengthAreGarbage() {
        for (int procedure = 0; procedure < 22; procedure++) {
            int number = procedure;
            assertThatThrownBy(() -> server.transport()
                            .call(Nfs3.PROGRAM, 3, number, writer -> writer.writeFixed(new byte[2_000]), NOTHING))
                    .as("procedure %d", procedure)
                    .hasMessageContaining("GARBAGE_ARGS");
            if (procedure > 0) {
                assertThatThrownBy(() -> server.transport().call(Nfs3.PROGRAM, 3, number, XdrEncoder.VOID, NOTHING))
                        .as("procedure %d", procedure)
                        .hasMessageContaining("GARBAGE_ARGS");
            }
        }
    }
}
