package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.CreateResult;
import io.rpcrdma4j.nfs.wire.DirOpArgs;
import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.FileType;
import io.rpcrdma4j.nfs.wire.LookupResult;
import io.rpcrdma4j.nfs.wire.MknodArgs;
import io.rpcrdma4j.nfs.wire.MountStatus;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.StableHow;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing that a client sends reads or changes anything outside the export. */
class EscapeTest {
    private static final String SECRET = "secret";

    @TempDir
    Path scratch;

    private Path export;
    private Path outside;
    private TestServer server;
    private FileHandle root;

    @BeforeEach
    void start() throws Exception {
        export = Files.createDirectory(scratch.resolve("export"));
        outside = Files.createDirectory(scratch.resolve("outside"));
        Files.writeString(outside.resolve("file"), SECRET);
        server = new TestServer(export, scratch.resolve("state"));
        root = server.root();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        assertThat(Files.readString(outside.resolve("file"))).isEqualTo(SECRET);
        try (var found = Files.list(outside)) {
            assertThat(found).containsExactly(outside.resolve("file"));
        }
    }

    @Test
    void theParentOfTheRootIsTheRoot() throws Exception {
        Fattr3 attributes = server.attributes(root);
        LookupResult up = server.lookup(root, "..");
        assertThat(up.object()).isEqualTo(root);
        assertThat(up.attributes().orElseThrow().fileid()).isEqualTo(attributes.fileid());
        FileHandle directory = server.mkdir(root, "d").object();
        assertThat(server.lookup(directory, "..").object()).isEqualTo(root);
        assertThat(server.lookup(directory, ".").object()).isEqualTo(directory);
        assertThat(server.readdirplus(root, 0, 8_192).entries())
                .allSatisfy(entry -> assertThat(entry.fileid())
                        .isIn(attributes.fileid(), server.attributes(directory).fileid()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "a/b",
                "/etc/passwd",
                "../outside/file",
                "../../etc/passwd",
                "./x",
                "x/",
                "/..",
                "..\u0000",
                "a\u0000b",
                "",
            })
    void aNameIsOneComponent(String name) throws Exception {
        FileHandle file = server.create(root, "mine").object();
        assertThat(server.lookup(root, name).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.create(root, name).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.mkdir(root, name).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.symlink(root, name, "x").status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.remove(root, name).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.rmdir(root, name).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.rename(root, "mine", root, name).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.rename(root, name, root, "other").status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.link(file, root, name).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
    }

    @ParameterizedTest
    @ValueSource(strings = {".", ".."})
    void dotsAreNeitherMadeNorRemovedNorRenamed(String name) throws Exception {
        FileHandle directory = server.mkdir(root, "d").object();
        FileHandle file = server.create(root, "mine").object();
        assertThat(server.create(directory, name).status()).isEqualTo(NfsStatus.NFS3ERR_EXIST);
        assertThat(server.create(directory, name, new CreateHow.Unchecked(Sattr3.NOTHING))
                        .status())
                .isEqualTo(NfsStatus.NFS3ERR_EXIST);
        assertThat(server.mkdir(directory, name).status()).isEqualTo(NfsStatus.NFS3ERR_EXIST);
        assertThat(server.symlink(directory, name, "x").status()).isEqualTo(NfsStatus.NFS3ERR_EXIST);
        assertThat(server.link(file, directory, name).status()).isEqualTo(NfsStatus.NFS3ERR_EXIST);
        assertThat(server.remove(directory, name).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.rmdir(directory, name).status()).isIn(NfsStatus.NFS3ERR_INVAL, NfsStatus.NFS3ERR_EXIST);
        assertThat(server.rename(directory, name, root, "x").status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.rename(root, "mine", directory, name).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
    }

    @Test
    void symbolicLinksAreNotFollowed() throws Exception {
        FileHandle toDirectory = server.symlink(root, "dir", outside.toString()).object();
        FileHandle toFile =
                server.symlink(root, "file", outside.resolve("file").toString()).object();
        FileHandle up = server.symlink(root, "up", "../outside/file").object();
        assertThat(server.attributes(toDirectory).type()).isEqualTo(FileType.NF3LNK);
        assertThat(server.lookup(toDirectory, "file").status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        assertThat(server.readdir(toDirectory, 0, 4_096).status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        assertThat(server.create(toDirectory, "x").status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        assertThat(server.mkdir(toDirectory, "x").status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        assertThat(server.remove(toDirectory, "file").status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        assertThat(server.rename(toDirectory, "file", root, "stolen").status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        for (FileHandle link : new FileHandle[] {toFile, up}) {
            assertThat(server.read(link, 0, 100).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
            assertThat(server.write(link, 0, new byte[1], StableHow.FILE_SYNC).status())
                    .isEqualTo(NfsStatus.NFS3ERR_INVAL);
            assertThat(server.setattr(link, Sattr3.ofSize(0)).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
            server.setattr(link, Sattr3.ofMode(0));
        }
        assertThat(server.create(root, "file", new CreateHow.Unchecked(Sattr3.ofSize(0)))
                        .status())
                .isEqualTo(NfsStatus.NFS3ERR_EXIST);
        assertThat(server.link(toFile, root, "again").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.attributes(server.find("again")).type()).isEqualTo(FileType.NF3LNK);
        assertThat(server.mnt("/dir").status()).isEqualTo(MountStatus.MNT3ERR_NOTDIR);
        assertThat(server.mnt("/dir/x").status()).isEqualTo(MountStatus.MNT3ERR_NOTDIR);
    }

    @Test
    void aDirectoryThatBecameASymbolicLinkIsNotFollowed() throws Exception {
        FileHandle directory = server.mkdir(root, "d").object();
        FileHandle file = server.create(directory, "file").object();
        server.write(file, 0, "mine".getBytes(StandardCharsets.UTF_8), StableHow.UNSTABLE);
        assertThat(server.rename(root, "d", root, "e").status()).isEqualTo(NfsStatus.NFS3_OK);
        server.symlink(root, "d", outside.toString());
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("mine");
        assertThat(server.create(directory, "new").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(export.resolve("e/new")).exists();
        // The same, done by somebody else on this machine, whom the server cannot hear.
        server.remove(root, "d");
        Files.move(export.resolve("e"), export.resolve("f"));
        Files.createSymbolicLink(export.resolve("e"), outside);
        assertThat(server.lookup(directory, "file").object()).isEqualTo(file);
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("mine");
        assertThat(server.write(file, 0, new byte[100], StableHow.FILE_SYNC).status())
                .isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.remove(directory, "file").status()).isEqualTo(NfsStatus.NFS3_OK);
    }

    @Test
    void aDirectoryThatLeftTheExportIsStale() throws Exception {
        FileHandle directory = server.mkdir(root, "d").object();
        Path away = scratch.resolve("away");
        Files.move(export.resolve("d"), away);
        Files.createSymbolicLink(export.resolve("d"), scratch);
        assertThat(server.getattr(directory).status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
        assertThat(server.create(directory, "x").status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
        assertThat(away).isEmptyDirectory();
    }

    @Test
    void mountPathsDoNotLeaveTheExport() throws Exception {
        Files.createDirectories(export.resolve("a/b"));
        assertThat(server.mnt("/a/b").directory()).isEqualTo(server.find("a/b"));
        assertThat(server.mnt("/a//b/").directory()).isEqualTo(server.find("a/b"));
        for (String path : new String[] {"/..", "/../..", "/a/../..", "/../outside"}) {
            FileHandle reached = server.mnt(path).directory();
            assertThat(reached).as(path).isIn(root, FileHandle.NONE);
        }
        assertThat(server.mnt("/../outside").status()).isEqualTo(MountStatus.MNT3ERR_NOENT);
        for (String path : new String[] {outside.toString(), "/nothing", "", "a", "\\a"}) {
            assertThat(server.mnt(path).status()).as(path).isEqualTo(MountStatus.MNT3ERR_NOENT);
        }
    }

    @Test
    void devicesAndSetIdBitsAreRefused() throws Exception {
        for (FileType type : FileType.values()) {
            NfsStatus expected = switch (type) {
                case NF3BLK, NF3CHR -> NfsStatus.NFS3ERR_PERM;
                case NF3SOCK, NF3FIFO -> NfsStatus.NFS3ERR_NOTSUPP;
                case NF3REG, NF3DIR, NF3LNK -> NfsStatus.NFS3ERR_BADTYPE;
            };
            MknodArgs args = new MknodArgs(new DirOpArgs(root, FileName.of("node")), type, Sattr3.ofMode(0666), 1, 3);
            assertThat(server.nfs(NfsProcedure.MKNOD, args::write, CreateResult::read)
                            .status())
                    .isEqualTo(expected);
        }
        FileHandle file = server.create(root, "f").object();
        for (int mode : new int[] {04755, 02755, 06755}) {
            assertThat(server.setattr(file, Sattr3.ofMode(mode)).status()).isEqualTo(NfsStatus.NFS3ERR_PERM);
            assertThat(server.create(root, "g", new CreateHow.Guarded(Sattr3.ofMode(mode)))
                            .status())
                    .isEqualTo(NfsStatus.NFS3ERR_PERM);
        }
        assertThat(server.attributes(file).mode()).isEqualTo(0644);
        assertThat(export.resolve("g")).doesNotExist();
    }

    @Test
    void theStateDirectoryIsNotInTheExport() throws Exception {
        for (String inside : new String[] {"state", "a/state", "../export/state"}) {
            try (StateDirectory state = StateDirectory.open(export.resolve(inside))) {
                assertThat(catchThrowable(
                                () -> NfsService.builder(export, state).open()))
                        .hasMessageContaining("inside the exported directory");
            }
        }
    }

    @Test
    void racingRenamesAndSymbolicLinksNeverLeadOut() throws Exception {
        FileHandle directory = server.mkdir(root, "d").object();
        CountDownLatch done = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            Future<?> swap = threads.submit(() -> {
                for (int i = 0; i < 300; i++) {
                    server.rename(root, "d", root, "e");
                    server.symlink(root, "d", outside.toString());
                    server.remove(root, "d");
                    server.rename(root, "e", root, "d");
                }
                done.countDown();
                return null;
            });
            Future<?> make = threads.submit(() -> {
                for (int i = 0; done.getCount() > 0; i++) {
                    assertThat(server.mkdir(directory, "m" + i).status()).isEqualTo(NfsStatus.NFS3_OK);
                    assertThat(server.rmdir(directory, "m" + i).status()).isEqualTo(NfsStatus.NFS3_OK);
                }
                return null;
            });
            Future<?> write = threads.submit(() -> {
                for (int i = 0; done.getCount() > 0; i++) {
                    assertThat(server.lookup(directory, "file").status()).isEqualTo(NfsStatus.NFS3ERR_NOENT);
                    assertThat(server.symlink(directory, "l" + i, "x").status()).isEqualTo(NfsStatus.NFS3_OK);
                    assertThat(server.remove(directory, "l" + i).status()).isEqualTo(NfsStatus.NFS3_OK);
                }
                return null;
            });
            swap.get(60, TimeUnit.SECONDS);
            make.get(60, TimeUnit.SECONDS);
            write.get(60, TimeUnit.SECONDS);
        } finally {
            done.countDown();
            threads.shutdownNow();
        }
    }
}
