package io.rpcrdma4j.verbs.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.SendRequest;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many connections, one after the other or cut at random: nothing is left behind. */
class ManyConnectionsIT {

    private static int descriptors() {
        String[] names = new File("/proc/self/fd").list();
        return names == null ? 0 : names.length;
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("iwarp-"))
                .count();
    }

    private static void awaitAtMost(String what, java.util.function.LongSupplier value, long most) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (value.getAsLong() > most) {
            assertThat(System.nanoTime())
                    .as("%s: %d, more than %d", what, value.getAsLong(), most)
                    .isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void twoHundredConnectionsInARowLeaveNothingBehind() throws Exception {
        new Pair(Map.of()).accept().close();
        int descriptors = descriptors();
        long threads = threads();
        try (Pair pair = new Pair(Map.of()).accept()) {
            int open = descriptors();
            for (int i = 0; i < 200; i++) {
                var link = pair.another();
                assertThat(link.client().queuePair.postSend(new SendRequest(1).signaled(true)))
                        .isNull();
                assertThat(link.server().completion().isSuccess()).isTrue();
                if (i % 3 == 0) {
                    link.client().connection.disconnect();
                    link.client().event(ConnectionEvent.Disconnected.class);
                }
                link.client().connection.close();
                link.server().event(ConnectionEvent.Disconnected.class);
                link.server().connection.close();
            }
            awaitAtMost("connections", () -> pair.server.device.connectionCount(), 1);
            awaitAtMost("connections", () -> pair.client.device.connectionCount(), 1);
            awaitAtMost("descriptors", ManyConnectionsIT::descriptors, open);
        }
        awaitAtMost("descriptors", ManyConnectionsIT::descriptors, descriptors);
        awaitAtMost("threads", ManyConnectionsIT::threads, threads);
    }

    @Test
    void connectionsCutAtAnyMomentGiveEverythingBack() throws Exception {
        for (long seed = 1; seed <= 30; seed++) {
            var random = new SplittableRandom(seed);
            try (Pair pair = new Pair(Map.of(Settings.MOVE_BYTES_MAX, Long.toString(-seed))).accept()) {
                MemoryRegion from = pair.client.region(300_000);
                MemoryRegion to = pair.server.region(300_000);
                for (int i = 0; i < 20; i++) {
                    pair.server.receive(i, to, 0, 1000);
                    pair.client.receive(i, from, 0, 1000);
                }
                int posts = 1 + random.nextInt(20);
                List<SendRequest> posted = new ArrayList<>();
                for (int i = 0; i < posts; i++) {
                    var request = new SendRequest(1).identity(i, null).signaled(true);
                    int bytes = random.nextInt(1 << random.nextInt(1, 18));
                    switch (random.nextInt(3)) {
                        case 0 -> request.segment(from, 0, Math.min(1000, bytes));
                        case 1 ->
                            request.write(to.remoteKey(), to.remoteAddress()).segment(from, 0, bytes);
                        default ->
                            request.read(to.remoteKey(), to.remoteAddress()).segment(from, 0, bytes);
                    }
                    assertThat(pair.client.queuePair.postSend(request)).isNull();
                    posted.add(request);
                }
                Pair.End cutter = random.nextBoolean() ? pair.client : pair.server;
                switch (random.nextInt(3)) {
                    case 0 -> cutter.connection.disconnect();
                    case 1 -> cutter.device.breakConnections();
                    default -> cutter.queuePair.toError();
                }
                pair.client.event(ConnectionEvent.Disconnected.class);
                pair.server.event(ConnectionEvent.Disconnected.class);
                long next = 0;
                for (int i = 0; i < posted.size() + 20; i++) {
                    var done = pair.client.completion();
                    if (done.opcode() != io.rpcrdma4j.verbs.Opcode.RECEIVE) {
                        assertThat(done.id()).as("seed %d", seed).isEqualTo(next++);
                    }
                }
                assertThat(next).as("seed %d", seed).isEqualTo(posted.size());
                for (int i = 0; i < 20; i++) {
                    assertThat(pair.server.completion().id())
                            .as("seed %d", seed)
                            .isEqualTo(i);
                }
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }
}
