package io.rpcrdma4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ManualTimersTest {
    private final ManualTimers timers = new ManualTimers();
    private final List<String> ran = new ArrayList<>();

    @Test
    void tasksRunInOrderOfTimeEachAtItsOwn() {
        timers.schedule(20, () -> ran.add("b at " + timers.nanoTime()));
        timers.schedule(10, () -> {
            ran.add("a at " + timers.nanoTime());
            timers.schedule(5, () -> ran.add("c at " + timers.nanoTime()));
        });
        timers.schedule(20, () -> ran.add("second b"));
        timers.schedule(30, () -> ran.add("too late"));
        timers.advance(25);
        assertThat(ran).containsExactly("a at 10", "c at 15", "b at 20", "second b");
        assertThat(timers.nanoTime()).isEqualTo(25);
        assertThat(timers.pending()).isEqualTo(1);
    }

    @Test
    void whatIsCalledOffDoesNotRun() {
        Timers.Cancellable alarm = timers.schedule(-5, () -> ran.add("no"));
        alarm.cancel();
        alarm.cancel();
        timers.advance(0);
        assertThat(ran).isEmpty();
        assertThat(timers.pending()).isZero();
    }

    @Test
    void theTimersOfTheSystemRunAndAreCalledOff() throws InterruptedException {
        Timers system = Timers.system();
        CountDownLatch done = new CountDownLatch(1);
        system.schedule(TimeUnit.HOURS.toNanos(1), () -> ran.add("no")).cancel();
        system.schedule(0, () -> {
            throw new IllegalStateException("a task that fails stops no other");
        });
        long before = system.nanoTime();
        system.schedule(1_000_000, done::countDown);
        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(system.nanoTime() - before).isGreaterThanOrEqualTo(1_000_000);
        assertThat(ran).isEmpty();
    }
}
