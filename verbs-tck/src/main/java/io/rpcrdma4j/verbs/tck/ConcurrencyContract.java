package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.SendRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Several threads on one queue pair, several connections at once, and a random mix of everything. */
abstract class ConcurrencyContract extends VerbsContract {

    private static final int THREADS = 4;

    @Test
    void fourThreadsPostChainsThatAreNotInterleaved() throws IOException {
        int chains = 50;
        int links = 3;
        int all = THREADS * chains * links;
        Link link = connect(
                new EndSpec().sendDepth(all).completionDepth(all + 10),
                new EndSpec().receiveDepth(all).receives(all, 16).completionDepth(all + 10));
        End from = link.active();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            threads.add(Thread.ofPlatform().name("poster-" + t).start(() -> {
                try {
                    for (int c = 0; c < chains; c++) {
                        postChain(from, (thread * chains + c) * links, links);
                    }
                } catch (RuntimeException | AssertionError e) {
                    failures.add(e);
                }
            }));
        }
        List<Done> sent = nextSent(from, all);
        for (int i = 0; i < all; i += links) {
            for (int k = 0; k < links; k++) {
                assertThat(sent.get(i + k).succeeded(Opcode.SEND).id())
                        .isEqualTo(sent.get(i).id() + k);
            }
        }
        nextReceived(link.passive(), all).forEach(done -> done.succeeded(Opcode.RECEIVE));
        await("posters ended", () -> threads.stream().noneMatch(Thread::isAlive));
        assertThat(failures).isEmpty();
    }

    private static void postChain(End from, int firstId, int links) {
        SendRequest next = null;
        for (int k = links - 1; k >= 0; k--) {
            next = from.send(firstId + k, 0, 8).next(next);
        }
        assertThat(next).isNotNull();
        if (next != null) {
            from.post(next);
        }
    }

    @Test
    void threadsThatRepostReceivesWhileMessagesArriveLoseNone() throws IOException {
        int messages = 2_000;
        Link link = connect(
                new EndSpec().sendDepth(64),
                new EndSpec().receiveDepth(128).receives(128, 16).completionDepth(1000));
        End from = link.active();
        End to = link.passive();
        int received = 0;
        int next = 0;
        int sent = 0;
        int inFlight = 0;
        while (received < messages) {
            while (sent < messages && inFlight < 64 && sent - received < 64) {
                from.post(from.send(sent++, 0, 16));
                inFlight++;
            }
            await("progress", () -> {
                from.poll();
                to.poll();
                return !from.sent.isEmpty() || !to.received.isEmpty();
            });
            inFlight -= from.sent.size();
            from.sent.forEach(done -> done.succeeded(Opcode.SEND));
            from.sent.clear();
            for (Done done : to.received) {
                done.succeeded(Opcode.RECEIVE);
                assertThat(done.id()).isEqualTo(next++ % 128);
                to.postReceive(done.id(), done.id() * 16, 16);
                received++;
            }
            to.received.clear();
        }
    }

    @Test
    void manyConnectionsToOneListenerWorkIndependently() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec().small().receives(4, 1024));
        Device client = openDevice();
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            links.add(connect(client, acceptor, new EndSpec().small().receives(4, 1024)));
        }
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < links.size(); i++) {
                End from = links.get(i).active();
                Patterns.fill(from.data.segment(), 0, 1000, i);
                from.post(from.send(round, 0, 1000));
            }
            for (int i = 0; i < links.size(); i++) {
                Done done = nextReceived(links.get(i).passive()).succeeded(Opcode.RECEIVE);
                Patterns.check(links.get(i).passive().inbox.segment(), done.id() * 1024, 1000, i);
            }
        }
        links.get(3).active().queuePair.toError();
        links.get(5).passive().closeConnection();
        awaitDisconnected(links.get(3).passive());
        awaitDisconnected(links.get(5).active());
        exchange(links.get(4));
        exchange(links.get(11));
    }

    /** Posts from several threads while the connection ends: each posted request completes once, in order. */
    @Test
    void everyRequestCompletesOnceThoughTheConnectionEndsInTheMiddle() throws IOException {
        SplittableRandom random = Seeds.random(getClass());
        for (int round = 0; round < 10; round++) {
            int perThread = 100;
            Link link = connect(
                    new EndSpec().small().sendDepth(1000).completionDepth(2000),
                    new EndSpec().small().receiveDepth(500).receives(500, 16).completionDepth(2000));
            End from = link.active();
            MemoryWindow window = link.passive().expose(0, 1000, Access.REMOTE_READ | Access.REMOTE_WRITE);
            int key = window.key();
            long address = window.address();
            var posted = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                int thread = t;
                threads.add(Thread.ofPlatform().name("poster-" + t).start(() -> {
                    for (int i = 0; i < perThread; i++) {
                        int id = thread * perThread + i;
                        SendRequest request = switch (i % 3) {
                            case 0 -> from.send(id, 0, 8);
                            case 1 -> from.write(id, 0, 8, key, address);
                            default -> from.read(id, 500, 8, key, address);
                        };
                        from.post(request);
                        posted.incrementAndGet();
                    }
                }));
            }
            int endAt = random.nextInt(THREADS * perThread);
            await("some posted", () -> posted.get() >= endAt);
            switch (round % 4) {
                case 0 -> from.connection.disconnect();
                case 1 -> link.passive().connection.disconnect();
                case 2 -> from.queuePair.toError();
                default -> link.passive().closeConnection();
            }
            assertEachOnceInOrder(nextSent(from, THREADS * perThread), perThread);
            await("posters ended", () -> threads.stream().noneMatch(Thread::isAlive));
            awaitDisconnected(from);
            from.poll();
            assertThat(from.sent).isEmpty();
        }
    }

    private static void assertEachOnceInOrder(List<Done> sent, int perThread) {
        Map<Long, Long> lastOfThread = new HashMap<>();
        boolean failed = false;
        for (Done done : sent) {
            Long before = lastOfThread.put(done.id() / perThread, done.id() % perThread);
            assertThat(done.id() % perThread).isEqualTo(before == null ? 0 : before + 1);
            if (failed) {
                assertThat(done.status()).isEqualTo(CompletionStatus.FLUSHED);
            }
            failed |= done.status() != CompletionStatus.SUCCESS;
        }
        assertThat(lastOfThread.values()).containsOnly((long) perThread - 1);
    }
}
