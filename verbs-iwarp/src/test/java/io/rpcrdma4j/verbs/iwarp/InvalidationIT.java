package io.rpcrdma4j.verbs.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** An exposure that ends while the peer is at it. */
class InvalidationIT {

    private static final int BYTES = 1 << 20;
    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[BYTES]);

    private static void post(Pair.End end, SendRequest request) {
        assertThat(end.queuePair.postSend(request)).isNull();
    }

    @Test
    void whenInvalidateReturnsNoByteIsPlacedAnyMore() throws Exception {
        for (long seed = 1; seed <= 25; seed++) {
            var random = new SplittableRandom(seed);
            try (Pair pair = new Pair(seed % 2 == 0 ? Map.of() : Map.of(Settings.CRC, "off")).accept()) {
                MemoryRegion target = pair.client.region(BYTES);
                MemoryRegion source = pair.server.region(BYTES);
                source.segment().fill((byte) 1);
                MemoryWindow window = pair.client.domain.allocateWindow();
                window.bind(pair.client.queuePair, target, 0, BYTES, Access.REMOTE_WRITE);
                post(pair.client, new SendRequest(0).write(0, 0));
                for (int i = 0; i < 20; i++) {
                    post(
                            pair.server,
                            new SendRequest(1)
                                    .write(window.key(), window.address())
                                    .segment(source, 0, BYTES));
                }
                long spin = random.nextLong(3_000_000);
                long start = System.nanoTime();
                while (System.nanoTime() - start < spin) {
                    Thread.onSpinWait();
                }
                window.invalidate();
                target.segment().fill((byte) 0);
                assertThat(target.segment().mismatch(ZEROS)).isEqualTo(-1);
                post(
                        pair.server,
                        new SendRequest(1).write(window.key(), window.address()).segment(source, 0, BYTES));
                // What is on its way is refused, and ends the connection; until then nothing may land.
                pair.client.event(ConnectionEvent.Disconnected.class);
                assertThat(target.segment().mismatch(ZEROS)).as("seed %d", seed).isEqualTo(-1);
                window.close();
            }
        }
    }

    @Test
    void aRegionThatIsClosedUnderThePeerHurtsNobody() throws Exception {
        for (int i = 0; i < 10; i++) {
            try (Pair pair = new Pair(Map.of()).accept()) {
                MemoryRegion target = pair.client.domain.allocate(BYTES, Pair.ALL);
                MemoryRegion source = pair.server.region(BYTES);
                int key = target.remoteKey();
                long address = target.remoteAddress();
                post(pair.client, new SendRequest(0).write(0, 0));
                for (int j = 0; j < 20; j++) {
                    post(pair.server, new SendRequest(1).write(key, address).segment(source, 0, BYTES));
                }
                target.close();
                post(pair.server, new SendRequest(1).write(key, address).segment(source, 0, BYTES));
                pair.client.event(ConnectionEvent.Disconnected.class);
            }
        }
    }

    @Test
    @SuppressWarnings("MustBeClosed") // closed in the midst, that is the point
    void memoryOfTheCallerThatIsFreedUnderAReceiveEndsTheConnectionOnly() throws Exception {
        try (Pair pair = new Pair(Map.of()).accept()) {
            Arena arena = Arena.ofShared();
            MemoryRegion target = pair.client.domain.register(arena.allocate(100), Access.LOCAL_WRITE);
            pair.client.receive(1, target, 0, 100);
            post(pair.client, new SendRequest(0).write(0, 0));
            arena.close();
            MemoryRegion source = pair.server.region(100);
            post(pair.server, new SendRequest(1).segment(source, 0, 100));
            assertThat(pair.client.event(ConnectionEvent.Disconnected.class).reason())
                    .contains("registered memory is gone");
            target.close();
        }
    }
}
