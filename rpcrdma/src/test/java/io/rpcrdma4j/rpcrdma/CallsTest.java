package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of every shape, over a provider that completes inside post, in random order, or on threads of its own. */
final class CallsTest {

    private static final int[] SIZES = {
        0, 1, 3, 4, 100, 1023, 3900, 3999, 4095, 4096, 4097, 65_536, (1 << 20) - 1, 1 << 20
    };

    @ParameterizedTest
    @EnumSource
    void nullCallIsAnswered(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 1)) {
            assertThat(bench.run(ExerciseCall.ofNull()).result()).isEqualTo("null");
        }
    }

    @ParameterizedTest
    @EnumSource
    void resultsOfEverySizeArriveInTheSink(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 2)) {
            PayloadBuffer sink = bench.client.memory().allocate(1 << 20);
            for (int size : SIZES) {
                ExerciseCall call = bench.run(ExerciseCall.generate(size, size, sink));
                assertThat((byte[]) call.result()).as("size %d", size).isEqualTo(ExerciseProgram.bytes(size, size));
            }
            sink.release();
        }
    }

    @ParameterizedTest
    @EnumSource
    void argumentsOfEverySizeReachTheProgram(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 3)) {
            for (int size : SIZES) {
                PayloadBuffer payload = bench.client.memory().allocate(size);
                ExerciseProgram.fill(payload.segment(), size, size);
                ExerciseCall call = bench.run(ExerciseCall.checksum(payload, size, 77));
                assertThat(call.result())
                        .as("size %d", size)
                        .isEqualTo(ExerciseCall.checksumOf(ExerciseProgram.bytes(size, size)) + ":77");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void longRepliesComeInReplyChunks(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 4)) {
            for (int size : new int[] {0, 5, 3000, 4096, 5000, 70_001, 500_000}) {
                ExerciseCall call = bench.run(ExerciseCall.text(size, size));
                assertThat((byte[]) call.result()).as("size %d", size).isEqualTo(ExerciseProgram.bytes(size, size));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void longCallsArePulled(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 5)) {
            for (int size : new int[] {0, 5, 3000, 4096, 5000, 70_001, 500_000}) {
                byte[] text = ExerciseProgram.bytes(size, size);
                ExerciseCall call = bench.run(ExerciseCall.longCall(text));
                assertThat(call.result()).as("size %d", size).isEqualTo(ExerciseCall.checksumOf(text));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void manyCallsAtOnceWaitForCreditsAndAreAllAnswered(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 6)) {
            List<ExerciseCall> calls = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                ExerciseCall call = i % 3 == 0 ? ExerciseCall.text(i * 7, i) : ExerciseCall.ofNull();
                calls.add(call);
                bench.client.start(call);
            }
            bench.await("all calls", () -> calls.stream().allMatch(ExerciseCall::isDone));
            for (int i = 0; i < 1000; i++) {
                if (i % 3 == 0) {
                    assertThat((byte[]) calls.get(i).result()).isEqualTo(ExerciseProgram.bytes(i * 7, i));
                } else {
                    calls.get(i).result();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void anUnknownProcedureIsReported(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 7)) {
            var call = bench.run(new ExerciseCall(99, writer -> {}, reader -> "none"));
            assertThat(call.failure()).extracting(RpcException::kind).isEqualTo(RpcException.Kind.NOT_EXECUTED);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReplyThatFitsNowhereFailsItsCallAndNoOther(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 8)) {
            ExerciseCall tooLong = ExerciseCall.text(100_000, 1);
            tooLong.replyBytesMax(100);
            assertThat(bench.run(tooLong).failure())
                    .extracting(RpcException::kind)
                    .isEqualTo(RpcException.Kind.CHUNK_ERROR);
            assertThat(bench.run(ExerciseCall.ofNull()).result()).isEqualTo("null");
        }
    }

    @ParameterizedTest
    @EnumSource
    void twoConnectionsServeOneClient(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 9, TransportOptions.defaults(), TransportOptions.defaults(), 2)) {
            for (int i = 0; i < 20; i++) {
                bench.run(ExerciseCall.ofNull());
            }
            assertThat(bench.server.connections()).isEqualTo(2);
        }
    }

    @Test
    void aParkedCallIsAnsweredLaterFromAnotherThread() throws Exception {
        try (var bench = new Bench(ExecutionMode.THREADED, 10)) {
            var call = new ExerciseCall(ExerciseProgram.PARK, writer -> {}, reader -> "late");
            bench.client.start(call);
            bench.await("the call to be parked", () -> bench.program.parked() == 1);
            assertThat(call.isDone()).isFalse();
            Thread thread = Thread.ofPlatform().start(bench.program::answerParked);
            thread.join();
            bench.await("the answer", call::isDone);
            assertThat(call.result()).isEqualTo("late");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCancelledCallEndsAndItsLateReplyIsDropped(ExecutionMode mode) throws Exception {
        try (var bench = new Bench(mode, 11)) {
            bench.run(ExerciseCall.ofNull());
            var call = new ExerciseCall(ExerciseProgram.PARK, writer -> {}, reader -> "late");
            bench.client.start(call);
            bench.await("the call to be parked", () -> bench.program.parked() == 1);
            call.cancel();
            bench.await("the end", call::isDone);
            assertThat(call.failure()).extracting(RpcException::kind).isEqualTo(RpcException.Kind.CANCELLED);
            bench.program.answerParked();
            assertThat(bench.run(ExerciseCall.ofNull()).result()).isEqualTo("null");
            assertThat(call.ends()).isEqualTo(1);
        }
    }
}
