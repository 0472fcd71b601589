package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.ReaddirArgs;
import io.rpcrdma4j.nfs.wire.ReaddirResult;
import io.rpcrdma4j.nfs.wire.ReaddirplusArgs;
import io.rpcrdma4j.nfs.wire.ReaddirplusResult;
import io.rpcrdma4j.rpc.RpcConstants;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** READDIR and READDIRPLUS: never more than asked for, every name once, whatever happens meanwhile. */
class ListTest {
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
    void stop() throws Exception {
        server.close();
    }

    private InProcess.Reply readdir(long cookie, long count) {
        return server.transport()
                .send(
                        server.transport()
                                .message(
                                        server.transport().nextXid(),
                                        Nfs3.PROGRAM,
                                        Nfs3.VERSION,
                                        NfsProcedure.READDIR.number(),
                                        new ReaddirArgs(root, cookie, 0, count)::write),
                        null);
    }

    private InProcess.Reply readdirplus(long cookie, long directoryCount, long maxCount) {
        return server.transport()
                .send(
                        server.transport()
                                .message(
                                        server.transport().nextXid(),
                                        Nfs3.PROGRAM,
                                        Nfs3.VERSION,
                                        NfsProcedure.READDIRPLUS.number(),
                                        new ReaddirplusArgs(root, cookie, 0, directoryCount, maxCount)::write),
                        null);
    }

    private Set<String> make(int count) throws Exception {
        Set<String> names = new HashSet<>(Set.of(".", ".."));
        for (int i = 0; i < count; i++) {
            String name = "n".repeat(i % 37) + i;
            Files.createFile(export.resolve(name));
            names.add(name);
        }
        return names;
    }

    @Test
    void noReplyIsLongerThanItsCount() throws Exception {
        Set<String> names = make(20);
        for (int count = 0; count <= 4_096; count += count < 1_500 ? 1 : 31) {
            InProcess.Reply reply = readdir(0, count);
            ReaddirResult result = reply.decode(ReaddirResult::read);
            checkPage(reply, count, result.status(), result.entries().size());
            assertThat(result.entries().size() == names.size()).isEqualTo(result.atEnd());
        }
        for (int count = 0; count <= 4_096; count += 5) {
            InProcess.Reply reply = readdirplus(0, count, count);
            ReaddirplusResult result = reply.decode(ReaddirplusResult::read);
            checkPage(reply, count, result.status(), result.entries().size());
        }
    }

    private static void checkPage(InProcess.Reply reply, int count, NfsStatus status, int entries) {
        int bytes = reply.message().length - RpcConstants.REPLY_HEADER_BYTES;
        if (status == NfsStatus.NFS3ERR_TOOSMALL) {
            assertThat(count).isLessThan(400);
        } else {
            assertThat(status).isEqualTo(NfsStatus.NFS3_OK);
            assertThat(bytes).as("count %d", count).isLessThanOrEqualTo(count);
            assertThat(entries).as("count %d", count).isPositive();
        }
    }

    @Test
    void noReplyIsLongerThanTheTransportAllows() throws Exception {
        make(200);
        for (int limit = 150; limit < 6_000; limit += 97) {
            server.transport().replyLimit(limit);
            InProcess.Reply reply = readdirplus(0, 1 << 20, 1 << 20);
            assertThat(reply.message().length).isLessThanOrEqualTo(limit);
            assertThat(reply.decode(ReaddirplusResult::read).status())
                    .isIn(NfsStatus.NFS3_OK, NfsStatus.NFS3ERR_TOOSMALL);
        }
        server.transport().replyLimit(1 << 20);
    }

    @Test
    void tenThousandNamesAreListedOnceWithAnyCount() throws Exception {
        Set<String> names = make(10_000);
        for (int count : new int[] {4_097, 65_535}) {
            List<String> listed = new ArrayList<>();
            long cookie = 0;
            boolean atEnd = false;
            while (!atEnd) {
                ReaddirResult page = server.readdir(root, cookie, count);
                assertThat(page.status()).isEqualTo(NfsStatus.NFS3_OK);
                for (ReaddirResult.Entry entry : page.entries()) {
                    assertThat(entry.cookie()).isGreaterThan(cookie);
                    cookie = entry.cookie();
                    listed.add(entry.name().toString());
                }
                atEnd = page.atEnd();
            }
            assertThat(listed).as("count %d", count).hasSameSizeAs(names);
            assertThat(new HashSet<>(listed)).as("count %d", count).isEqualTo(names);
        }
    }

    @Test
    void entriesCarryAttributesAndHandlesThatWork() throws Exception {
        Set<String> names = make(300);
        Files.createDirectory(export.resolve("dir"));
        names.add("dir");
        Set<String> listed = new TreeSet<>();
        long cookie = 0;
        boolean atEnd = false;
        while (!atEnd) {
            ReaddirplusResult page = server.readdirplus(root, cookie, 8_192);
            for (ReaddirplusResult.Entry entry : page.entries()) {
                String name = entry.name().toString();
                listed.add(name);
                cookie = entry.cookie();
                assertThat(entry.attributes().orElseThrow().fileid()).isEqualTo(entry.fileid());
                assertThat(server.attributes(entry.object()).fileid()).isEqualTo(entry.fileid());
                if (!name.startsWith(".")) {
                    assertThat(server.lookup(root, name).object()).isEqualTo(entry.object());
                }
            }
            atEnd = page.atEnd();
        }
        assertThat(listed).isEqualTo(new TreeSet<>(names));
    }

    @Test
    void theSmallerCountIsAHintButOneEntryIsAlwaysGiven() throws Exception {
        make(50);
        ReaddirplusResult one = readdirplus(0, 1, 8_192).decode(ReaddirplusResult::read);
        assertThat(one.entries()).hasSize(1);
        assertThat(one.atEnd()).isFalse();
        ReaddirplusResult some = readdirplus(0, 200, 8_192).decode(ReaddirplusResult::read);
        assertThat(some.entries()).hasSizeBetween(2, 8);
    }

    @Test
    void aListingGoesOnAfterChangesAndARestart() throws Exception {
        Set<String> names = make(1_000);
        List<String> listed = new ArrayList<>();
        long cookie = 0;
        boolean atEnd = false;
        int round = 0;
        Set<String> removed = new HashSet<>();
        while (!atEnd) {
            ReaddirResult page = server.readdir(root, cookie, 2_048);
            for (ReaddirResult.Entry entry : page.entries()) {
                cookie = entry.cookie();
                listed.add(entry.name().toString());
            }
            atEnd = page.atEnd();
            round++;
            server.create(root, "new" + round);
            String gone = "n".repeat(round % 37) + round;
            removed.add(gone);
            server.remove(root, gone);
            if (round % 5 == 0) {
                server.close();
                server = new TestServer(export, scratch.resolve("state"));
            }
        }
        names.removeAll(removed);
        assertThat(new HashSet<>(listed)).hasSameSizeAs(listed).containsAll(names);
    }

    @Test
    void aListingThatBeginsAfterAChangeSeesIt() throws Exception {
        for (int i = 0; i < 50; i++) {
            server.create(root, "f" + i);
            assertThat(server.readdir(root, 0, 65_536).entries()).hasSize(i + 3);
        }
        for (int i = 0; i < 50; i++) {
            Files.delete(export.resolve("f" + i));
            assertThat(server.readdir(root, 0, 65_536).entries()).hasSize(51 - i);
        }
    }

    @Test
    void aDirectoryIsEmptiedWhileItIsListed() throws Exception {
        make(2_000);
        long cookie = 0;
        boolean atEnd = false;
        while (!atEnd) {
            ReaddirResult page = server.readdir(root, cookie, 4_096);
            for (ReaddirResult.Entry entry : page.entries()) {
                cookie = entry.cookie();
                if (!entry.name().toString().startsWith(".")) {
                    assertThat(server.remove(root, entry.name().toString()).status())
                            .isEqualTo(NfsStatus.NFS3_OK);
                }
            }
            atEnd = page.atEnd();
        }
        assertThat(export).isEmptyDirectory();
    }

    @Test
    void aCookieThatNoEntryHasGoesOnBehindIt() throws Exception {
        make(100);
        List<ReaddirResult.Entry> all = server.readdir(root, 0, 65_536).entries();
        ReaddirResult.Entry tenth = all.get(10);
        assertThat(server.readdir(root, tenth.cookie() - 1, 65_536).entries().getFirst())
                .isEqualTo(tenth);
        assertThat(server.readdir(root, Long.MAX_VALUE, 65_536).entries()).isEmpty();
        assertThat(server.readdir(root, Long.MAX_VALUE, 65_536).atEnd()).isTrue();
        assertThat(server.readdir(root, -1, 65_536).status()).isEqualTo(NfsStatus.NFS3ERR_BAD_COOKIE);
    }

    @Test
    void onlyDirectoriesAreListed() throws Exception {
        FileHandle file = server.create(root, "f").object();
        assertThat(server.readdir(file, 0, 4_096).status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        assertThat(server.readdirplus(file, 0, 4_096).status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
    }
}
