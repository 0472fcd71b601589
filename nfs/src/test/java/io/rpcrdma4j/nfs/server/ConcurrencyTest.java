package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.ReaddirResult;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.StableHow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many clients at once: each sees its own work as if it were alone. */
class ConcurrencyTest {
    private static final int THREADS = 4;
    private static final long SEED = Long.getLong("test.seed", 11);

    @TempDir
    Path scratch;

    @Test
    void clientsDoNotDisturbEachOther() throws Exception {
        Path export = Files.createDirectory(scratch.resolve("export"));
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (TestServer server = new TestServer(export, scratch.resolve("state"))) {
            FileHandle root = server.root();
            FileHandle shared = server.mkdir(root, "shared").object();
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                String name = "client" + i;
                long seed = SEED + i;
                clients.add(threads.submit(() -> {
                    work(server, root, shared, name, new SplittableRandom(seed));
                    return null;
                }));
            }
            for (Future<?> client : clients) {
                client.get(60, TimeUnit.SECONDS);
            }
            assertThat(server.readdir(shared, 0, 65_536).entries()).hasSize(2);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Files in a directory of its own, which is renamed all the time, and in one that all share. */
    private static void work(
            TestServer server, FileHandle root, FileHandle shared, String name, SplittableRandom random)
            throws Exception {
        String what = name + " seed " + SEED;
        String own = name;
        FileHandle directory = server.mkdir(root, own).object();
        for (int round = 0; round < 60; round++) {
            String fileName = "f" + random.nextInt(5);
            byte[] data = new byte[random.nextInt(10_000)];
            random.nextBytes(data);
            FileHandle file = server.create(directory, fileName, new CreateHow.Unchecked(Sattr3.ofSize(0)))
                    .object();
            assertThat(server.write(file, 0, data, StableHow.UNSTABLE).status())
                    .as(what)
                    .isEqualTo(NfsStatus.NFS3_OK);
            String next = name + "-" + round;
            assertThat(server.rename(root, own, root, next).status()).as(what).isEqualTo(NfsStatus.NFS3_OK);
            own = next;
            String sharedName = name + "." + round;
            assertThat(server.rename(directory, fileName, shared, sharedName).status())
                    .as(what)
                    .isEqualTo(NfsStatus.NFS3_OK);
            assertThat(server.read(file, 0, 10_000).bytes()).as(what).isEqualTo(data);
            assertThat(names(server, shared)).as(what).contains(sharedName);
            assertThat(server.commit(file).status()).as(what).isEqualTo(NfsStatus.NFS3_OK);
            assertThat(server.remove(shared, sharedName).status()).as(what).isEqualTo(NfsStatus.NFS3_OK);
            assertThat(server.getattr(file).status()).as(what).isEqualTo(NfsStatus.NFS3ERR_STALE);
        }
        assertThat(server.rmdir(root, own).status()).as(what).isEqualTo(NfsStatus.NFS3_OK);
    }

    private static Set<String> names(TestServer server, FileHandle directory) throws Exception {
        Set<String> names = new HashSet<>();
        long cookie = 0;
        boolean atEnd = false;
        while (!atEnd) {
            ReaddirResult page = server.readdir(directory, cookie, 512);
            for (ReaddirResult.Entry entry : page.entries()) {
                cookie = entry.cookie();
                names.add(entry.name().toString());
            }
            atEnd = page.atEnd();
        }
        return names;
    }
}
