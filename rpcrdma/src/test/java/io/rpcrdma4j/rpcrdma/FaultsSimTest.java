package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import io.rpcrdma4j.verbs.memory.Fault;
import io.rpcrdma4j.verbs.memory.FaultPlan;
import io.rpcrdma4j.verbs.memory.FaultPoint;
import io.rpcrdma4j.verbs.memory.FaultSite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Real server and client transports under faults drawn from a seed. Checked: each call ends once, with the right bytes
 * or a failure that says so; every page, context and key comes home ({@link Bench#close}); and it ends.
 *
 * <p>{@code -Dtest.seed=N} runs one seed, {@code -Dtest.seeds=N} as many.
 */
final class FaultsSimTest {

    private static final int CALLS = 40;

    static LongStream seeds() {
        String one = System.getProperty("test.seed");
        return one == null
                ? LongStream.rangeClosed(1, Long.getLong("test.seeds", 2000))
                : LongStream.of(Long.parseLong(one));
    }

    @ParameterizedTest(name = "-Dtest.seed={0}")
    @MethodSource("seeds")
    void everythingComesHomeUnderFaults(long seed) throws Exception {
        var random = new SplittableRandom(seed);
        TransportOptions server = TransportOptions.defaults()
                .withCredits(1 + random.nextInt(32))
                .withSendQueueDepth(random.nextBoolean() ? 16 : 4096);
        TransportOptions client = TransportOptions.defaults().withCredits(1 + random.nextInt(32));
        try (var bench = new Bench(ExecutionMode.STEPPED, seed, server, client, 1 + random.nextInt(2))) {
            bench.run(ExerciseCall.ofNull());
            bench.fabric.setFaults(new RandomFaults(random.split(), random.nextInt(8), random.nextInt(1, 400)));
            List<ExerciseCall> calls = new ArrayList<>();
            List<PayloadBuffer> sinks = new ArrayList<>();
            List<BooleanSupplier> checks = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                start(bench, random, i, calls, sinks, checks);
                for (int step = random.nextInt(20); step > 0; step--) {
                    bench.fabric.step();
                }
            }
            runToTheEnd(bench, calls);
            for (int i = 0; i < CALLS; i++) {
                check(i, calls.get(i), checks.get(i));
            }
            bench.fabric.setFaults(site -> null);
            sinks.forEach(PayloadBuffer::release);
        }
    }

    private static void start(
            Bench bench,
            SplittableRandom random,
            int number,
            List<ExerciseCall> calls,
            List<PayloadBuffer> sinks,
            List<BooleanSupplier> checks) {
        int size = random.nextInt(3) == 0 ? random.nextInt(200_000) : random.nextInt(6_000);
        ExerciseCall call;
        BooleanSupplier check;
        try {
            switch (random.nextInt(4)) {
                case 0 -> {
                    PayloadBuffer sink = bench.client.memory().allocate(size);
                    sinks.add(sink);
                    call = ExerciseCall.generate(size, number, sink);
                    byte[] expected = ExerciseProgram.bytes(size, number);
                    ExerciseCall made = call;
                    check = () -> Arrays.equals((byte[]) made.result(), expected);
                }
                case 1 -> {
                    PayloadBuffer payload = bench.client.memory().allocate(size);
                    ExerciseProgram.fill(payload.segment(), size, number);
                    call = ExerciseCall.checksum(payload, size, number);
                    String expected = ExerciseCall.checksumOf(ExerciseProgram.bytes(size, number)) + ":" + number;
                    ExerciseCall made = call;
                    check = () -> made.result().equals(expected);
                }
                case 2 -> {
                    call = ExerciseCall.text(size, number);
                    byte[] expected = ExerciseProgram.bytes(size, number);
                    ExerciseCall made = call;
                    check = () -> Arrays.equals((byte[]) made.result(), expected);
                }
                default -> {
                    byte[] text = ExerciseProgram.bytes(size, number);
                    call = ExerciseCall.longCall(text);
                    ExerciseCall made = call;
                    check = () -> made.result().equals(ExerciseCall.checksumOf(text));
                }
            }
        } catch (RpcResourceException e) {
            call = ExerciseCall.ofNull();
            check = () -> true;
        }
        call.resend(random.nextInt(4) != 0);
        calls.add(call);
        checks.add(check);
        bench.client.start(call);
        if (random.nextInt(10) == 0) {
            call.cancel();
        }
    }

    /**
     * Steps the fabric and its clock, and the transports' clock when nothing else is to do, until all calls are over.
     */
    private static void runToTheEnd(Bench bench, List<ExerciseCall> calls) {
        long rounds = 0;
        while (!calls.stream().allMatch(ExerciseCall::isDone)) {
            if (bench.fabric.runUntilIdle() == 0) {
                bench.fabric.advance(Duration.ofMillis(20));
                bench.manualTimers.advance(Duration.ofMillis(20).toNanos());
            }
            assertThat(rounds++)
                    .as("rounds without an end; under way: %s", underWay(calls))
                    .isLessThan(20_000);
        }
    }

    private static List<Integer> underWay(List<ExerciseCall> calls) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            if (!calls.get(i).isDone()) {
                numbers.add(i);
            }
        }
        return numbers;
    }

    private static void check(int number, ExerciseCall call, BooleanSupplier check) {
        assertThat(call.ends()).isEqualTo(1);
        RpcException failure = call.failure();
        if (failure == null) {
            assertThat(check.getAsBoolean())
                    .as("right result of call %d, procedure %d", number, call.procedure())
                    .isTrue();
        } else {
            assertThat(failure.kind())
                    .as("call %d, procedure %d: %s", number, call.procedure(), failure.getMessage())
                    .isIn(
                            RpcException.Kind.CONNECT_FAILED,
                            RpcException.Kind.TRANSPORT_LOST,
                            RpcException.Kind.CANCELLED,
                            RpcException.Kind.NOT_SENT,
                            RpcException.Kind.CHUNK_ERROR,
                            RpcException.Kind.NOT_EXECUTED);
        }
    }

    /** A few faults of any kind that fits, each at a moment drawn at random. */
    private static final class RandomFaults implements FaultPlan {

        private static final Set<FaultPoint> SPARED = EnumSet.of(FaultPoint.LISTEN);

        private final SplittableRandom random;
        private final int rarity;
        private int left;

        RandomFaults(SplittableRandom random, int count, int rarity) {
            this.random = random;
            this.left = count;
            this.rarity = rarity;
        }

        @Override
        public @Nullable Fault decide(FaultSite site) {
            if (left == 0 || random.nextInt(rarity) != 0 || SPARED.contains(site.point())) {
                return null;
            }
            Fault fault = switch (random.nextInt(7)) {
                case 0 -> new Fault.Refuse(PostStatus.QUEUE_FULL);
                case 1 -> new Fault.Fail(CompletionStatus.REMOTE_ACCESS_ERROR, "injected");
                case 2 -> new Fault.Flush();
                case 3 -> new Fault.Disconnect();
                case 4 -> new Fault.Drop("injected");
                case 5 -> new Fault.Delay(Duration.ofMillis(random.nextInt(50)));
                default -> new Fault.Unavailable("injected");
            };
            if (!site.point().accepts(fault)) {
                return null;
            }
            left--;
            return fault;
        }
    }
}
