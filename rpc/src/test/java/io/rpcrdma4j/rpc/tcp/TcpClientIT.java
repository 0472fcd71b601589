package io.rpcrdma4j.rpc.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.AcceptStatus;
import io.rpcrdma4j.rpc.AuthStatus;
import io.rpcrdma4j.rpc.AuthSys;
import io.rpcrdma4j.rpc.CallOptions;
import io.rpcrdma4j.rpc.ManualTimers;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TcpClientIT extends TcpClientFixture {
    @Test
    void aCallIsAnswered() throws Exception {
        TcpClient client = client(server().localAddress());
        assertThat(client.isConnected()).isFalse();
        CompletableFuture<String> done = client.call(OPTIONS, TestProgram.NULL, XdrEncoder.VOID, reader -> "done");
        assertThat(result(done)).isEqualTo("done");
        assertThat(client.isConnected()).isTrue();
        byte[] data = {1, 2, 3, 4, 5};
        CompletableFuture<byte[]> echo =
                client.call(OPTIONS, TestProgram.ECHO, w -> w.writeOpaque(data), r -> r.readOpaque(5));
        assertThat(result(echo)).isEqualTo(data);
    }

    @Test
    void whatTheServerRefusesIsATypedFailure() throws Exception {
        TcpClient client = client(server().localAddress());
        RpcException e = failure(client.call(OPTIONS, 99, XdrEncoder.VOID, reader -> 0));
        assertThat(e.kind()).isEqualTo(RpcException.Kind.NOT_EXECUTED);
        assertThat(e.acceptStatus()).isEqualTo(AcceptStatus.PROC_UNAVAIL);
        e = failure(client.call(OPTIONS, TestProgram.ECHO, XdrEncoder.VOID, reader -> 0));
        assertThat(e.acceptStatus()).isEqualTo(AcceptStatus.GARBAGE_ARGS);
        e = failure(client.call(CallOptions.of(TestProgram.PROGRAM, 9), 0, XdrEncoder.VOID, reader -> 0));
        assertThat(e.acceptStatus()).isEqualTo(AcceptStatus.PROG_MISMATCH);
        assertThat(e).hasMessageContaining("1 to 1");
        CompletableFuture<Integer> held = client.call(
                OPTIONS.withCredential(new AuthSys("here", 1000, 100, 4, 5)),
                TestProgram.HOLD,
                XdrEncoder.VOID,
                reader -> 0);
        RpcServerCall call = program.held.take();
        assertThat(call.credential()).isEqualTo(new AuthSys("here", 1000, 100, 4, 5));
        call.rejectAuth(AuthStatus.AUTH_TOOWEAK);
        e = failure(held);
        assertThat(e.kind()).isEqualTo(RpcException.Kind.DENIED);
        assertThat(e.authStatus()).isEqualTo(AuthStatus.AUTH_TOOWEAK);
    }

    @Test
    void aReplyThatCannotBeDecodedFailsItsCallOnly() throws Exception {
        TcpClient client = client(server().localAddress());
        RpcException e = failure(client.call(OPTIONS, TestProgram.NULL, XdrEncoder.VOID, XdrReader::readLong));
        assertThat(e.kind()).isEqualTo(RpcException.Kind.GARBAGE_REPLY);
        e = failure(client.call(OPTIONS, TestProgram.NULL, XdrEncoder.VOID, reader -> {
            throw new IllegalStateException("for the test");
        }));
        assertThat(e.kind()).isEqualTo(RpcException.Kind.GARBAGE_REPLY);
        assertThat(result(callNull(client))).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpc.Seeds#few")
    void manyCallsAtOnceOverThrottledSocketsAllComeBack(long seed) throws Exception {
        TcpServer server = start(TcpServer.builder(dispatcher)
                .memory(serverMemory)
                .channelFilter(channel -> new ThrottledChannel(channel, seed, 1000)));
        TcpClient client = build(TcpClient.builder(server.localAddress())
                .memory(memory)
                .callsMax(8)
                .channelFilter(channel -> new ThrottledChannel(channel, seed + 1, 700)));
        SplittableRandom random = new SplittableRandom(seed);
        List<byte[]> sent = new ArrayList<>();
        List<CompletableFuture<byte[]>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            byte[] data = new byte[random.nextInt(10_000)];
            random.nextBytes(data);
            sent.add(data);
            int procedure = random.nextBoolean() ? TestProgram.ECHO : TestProgram.ECHO_PAYLOAD;
            boolean byReference = random.nextBoolean();
            futures.add(client.call(
                    OPTIONS, procedure, writer -> write(writer, data, byReference), r -> r.readOpaque(10_000)));
        }
        for (int i = 0; i < sent.size(); i++) {
            assertThat(result(futures.get(i))).isEqualTo(sent.get(i));
        }
    }

    @Test
    void aCallObjectIsReusedAndItsSinkFilled() throws Exception {
        TcpClient client = client(server().localAddress());
        PayloadBuffer sink = memory.allocate(100_000);
        EchoCall call = new EchoCall(client);
        for (int i = 0; i < 100; i++) {
            call.data = new byte[i * 997];
            new SplittableRandom(i).nextBytes(call.data);
            call.procedure(TestProgram.ECHO_PAYLOAD);
            call.sink(sink, 3, 99_997);
            client.start(call);
            assertThat(call.done.poll(20, TimeUnit.SECONDS)).isEqualTo("ok");
            assertThat(call.got).isEqualTo(call.data);
            assertThat(sink.segment().asSlice(3, call.data.length).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(call.data);
        }
        call.sink(sink, 0, 10);
        client.start(call);
        assertThat(call.done.poll(20, TimeUnit.SECONDS)).startsWith("GARBAGE_REPLY");
        sink.release();
    }

    @Test
    void aCallUnderWayCanBeNeitherChangedNorStartedAgain() throws Exception {
        TcpClient client = client(server().localAddress());
        EchoCall call = new EchoCall(client);
        call.procedure(TestProgram.HOLD);
        client.start(call);
        RpcServerCall held = program.held.take();
        assertThatThrownBy(() -> client.start(call)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> call.procedure(1)).isInstanceOf(IllegalStateException.class);
        assertThat(call.isUnderWay()).isTrue();
        held.drop();
        call.cancel();
        assertThat(call.done.poll(20, TimeUnit.SECONDS)).startsWith("CANCELLED");
        assertThat(call.isUnderWay()).isFalse();
        call.cancel();
    }

    @Test
    void aCallStartedFromTheEndOfAnotherIsMade() throws Exception {
        TcpClient client = client(server().localAddress());
        EchoCall call = new EchoCall(client);
        call.again = 1000;
        call.procedure(TestProgram.ECHO);
        client.start(call);
        assertThat(call.done.poll(20, TimeUnit.SECONDS)).isEqualTo("ok");
        assertThat(program.served.get()).isEqualTo(1001);
    }

    @Test
    void whenItsTimeIsUpACallEndsAndALateReplyIsDropped() throws Exception {
        ManualTimers timers = new ManualTimers();
        TcpClient client =
                build(TcpClient.builder(server().localAddress()).memory(memory).timers(timers));
        CompletableFuture<Integer> late =
                client.call(OPTIONS.withTimeout(Duration.ofSeconds(5)), TestProgram.HOLD, XdrEncoder.VOID, r -> 1);
        CompletableFuture<Integer> later =
                client.call(OPTIONS.withTimeout(Duration.ofSeconds(8)), TestProgram.HOLD, XdrEncoder.VOID, r -> 2);
        RpcServerCall first = program.held.take();
        RpcServerCall second = program.held.take();
        timers.advance(Duration.ofMillis(4999).toNanos());
        assertThat(late).isNotDone();
        timers.advance(Duration.ofMillis(1).toNanos());
        RpcException e = failure(late);
        assertThat(e.kind()).isEqualTo(RpcException.Kind.TIMED_OUT);
        assertThat(e).hasMessageContaining("5000 ms");
        first.success();
        first.reply();
        second.success();
        second.reply();
        assertThat(result(later)).isEqualTo(2);
    }

    @Test
    void cancellingAFutureEndsItsCallAndNoOther() throws Exception {
        TcpClient client = client(server().localAddress());
        CompletableFuture<Integer> first = client.call(OPTIONS, TestProgram.HOLD, XdrEncoder.VOID, r -> 1);
        CompletableFuture<Integer> second = client.call(OPTIONS, TestProgram.HOLD, XdrEncoder.VOID, r -> 2);
        RpcServerCall a = program.held.take();
        RpcServerCall b = program.held.take();
        assertThat(first.cancel(false)).isTrue();
        a.success();
        a.reply();
        b.success();
        b.reply();
        assertThat(result(second)).isEqualTo(2);
        assertThat(first).isCancelled();
    }

    @Test
    void argumentsThatCannotBeEncodedAreNotSent() throws Exception {
        TcpClient client =
                build(TcpClient.builder(server().localAddress()).memory(memory).recordBytesMax(5000));
        RpcException e = failure(client.call(
                OPTIONS,
                TestProgram.ECHO,
                writer -> {
                    writer.payload(memory.allocate(100), 0, 100);
                    throw new IllegalArgumentException("for the test");
                },
                reader -> 0));
        assertThat(e.kind()).isEqualTo(RpcException.Kind.NOT_SENT);
        for (boolean byReference : new boolean[] {true, false}) {
            e = failure(client.call(
                    OPTIONS, TestProgram.ECHO, writer -> write(writer, new byte[6000], byReference), reader -> 0));
            assertThat(e.kind()).isEqualTo(RpcException.Kind.NOT_SENT);
        }
        assertThat(program.served.get()).isZero();
    }

    @Test
    void closingEndsEveryCallAndALateOneToo() throws Exception {
        TcpClient client = client(server().localAddress());
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(client.call(
                    OPTIONS.withResend(i % 2 == 0), TestProgram.HOLD, w -> write(w, new byte[100], true), r -> 1));
        }
        for (int i = 0; i < 10; i++) {
            program.held.take().drop();
        }
        client.close();
        client.close();
        for (CompletableFuture<Integer> call : calls) {
            assertThat(call).isDone();
            assertThat(failure(call).kind()).isEqualTo(RpcException.Kind.CLOSED);
        }
        assertThat(memory.outstanding()).isZero();
        assertThat(failure(callNull(client)).kind()).isEqualTo(RpcException.Kind.CLOSED);
    }
}
