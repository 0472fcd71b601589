package io.rpcrdma4j.rpcrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Send-queue entries: the invariant, the order of the line, and that nobody is forgotten. */
final class SendQueueEntriesTest {

    private static class Taker implements SendQueueEntries.Waiter {

        final int needed;
        int granted;
        int refused;

        Taker(int needed) {
            this.needed = needed;
        }

        @Override
        public int entriesNeeded() {
            return needed;
        }

        @Override
        public void onEntriesGranted() {
            granted++;
        }

        @Override
        public void onQueueClosed() {
            refused++;
        }
    }

    @Test
    void entriesAreTakenWhileThereAreSomeAndThenWaitedFor() {
        var entries = new SendQueueEntries(4);
        assertThat(entries.take(new Taker(3))).isEqualTo(SendQueueEntries.Outcome.TAKEN);
        var waiter = new Taker(2);
        assertThat(entries.take(waiter)).isEqualTo(SendQueueEntries.Outcome.WAITING);
        assertThat(entries.starvations()).isEqualTo(1);
        entries.giveBack(3);
        assertThat(waiter.granted).isEqualTo(1);
        assertThat(entries.available()).isEqualTo(2);
        entries.giveBack(2);
        assertThat(entries.available()).isEqualTo(4);
    }

    @Test
    void whatCanNeverBeSatisfiedIsRefusedAtOnce() {
        var entries = new SendQueueEntries(4);
        assertThat(entries.take(new Taker(5))).isEqualTo(SendQueueEntries.Outcome.TOO_MANY);
        assertThat(entries.take(new Taker(4))).isEqualTo(SendQueueEntries.Outcome.TAKEN);
    }

    @Test
    void b26AWaiterIsSentAwayByTheCloseAndNobodyGetsEntriesAfterIt() {
        var entries = new SendQueueEntries(4);
        entries.take(new Taker(4));
        List<Taker> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiters.add(new Taker(1 + i % 4));
            entries.take(waiters.get(i));
        }
        entries.close();
        entries.giveBack(4);
        assertThat(entries.take(new Taker(1))).isEqualTo(SendQueueEntries.Outcome.CLOSED);
        assertThat(waiters).allSatisfy(waiter -> {
            assertThat(waiter.granted).isZero();
            assertThat(waiter.refused).isEqualTo(1);
        });
        entries.close();
        assertThat(waiters).allSatisfy(waiter -> assertThat(waiter.refused).isEqualTo(1));
        assertThat(entries.waiting()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void b27NoSenderWaitsForEverHoweverTheyRace(int depth) throws Exception {
        int senders = 4;
        int rounds = 5_000;
        var entries = new SendQueueEntries(depth);
        var done = new CountDownLatch(senders);
        for (int i = 0; i < senders; i++) {
            int needed = 1 + i % depth;
            Thread.ofPlatform().daemon().start(() -> {
                var turn = new Semaphore(0);
                var taker = new Taker(needed) {
                    @Override
                    public void onEntriesGranted() {
                        turn.release();
                    }
                };
                for (int round = 0; round < rounds; round++) {
                    if (entries.take(taker) == SendQueueEntries.Outcome.WAITING) {
                        turn.acquireUninterruptibly();
                    }
                    entries.giveBack(needed);
                }
                done.countDown();
            });
        }
        assertThat(done.await(20, TimeUnit.SECONDS))
                .as("all senders are through; %d wait, %d entries available", entries.waiting(), entries.available())
                .isTrue();
        assertThat(entries.available()).isEqualTo(depth);
        assertThat(entries.waiting()).isZero();
    }

    @Test
    void b28ABigRequestIsServedBeforeThoseBehindIt() {
        var entries = new SendQueueEntries(64);
        ArrayDeque<Taker> holders = new ArrayDeque<>();
        for (int i = 0; i < 64; i++) {
            holders.add(new Taker(1));
            entries.take(holders.getLast());
        }
        var big = new Taker(32);
        entries.take(big);
        List<Taker> small = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            small.add(new Taker(1));
            entries.take(small.get(i));
        }
        for (int i = 1; i <= 32; i++) {
            assertThat(big.granted)
                    .as("after %d of 32 entries came back", i - 1)
                    .isZero();
            assertThat(small).allSatisfy(taker -> assertThat(taker.granted).isZero());
            entries.giveBack(1);
        }
        assertThat(big.granted).isEqualTo(1);
        entries.giveBack(8);
        assertThat(small).allSatisfy(taker -> assertThat(taker.granted).isEqualTo(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void b28WaitersAreServedInTheOrderOfTheirArrival(long seed) {
        var random = new SplittableRandom(seed);
        int depth = 1 + random.nextInt(16);
        var entries = new SendQueueEntries(depth);
        List<Integer> arrived = new ArrayList<>();
        List<Integer> served = new ArrayList<>();
        ArrayDeque<Integer> held = new ArrayDeque<>();
        for (int i = 0; i < 2_000; i++) {
            if (random.nextBoolean() || held.isEmpty()) {
                int number = i;
                int needed = 1 + random.nextInt(depth);
                var taker = new Taker(needed) {
                    @Override
                    public void onEntriesGranted() {
                        served.add(number);
                        held.add(needed);
                    }
                };
                switch (entries.take(taker)) {
                    case TAKEN -> held.add(needed);
                    case WAITING -> arrived.add(number);
                    case TOO_MANY, CLOSED -> throw new AssertionError("seed " + seed);
                }
            } else {
                entries.giveBack(held.removeFirst());
            }
            assertThat(entries.available()).as("seed %d", seed).isBetween(0, depth);
        }
        while (!held.isEmpty()) {
            entries.giveBack(held.removeFirst());
        }
        assertThat(served).as("seed %d", seed).isEqualTo(arrived);
        assertThat(entries.available()).isEqualTo(depth);
    }

    @Test
    void b29EntriesThatComeBackTwiceAreNoticed() {
        var entries = new SendQueueEntries(4);
        entries.take(new Taker(3));
        entries.giveBack(3);
        assertThatThrownBy(() -> entries.giveBack(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingWhileOthersTakeAndGiveBackLosesNobody() throws Exception {
        for (int round = 0; round < 200; round++) {
            var entries = new SendQueueEntries(2);
            var started = new AtomicInteger();
            var ended = new AtomicInteger();
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < 3; i++) {
                threads.add(Thread.ofPlatform().daemon().start(() -> {
                    for (int k = 0; k < 20; k++) {
                        var taker = new Taker(2) {
                            @Override
                            public void onEntriesGranted() {
                                ended.incrementAndGet();
                                entries.giveBack(2);
                            }

                            @Override
                            public void onQueueClosed() {
                                ended.incrementAndGet();
                            }
                        };
                        started.incrementAndGet();
                        switch (entries.take(taker)) {
                            case TAKEN -> {
                                ended.incrementAndGet();
                                entries.giveBack(2);
                            }
                            case CLOSED -> ended.incrementAndGet();
                            case WAITING -> {}
                            case TOO_MANY -> throw new AssertionError();
                        }
                    }
                }));
            }
            entries.close();
            for (Thread thread : threads) {
                assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
            }
            assertThat(ended.get()).isEqualTo(started.get());
            assertThat(entries.available()).isEqualTo(2);
        }
    }
}
