package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Polling, arming and overflowing. */
abstract class CompletionQueueContract extends VerbsContract {

    @Test
    void aFreshQueueIsEmptyAndNotArmed() throws IOException {
        var calls = new AtomicInteger();
        Link link = connect(new EndSpec(), new EndSpec().onReceive(queue -> calls.incrementAndGet()));
        exchange(link);
        exchange(link);
        assertThat(calls).hasValue(0);
    }

    @Test
    void anArmedQueueCallsItsListenerOnceAtTheNextCompletion() throws IOException {
        var calls = new AtomicInteger();
        Link link = connect(new EndSpec(), new EndSpec().onReceive(queue -> calls.incrementAndGet()));
        assertThat(link.passive().receiveQueue.arm()).isFalse();
        for (int i = 0; i < 5; i++) {
            exchange(link);
        }
        await("the call", () -> calls.get() > 0);
        assertThat(calls).hasValue(1);
        assertThat(link.passive().receiveQueue.arm()).isFalse();
        exchange(link);
        await("the second call", () -> calls.get() > 1);
        assertThat(calls).hasValue(2);
    }

    @Test
    void armTellsOfCompletionsThatAreThereAlready() throws IOException {
        Link link = connect();
        End from = link.active();
        from.post(from.send(1, 0, 10));
        from.post(from.send(2, 0, 10));
        await("a completion on the queue", () -> from.sendQueue.arm());
        nextSent(from, 2).forEach(done -> done.succeeded(Opcode.SEND));
        assertThat(from.sendQueue.arm()).isFalse();
    }

    /** Consumer and producer race; the consumer only ever waits for its listener. B16, B27. */
    @Test
    void noWakeUpIsLostWhenArmAndArrivalRace() throws IOException {
        int messages = 3_000;
        var signal = new AtomicBoolean();
        Link link = connect(
                new EndSpec(),
                new EndSpec()
                        .receiveDepth(messages)
                        .receives(messages, 4)
                        .completionDepth(messages + 10)
                        .onReceive(queue -> signal.set(true)));
        End from = link.active();
        CompletionQueue queue = link.passive().receiveQueue;
        WorkCompletion[] batch = WorkCompletion.batch(3);
        int received = 0;
        int sent = 0;
        int outstanding = 0;
        while (received < messages) {
            while (sent < messages && outstanding < 8) {
                from.post(from.send(sent++, 0, 4));
                outstanding++;
            }
            int polled = queue.poll(batch);
            received += polled;
            if (received == sent && outstanding > 0) {
                await("Send completions after " + sent, () -> {
                    from.poll();
                    return !from.sent.isEmpty();
                });
            } else if (polled == 0 && !queue.arm()) {
                await("the listener's call after " + received, () -> signal.getAndSet(false));
            }
            from.poll();
            outstanding -= from.sent.size();
            from.sent.clear();
        }
    }

    @Test
    void theListenerIsCalledAtMostOnceForEachArm() throws IOException {
        var calls = new AtomicInteger();
        Link link = connect(
                new EndSpec(),
                new EndSpec()
                        .receiveDepth(1000)
                        .receives(1000, 4)
                        .completionDepth(2000)
                        .onReceive(q -> calls.incrementAndGet()));
        int arms = 0;
        for (int i = 0; i < 900; i++) {
            if (i % 3 == 0) {
                boolean _ = link.passive().receiveQueue.arm();
                arms++;
            }
            link.active().post(link.active().send(i, 0, 4));
            nextSent(link.active());
            assertThat(calls.get()).isLessThanOrEqualTo(arms);
        }
        nextReceived(link.passive(), 900);
    }

    @Test
    void aListenerMayPollAndArmItsQueue() throws IOException {
        var received = new AtomicInteger();
        WorkCompletion[] batch = WorkCompletion.batch(4);
        Link link = connect(
                new EndSpec(), new EndSpec().receiveDepth(200).receives(200, 4).onReceive(queue -> {
                            do {
                                int count = queue.poll(batch);
                                while (count > 0) {
                                    received.addAndGet(count);
                                    count = queue.poll(batch);
                                }
                            } while (queue.arm());
                        }));
        assertThat(link.passive().receiveQueue.arm()).isFalse();
        for (int i = 0; i < 200; i++) {
            link.active().post(link.active().send(i, 0, 4));
            nextSent(link.active());
        }
        await("all messages, got " + received, () -> received.get() == 200);
    }

    @Test
    void pollFillsNoMoreThanItIsGiven() throws IOException {
        Link link = connect();
        for (int i = 0; i < 5; i++) {
            link.active().post(link.active().send(i, 0, 4));
        }
        WorkCompletion[] two = WorkCompletion.batch(2);
        var taken = new AtomicInteger();
        await("five completions", () -> {
            int count = link.active().sendQueue.poll(two);
            assertThat(count).isBetween(0, 2);
            for (int i = 0; i < count; i++) {
                assertThat(two[i].id()).isEqualTo(taken.getAndIncrement());
            }
            return taken.get() == 5;
        });
        assertThat(link.active().sendQueue.poll(new WorkCompletion[0])).isZero();
    }

    @Test
    void anOverflowIsFatalToTheQueuePairsBehindTheQueue() throws IOException {
        Link link = connect(
                new EndSpec(),
                new EndSpec().completionDepth(4).receiveDepth(4000).receives(4000, 4));
        End to = link.passive();
        int depth = to.receiveQueue.depth();
        assertThat(depth).isBetween(4, 3900);
        int sent = 0;
        while (sent <= depth && link.active().queuePair.postSend(link.active().send(sent, 0, 4)) == null) {
            sent++;
            nextSent(link.active());
        }
        awaitDisconnected(to);
        assertThat(to.receiveQueue.isOverflown()).isTrue();
        awaitDisconnected(link.active());
    }

    @Test
    void aQueueThatIsFullToTheBrimHasNotOverflown() throws IOException {
        Link link = connect(
                new EndSpec(),
                new EndSpec().completionDepth(4).receiveDepth(4000).receives(4000, 4));
        int depth = link.passive().receiveQueue.depth();
        for (int i = 0; i < depth; i++) {
            link.active().post(link.active().send(i, 0, 4));
            nextSent(link.active()).succeeded(Opcode.SEND);
        }
        nextReceived(link.passive(), depth);
        assertThat(link.passive().receiveQueue.isOverflown()).isFalse();
        exchange(link.active(), link.passive());
    }

    @Test
    void aQueueInUseIsNotClosed() throws IOException {
        Link link = connect();
        assertThatIllegalStateException().isThrownBy(link.active().sendQueue::close);
        assertThatIllegalStateException().isThrownBy(link.active().receiveQueue::close);
        exchange(link);
    }

    @Test
    void depthAndVectorAreChecked() throws IOException {
        Device device = openDevice(DeviceOptions.defaults().withCompletionVectors(2));
        assertThat(device.attributes().completionVectors()).isEqualTo(2);
        assertThatIllegalArgumentException().isThrownBy(() -> device.createCompletionQueue(0, 0, queue -> {}));
        assertThatIllegalArgumentException().isThrownBy(() -> device.createCompletionQueue(1, 2, queue -> {}));
        assertThatIllegalArgumentException().isThrownBy(() -> device.createCompletionQueue(1, -1, queue -> {}));
        CompletionQueue queue = device.createCompletionQueue(1, 1, q -> {});
        assertThat(queue.depth()).isPositive();
        queue.close();
        queue.close();
    }
}
