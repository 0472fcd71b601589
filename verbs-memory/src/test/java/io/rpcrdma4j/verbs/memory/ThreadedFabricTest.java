package io.rpcrdma4j.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.VerbsProvider;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ThreadedFabricTest {

    private static MemoryFabric threaded() {
        return MemoryFabric.builder().build();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("time over the limit").isNegative();
            LockSupport.parkNanos(20_000);
        }
    }

    private static Pair connected(MemoryFabric fabric, AtomicReference<Runnable> onReceive) throws IOException {
        var pair = new Pair(fabric, queue -> {}, queue -> onReceive.get().run());
        await(() ->
                pair.accepted.get() != null && pair.client.queuePair.state() == io.rpcrdma4j.verbs.QueuePairState.RTS);
        return pair;
    }

    @Test
    void listenersRunOnTheThreadOfTheirVector() throws IOException {
        var name = new AtomicReference<String>();
        var action = new AtomicReference<Runnable>(
                () -> name.set(Thread.currentThread().getName()));
        try (var pair = connected(threaded(), action)) {
            assertThat(pair.server().receiveQueue.arm()).isFalse();
            pair.client.post(pair.client.send(1));
            await(() -> name.get() != null);
            assertThat(name.get()).isEqualTo(pair.serverDevice.attributes().name() + "-0");
        }
    }

    @Test
    void closeWaitsForAListenerThatIsRunning() throws Exception {
        var entered = new CountDownLatch(1);
        var leave = new CountDownLatch(1);
        var left = new AtomicBoolean();
        var action = new AtomicReference<Runnable>(() -> {
            entered.countDown();
            try {
                assertThat(leave.await(20, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            left.set(true);
        });
        try (var pair = connected(threaded(), action)) {
            assertThat(pair.server().receiveQueue.arm()).isFalse();
            pair.client.post(pair.client.send(1));
            assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
            pair.server().queuePair.close();
            var closed = new AtomicBoolean();
            Thread closer = Thread.ofPlatform().start(() -> {
                pair.server().receiveQueue.close();
                closed.set(left.get());
            });
            await(() -> closer.getState() == Thread.State.WAITING);
            leave.countDown();
            assertThat(closer.join(java.time.Duration.ofSeconds(20))).isTrue();
            assertThat(closed).as("close returned after the listener").isTrue();
        }
    }

    @Test
    void aListenerMayCloseItsConnectionAndItsDevice() throws IOException {
        var closed = new AtomicBoolean();
        var self = new AtomicReference<Pair>();
        var action = new AtomicReference<Runnable>(() -> {
            self.get().server().connection.close();
            self.get().serverDevice.close();
            closed.set(true);
        });
        try (var pair = connected(threaded(), action)) {
            self.set(pair);
            assertThat(pair.server().receiveQueue.arm()).isFalse();
            pair.client.post(pair.client.send(1));
            await(closed::get);
            await(() -> pair.client.has(ConnectionEvent.Disconnected.class));
        }
    }

    @Test
    void theProviderIsFoundByItsName() throws IOException {
        VerbsProvider provider = VerbsProvider.named("memory");
        assertThat(provider).isInstanceOf(MemoryProvider.class);
        Device device = provider.open(DeviceOptions.defaults().withCompletionVectors(3));
        assertThat(device.attributes().completionVectors()).isEqualTo(3);
        device.close();
    }
}
