package io.rpcrdma4j.rpc.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.Hex;
import io.rpcrdma4j.rpc.ManualTimers;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** What the client does when the server, the network or its caller does not behave. */
class TcpClientFaultIT extends TcpClientFixture {
    @Test
    void aCallCancelledInMidRecordLeavesTheStreamIntactAndItsMemoryFree() throws Exception {
        // The server reads nothing before it is told to, so that a large call stays half written.
        try (ServerSocket listener = listener(5)) {
            TcpClient client = client((InetSocketAddress) listener.getLocalSocketAddress());
            EchoCall big = new EchoCall(client);
            big.procedure(TestProgram.ECHO);
            PayloadBuffer source = memory.allocate(4 << 20);
            source.segment().fill((byte) 0x5a);
            big.source = source;
            client.start(big);
            RawPeer peer = RawPeer.of(listener.accept());
            open.add(peer);
            Await.until("some of it is written", () -> peer.available() > 100_000);
            CompletableFuture<Integer> next = client.call(OPTIONS, TestProgram.NULL, XdrEncoder.VOID, r -> 2);
            big.cancel();
            assertThat(big.done.poll(20, TimeUnit.SECONDS)).startsWith("CANCELLED");
            assertThat(big.sourceReleased).isTrue();
            source.segment().fill((byte) 0xff);
            source.release();
            byte[] record = peer.receive();
            assertThat(record).hasSize(40 + 4 + (4 << 20));
            byte[] expected = new byte[4 << 20];
            Arrays.fill(expected, (byte) 0x5a);
            assertThat(Arrays.equals(record, 44, record.length, expected, 0, expected.length))
                    .as("the bytes are those from before the end of the call")
                    .isTrue();
            byte[] second = peer.receive();
            assertThat(second).hasSize(40);
            peer.send(TcpServerIT.record(Hex.of(second).substring(0, 8) + "00000001" + "00000000".repeat(4)));
            assertThat(result(next)).isEqualTo(2);
        }
    }

    @Test
    void whenNobodyListensCallsFailAndLaterOnesGetThrough() throws Exception {
        TcpServer server = server();
        InetSocketAddress address = server.localAddress();
        server.close();
        TcpClient client =
                build(TcpClient.builder(address).memory(memory).backOff(Duration.ofMillis(1), Duration.ofMillis(5)));
        RpcException e = failure(callNull(client));
        assertThat(e.kind()).isEqualTo(RpcException.Kind.CONNECT_FAILED);
        assertThat(e).hasMessageContaining(String.valueOf(address.getPort()));
        CompletableFuture<Integer> patient =
                client.call(OPTIONS.withResend(true), TestProgram.NULL, XdrEncoder.VOID, r -> 1);
        assertThatThrownBy(() -> patient.get(30, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        start(TcpServer.builder(dispatcher).memory(serverMemory).address(address));
        assertThat(result(patient)).isEqualTo(1);
    }

    @Test
    void whenTheConnectionIsLostCallsFailExceptThoseToBeSentAgain() throws Exception {
        TcpServer server = server();
        InetSocketAddress address = server.localAddress();
        TcpClient client =
                build(TcpClient.builder(address).memory(memory).backOff(Duration.ofMillis(1), Duration.ofMillis(5)));
        CompletableFuture<Integer> once = client.call(OPTIONS, TestProgram.HOLD, XdrEncoder.VOID, r -> 1);
        RpcServerCall first = program.held.take();
        CompletableFuture<byte[]> patient = client.call(
                OPTIONS.withResend(true),
                TestProgram.HOLD,
                w -> write(w, new byte[] {9, 9}, true),
                r -> r.readOpaque(9));
        RpcServerCall second = program.held.take();
        int xid = second.xid();
        first.connection().close();
        RpcException e = failure(once);
        assertThat(e.kind()).isEqualTo(RpcException.Kind.TRANSPORT_LOST);
        first.drop();
        second.drop();
        RpcServerCall again = program.held.take();
        assertThat(again.xid()).isEqualTo(xid);
        byte[] data = again.arguments().readOpaque(9);
        again.success().writeOpaque(data);
        again.reply();
        assertThat(result(patient)).containsExactly(9, 9);
    }

    @Test
    void aServerThatClosesEveryConnectionAtOnceIsNotCalledInALoop() throws Exception {
        try (ServerSocket listener = listener(5)) {
            ManualTimers timers = new ManualTimers();
            TcpClient client = build(TcpClient.builder((InetSocketAddress) listener.getLocalSocketAddress())
                    .memory(memory)
                    .timers(timers));
            CompletableFuture<Integer> patient =
                    client.call(OPTIONS.withResend(true), TestProgram.NULL, XdrEncoder.VOID, r -> 1);
            listener.accept().close();
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Integer> hasty = callNull(client);
                listener.setSoTimeout(5);
                assertThatThrownBy(listener::accept)
                        .as("not before the pause is over")
                        .isInstanceOf(SocketTimeoutException.class);
                acceptAfterPause(listener, timers).close();
                assertThat(failure(hasty).kind())
                        .isIn(RpcException.Kind.CONNECT_FAILED, RpcException.Kind.TRANSPORT_LOST);
            }
            assertThat(patient).isNotDone();
            timers.advance(Duration.ofSeconds(20).toNanos());
            assertThat(failure(patient).kind()).isEqualTo(RpcException.Kind.TIMED_OUT);
        }
    }

    @Test
    void garbageInsteadOfAReplyEndsTheConnection() throws Exception {
        for (String garbage : new String[] {"7fffffff", "80000000", "48545450 2f312e31 20343030"}) {
            try (ServerSocket listener = listener(5)) {
                TcpClient client = client((InetSocketAddress) listener.getLocalSocketAddress());
                CompletableFuture<Integer> call = callNull(client);
                RawPeer peer = RawPeer.of(listener.accept());
                open.add(peer);
                peer.send(garbage);
                assertThat(failure(call).kind()).as(garbage).isEqualTo(RpcException.Kind.TRANSPORT_LOST);
            }
        }
    }

    @Test
    void messagesThatAreNoReplyToACallAreDropped() throws Exception {
        try (ServerSocket listener = listener(5)) {
            TcpClient client = client((InetSocketAddress) listener.getLocalSocketAddress());
            CompletableFuture<Integer> call = callNull(client);
            RawPeer peer = RawPeer.of(listener.accept());
            open.add(peer);
            String xid = Hex.of(peer.receive()).substring(0, 8);
            peer.send("80000002 0001");
            peer.send(TcpServerIT.record(xid + "00000000" + "00000000".repeat(8)));
            peer.send(TcpServerIT.record(String.format("%08x", Integer.parseUnsignedInt(xid, 16) + 1) + "00000001"));
            peer.send(TcpServerIT.record(xid + "00000001" + "00000000".repeat(4)));
            peer.send(TcpServerIT.record(xid + "00000001" + "00000000".repeat(4)));
            assertThat(result(call)).isEqualTo(1);
        }
    }

    @Test
    void everyTruncationOfAReplyFailsItsCallOnly() throws Exception {
        byte[] reply = Hex.bytes("00000001 00000000 00000000 00000000 00000000 00000003 01020300");
        try (ServerSocket listener = listener(5)) {
            TcpClient client = client((InetSocketAddress) listener.getLocalSocketAddress());
            RawPeer peer = null;
            for (int length = 4; length <= reply.length; length++) {
                CompletableFuture<byte[]> call =
                        client.call(OPTIONS, TestProgram.NULL, XdrEncoder.VOID, r -> r.readOpaque(9));
                if (peer == null) {
                    peer = RawPeer.of(listener.accept());
                    open.add(peer);
                }
                String xid = Hex.of(peer.receive()).substring(0, 8);
                peer.send(TcpServerIT.record(xid + Hex.of(Arrays.copyOf(reply, length))));
                if (length == reply.length) {
                    assertThat(result(call)).containsExactly(1, 2, 3);
                } else {
                    assertThat(failure(call).kind()).isEqualTo(RpcException.Kind.GARBAGE_REPLY);
                }
            }
        }
    }

    @Test
    void aSilentServerIsGivenUpAfterTheStallTime() throws Exception {
        try (ServerSocket listener = listener(5)) {
            ManualTimers timers = new ManualTimers();
            TcpClient client = build(TcpClient.builder((InetSocketAddress) listener.getLocalSocketAddress())
                    .memory(memory)
                    .timers(timers)
                    .stallTimeout(Duration.ofSeconds(15)));
            CompletableFuture<Integer> call = callNull(client);
            RawPeer peer = RawPeer.of(listener.accept());
            open.add(peer);
            assertThat(peer.receive()).hasSize(40);
            timers.advance(Duration.ofSeconds(20).toNanos());
            assertThat(failure(call).kind()).isEqualTo(RpcException.Kind.TIMED_OUT);
            assertThat(peer.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void anAddressThatDoesNotAnswerFailsInTheConnectTimeout() throws Exception {
        // A listener with a full backlog lets further connections wait.
        try (ServerSocket listener = listener(1)) {
            InetSocketAddress address = (InetSocketAddress) listener.getLocalSocketAddress();
            List<RawPeer> fillers = new ArrayList<>();
            fill(address, fillers);
            TcpClient client = build(TcpClient.builder(address).memory(memory).connectTimeout(Duration.ofMillis(50)));
            RpcException e = failure(callNull(client));
            assertThat(e.kind()).isEqualTo(RpcException.Kind.CONNECT_FAILED);
            for (RawPeer filler : fillers) {
                filler.close();
            }
        }
    }

    @Test
    void namesAreResolvedAndUnknownOnesFail() throws Exception {
        TcpServer server = server();
        TcpClient client = client(InetSocketAddress.createUnresolved(
                "localhost", server.localAddress().getPort()));
        assertThat(result(callNull(client))).isEqualTo(1);
        TcpClient nowhere = client(InetSocketAddress.createUnresolved("no-such-host.invalid", 1));
        RpcException e = failure(callNull(nowhere));
        assertThat(e.kind()).isEqualTo(RpcException.Kind.CONNECT_FAILED);
        assertThat(e).hasMessageContaining("no-such-host.invalid");
    }

    @Test
    void aServerThatVanishesInMidReplyLosesItsCallsAndNothingElse() throws Exception {
        try (ServerSocket listener = listener(5)) {
            TcpClient client = build(TcpClient.builder((InetSocketAddress) listener.getLocalSocketAddress())
                    .memory(memory)
                    .backOff(Duration.ofMillis(1), Duration.ofMillis(5)));
            PayloadBuffer sink = memory.allocate(200_000);
            EchoCall call = new EchoCall(client);
            call.procedure(TestProgram.ECHO);
            for (int i = 0; i < 10; i++) {
                call.sink(sink, 0, 200_000);
                client.start(call);
                RawPeer peer = RawPeer.of(listener.accept());
                String xid = Hex.of(peer.receive()).substring(0, 8);
                peer.send("80030000" + xid + "00000001" + "00000000".repeat(4) + "0002ffe4" + "5a".repeat(i * 15_000));
                if (i % 2 == 0) {
                    peer.close();
                } else {
                    peer.reset();
                }
                assertThat(call.done.poll(20, TimeUnit.SECONDS)).startsWith("TRANSPORT_LOST");
            }
            sink.release();
        }
    }
}
