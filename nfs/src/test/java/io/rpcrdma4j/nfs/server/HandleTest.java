package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.StableHow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A handle leads to its file, whatever it is called and however often the server restarts, and to nothing else. */
class HandleTest {
    @TempDir
    Path scratch;

    private Path export;
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        export = Files.createDirectory(scratch.resolve("export"));
        Files.createDirectories(export.resolve("a/b/c"));
        Files.writeString(export.resolve("a/b/c/file"), "content");
        server = new TestServer(export, scratch.resolve("state"));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private void restart() throws Exception {
        server.close();
        server = new TestServer(export, scratch.resolve("state"));
    }

    @Test
    void anyFlippedBitIsABadHandle() throws Exception {
        byte[] good = server.find("a/b/c/file").toByteArray();
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(server.getattr(FileHandle.of(bad)).status())
                    .as("bit %d", bit)
                    .isEqualTo(NfsStatus.NFS3ERR_BADHANDLE);
        }
        assertThat(server.getattr(FileHandle.of(good)).status()).isEqualTo(NfsStatus.NFS3_OK);
    }

    @Test
    void aHandleOfAnotherLengthIsABadHandle() throws Exception {
        byte[] good = server.find("a/b/c/file").toByteArray();
        for (int length = 0; length <= 64; length++) {
            if (length != good.length) {
                assertThat(server.getattr(FileHandle.of(Arrays.copyOf(good, length)))
                                .status())
                        .as("length %d", length)
                        .isEqualTo(NfsStatus.NFS3ERR_BADHANDLE);
            }
        }
    }

    @Test
    void aHandleOfAnotherServerIsABadHandle() throws Exception {
        FileHandle handle = server.find("a/b/c/file");
        try (TestServer other = new TestServer(export, scratch.resolve("other"))) {
            assertThat(other.find("a/b/c/file")).isNotEqualTo(handle);
            assertThat(other.getattr(handle).status()).isEqualTo(NfsStatus.NFS3ERR_BADHANDLE);
        }
    }

    @Test
    void handlesSurviveARestart() throws Exception {
        FileHandle root = server.root();
        FileHandle directory = server.find("a/b");
        FileHandle file = server.find("a/b/c/file");
        restart();
        assertThat(server.root()).isEqualTo(root);
        assertThat(server.getattr(directory).status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
        assertThat(server.find("a/b/c/file")).isEqualTo(file);
    }

    @Test
    void handlesSurviveRenamesOfTheFileAndOfDirectoriesAboveAndARestartAfterThem() throws Exception {
        FileHandle root = server.root();
        FileHandle file = server.find("a/b/c/file");
        FileHandle c = server.find("a/b/c");
        assertThat(server.rename(c, "file", root, "elsewhere").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
        assertThat(server.rename(root, "elsewhere", c, "back").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.rename(root, "a", root, "z").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
        assertThat(server.rename(server.find("z"), "b", root, "b2").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
        assertThat(server.lookup(c, "back").object()).isEqualTo(file);
        restart();
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
        assertThat(server.lookup(c, "back").object()).isEqualTo(file);
    }

    @Test
    void aFileKeepsItsHandleAsLongAsItHasAName() throws Exception {
        FileHandle root = server.root();
        FileHandle c = server.find("a/b/c");
        FileHandle file = server.find("a/b/c/file");
        assertThat(server.link(file, root, "second").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.lookup(root, "second").object()).isEqualTo(file);
        assertThat(server.attributes(file).links()).isEqualTo(2);
        assertThat(server.remove(c, "file").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
        restart();
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
        assertThat(server.remove(root, "second").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.getattr(file).status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
        restart();
        assertThat(server.getattr(file).status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
    }

    @Test
    void aFileWhoseOtherNameWasNeverSeenIsFoundInItsDirectory() throws Exception {
        FileHandle c = server.find("a/b/c");
        FileHandle file = server.find("a/b/c/file");
        Files.createLink(export.resolve("a/b/c/unseen"), export.resolve("a/b/c/file"));
        assertThat(server.remove(c, "file").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
    }

    @Test
    void aFileThatSomebodyElseRenamedInItsDirectoryIsFoundAgain() throws Exception {
        FileHandle file = server.find("a/b/c/file");
        Files.move(export.resolve("a/b/c/file"), export.resolve("a/b/c/moved"));
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
        Files.move(export.resolve("a/b"), export.resolve("a/bb"));
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
        restart();
        assertThat(server.read(file, 0, 100).bytes()).asString().isEqualTo("content");
    }

    @Test
    void aRemovedFileIsStaleAndItsNameMayBeUsedAgain() throws Exception {
        FileHandle c = server.find("a/b/c");
        FileHandle old = server.find("a/b/c/file");
        assertThat(server.remove(c, "file").status()).isEqualTo(NfsStatus.NFS3_OK);
        FileHandle fresh = server.create(c, "file").object();
        assertThat(fresh).isNotEqualTo(old);
        assertThat(server.getattr(old).status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
        assertThat(server.read(old, 0, 1).status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
        assertThat(server.write(old, 0, new byte[1], StableHow.UNSTABLE).status())
                .isEqualTo(NfsStatus.NFS3ERR_STALE);
        assertThat(server.attributes(fresh).size()).isZero();
    }

    @Test
    void aFileThatSomebodyElseReplacedIsAnother() throws Exception {
        FileHandle old = server.find("a/b/c/file");
        // Most file systems give the number of the removed file to the next one.
        for (int i = 0; i < 20; i++) {
            Files.delete(export.resolve("a/b/c/file"));
            Files.writeString(export.resolve("a/b/c/file"), "replaced " + i);
            assertThat(server.getattr(old).status()).as("round %d", i).isEqualTo(NfsStatus.NFS3ERR_STALE);
            assertThat(server.read(old, 0, 10).status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
            FileHandle next = server.find("a/b/c/file");
            assertThat(next).isNotEqualTo(old);
            old = next;
        }
    }

    @Test
    void aNameThatIsReplacedByARenameMakesItsOldFileStale() throws Exception {
        FileHandle root = server.root();
        FileHandle victim = server.create(root, "victim").object();
        FileHandle source = server.create(root, "source").object();
        assertThat(server.rename(root, "source", root, "victim").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.getattr(victim).status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
        assertThat(server.lookup(root, "victim").object()).isEqualTo(source);
    }

    @Test
    void manyMoreFilesThanAreKeptInMemoryKeepTheirHandles() throws Exception {
        server.close();
        StateDirectory.open(scratch.resolve("state")).close();
        try (StateDirectory state = StateDirectory.open(scratch.resolve("state"))) {
            assertThat(Files.exists(state.path().resolve("files.log"))).isTrue();
        }
        server = new TestServer(export, scratch.resolve("state"));
        FileHandle root = server.root();
        FileHandle[] handles = new FileHandle[500];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = server.create(root, "f" + i).object();
        }
        restart();
        for (int i = 0; i < handles.length; i++) {
            assertThat(server.getattr(handles[i]).status()).isEqualTo(NfsStatus.NFS3_OK);
            assertThat(server.lookup(root, "f" + i).object()).isEqualTo(handles[i]);
        }
    }
}
