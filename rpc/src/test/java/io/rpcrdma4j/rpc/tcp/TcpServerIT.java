package io.rpcrdma4j.rpc.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.Hex;
import io.rpcrdma4j.rpc.ManualTimers;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.xdr.XdrOverflowException;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TcpServerIT {
    private final NativeAllocator memory = new NativeAllocator();
    private final TestProgram program = new TestProgram();
    private final ExecutorService workers = Executors.newFixedThreadPool(2);
    private final RpcDispatcher dispatcher =
            RpcDispatcher.builder().program(program).executor(workers).build();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
        workers.shutdown();
        assertThat(workers.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        Await.until("all buffers are released", () -> memory.outstanding() == 0);
        memory.close();
    }

    @Test
    void aCallIsAnswered() throws IOException {
        RawPeer peer = connect(server());
        peer.send(record(call(7, TestProgram.NULL)));
        assertThat(Hex.of(peer.receive())).isEqualTo("00000007 00000001 00000000 00000000 00000000 00000000");
    }

    @Test
    void callsArePipelinedAndMayBeAnsweredInAnyOrder() throws Exception {
        RawPeer peer = connect(server());
        peer.send(record(call(1, TestProgram.HOLD))
                + record(call(2, TestProgram.NULL))
                + record(call(3, TestProgram.HOLD))
                + record(call(4, 99)));
        assertThat(Hex.of(peer.receive())).startsWith("00000002");
        assertThat(Hex.of(peer.receive())).startsWith("00000004").endsWith("00000003");
        RpcServerCall first = program.held.take();
        RpcServerCall second = program.held.take();
        second.success().writeInt(3);
        second.reply();
        assertThat(Hex.of(peer.receive())).startsWith("00000003").endsWith("00000003");
        first.success().writeInt(1);
        first.reply();
        assertThat(Hex.of(peer.receive())).startsWith("00000001").endsWith("00000001");
    }

    @Test
    void aRecordInFragmentsOfOneByteIsACall() throws IOException {
        RawPeer peer = connect(server());
        byte[] message = Hex.bytes(call(7, TestProgram.ECHO) + "00000003 01020300");
        StringBuilder stream = new StringBuilder();
        for (int i = 0; i < message.length; i++) {
            stream.append(i == message.length - 1 ? "80000001" : "00000001").append(Hex.of(new byte[] {message[i]}));
        }
        for (byte b : Hex.bytes(stream.toString())) {
            peer.send(new byte[] {b});
        }
        assertThat(Hex.of(peer.receive())).endsWith("00000003 01020300");
    }

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpc.Seeds#few")
    void theStreamIsIntactWhenTheSocketGivesAndTakesUpToThreeBytes(long seed) throws IOException {
        TcpServer server = start(TcpServer.builder(dispatcher)
                .channelFilter(channel -> new ThrottledChannel(channel, seed, 3))
                .memory(memory));
        RawPeer peer = connect(server);
        SplittableRandom random = new SplittableRandom(seed);
        List<String> expected = new ArrayList<>();
        for (int xid = 0; xid < 20; xid++) {
            byte[] data = new byte[random.nextInt(300)];
            random.nextBytes(data);
            String argument = Hex.of(ByteBuffer.allocate(4).putInt(data.length).array())
                    + Hex.of(data)
                    + "00".repeat(-data.length & 3);
            peer.send(record(call(xid, TestProgram.ECHO_PAYLOAD) + argument));
            expected.add(argument.replace(" ", ""));
        }
        for (String argument : expected) {
            assertThat(Hex.of(peer.receive()).replace(" ", "").substring(48)).isEqualTo(argument);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7fffffff", // a fragment of 2 GiB
                "ffffffff",
                "80410001", // one byte beyond the limit
                "80000000", // an empty record
                "80000004 00000001", // shorter than a header
                "80000018 00000001 00000001 00000000 00000000 00000000 00000000", // a reply
                "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000"
                        + "00000000 00000000 00000000 00000000 00000000 00000000 00000000",
                "474554202f20485454502f312e310d0a0d0a", // GET / HTTP/1.1
                "16030100f5010000f10303", // a TLS client hello
                "5353482d322e302d", // SSH-2.0-
            })
    void garbageEndsItsConnectionAndNoOther(String garbage) throws IOException {
        TcpServer server = server();
        RawPeer bystander = connect(server);
        RawPeer peer = connect(server);
        peer.send(garbage);
        assertThat(peer.isClosedByPeer()).isTrue();
        bystander.send(record(call(1, TestProgram.NULL)));
        assertThat(bystander.receive()).hasSize(24);
        Await.until("the connection is gone", () -> server.connectionCount() == 1);
    }

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpc.Seeds#few")
    void randomBytesEndInAClosedConnectionOrAnAnswer(long seed) throws IOException {
        TcpServer server = server();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 50; i++) {
            try (RawPeer peer = new RawPeer(server.localAddress())) {
                byte[] bytes = new byte[random.nextInt(1, 2000)];
                random.nextBytes(bytes);
                peer.send(bytes);
                peer.socket.shutdownOutput();
                while (!peer.isClosedByPeer()) {
                    // An answer to what looked like a call.
                }
            }
        }
        RawPeer peer = connect(server);
        peer.send(record(call(1, TestProgram.NULL)));
        assertThat(peer.receive()).hasSize(24);
    }

    @Test
    void aPeerThatSaidItsLastWordStillGetsItsAnswers() throws Exception {
        TcpServer server = server();
        RawPeer peer = connect(server);
        peer.send(record(call(1, TestProgram.HOLD)));
        peer.socket.shutdownOutput();
        RpcServerCall call = program.held.take();
        call.success();
        call.reply();
        assertThat(peer.receive()).hasSize(24);
        assertThat(peer.isClosedByPeer()).isTrue();
        Await.until("the connection is gone", () -> server.connectionCount() == 0);
    }

    @Test
    void aCallWhoseConnectionIsGoneIsAnsweredIntoTheVoid() throws Exception {
        TcpServer server = server();
        for (int i = 0; i < 5; i++) {
            RawPeer peer = new RawPeer(server.localAddress());
            peer.send(record(call(i, TestProgram.HOLD) + "00000004 0a0b0c0d"));
            RpcServerCall call = program.held.take();
            peer.reset();
            Await.until("the connection is gone", () -> !call.connection().isOpen());
            assertThat(call.arguments().readOpaque(4)).containsExactly(10, 11, 12, 13);
            if (i == 0) {
                call.drop();
            } else {
                call.success().payload(call.memory().allocate(1000), 0, 1000);
                call.reply();
            }
        }
    }

    @Test
    void nothingIsReadBeyondTheCallsThatMayBeInProgress() throws Exception {
        TcpServer server = start(TcpServer.builder(dispatcher).memory(memory).callsPerConnectionMax(3));
        RawPeer peer = connect(server);
        StringBuilder calls = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            calls.append(record(call(i, TestProgram.HOLD)));
        }
        peer.send(calls.toString());
        for (int i = 0; i < 50; i++) {
            RpcServerCall call = program.held.take();
            assertThat(call.xid()).isEqualTo(i);
            assertThat(program.served.get()).isLessThanOrEqualTo(i + 3);
            call.success();
            call.reply();
            assertThat(peer.receive()).hasSize(24);
        }
    }

    @Test
    void callsThatAreDroppedLeaveNothingAndHoldUpNobody() throws IOException {
        TcpServer server = server();
        RawPeer peer = connect(server);
        byte[] drop = Hex.bytes(record(call(1, TestProgram.DROP)));
        ByteBuffer many = ByteBuffer.allocate(1000 * drop.length);
        while (many.hasRemaining()) {
            many.put(drop);
        }
        for (int i = 0; i < 20; i++) {
            peer.send(many.array());
        }
        roundTrips(peer);
        assertThat(program.served.get()).isEqualTo(20_002);
        // The heads of the replies to the two calls that got one.
        assertThat(memory.outstanding()).isLessThanOrEqualTo(2);
    }

    @Test
    void nothingIsReadFromAPeerThatTakesNoReplies() throws Exception {
        TcpServer server = start(TcpServer.builder(dispatcher).memory(memory).outputBytesMax(100_000));
        RawPeer peer = connect(server);
        int length = 1 << 20;
        int calls = 60;
        StringBuilder stream = new StringBuilder();
        for (int i = 0; i < calls; i++) {
            stream.append(record(call(i, TestProgram.SOURCE) + String.format("%08x", length)));
        }
        peer.send(stream.toString());
        // Sockets hold some megabytes; the server must stop well before it has made all sixty.
        Await.until("the server has begun", () -> program.served.get() > 0);
        RawPeer other = connect(server);
        other.send(record(call(1, TestProgram.NULL)));
        assertThat(other.receive()).hasSize(24);
        assertThat(memory.outstanding()).isLessThan(20);
        for (int i = 0; i < calls; i++) {
            assertThat(peer.receive()).hasSize(24 + 4 + length);
        }
    }

    @Test
    void aReplyBeyondTheRecordLimitIsASystemError() throws Exception {
        TcpServer server = start(TcpServer.builder(dispatcher).memory(memory).recordBytesMax(2000));
        RawPeer peer = connect(server);
        peer.send(record(call(1, TestProgram.SOURCE) + "000007d1"));
        assertThat(Hex.of(peer.receive())).isEqualTo("00000001 00000001 00000000 00000000 00000000 00000005");
        peer.send(record(call(2, TestProgram.HOLD)));
        RpcServerCall call = program.held.take();
        assertThatThrownBy(() -> call.success().writeFixed(new byte[2000])).isInstanceOf(XdrOverflowException.class);
        call.drop();
    }

    @Test
    void whenMemoryIsShortCallsWaitInsteadOfFailing() throws Exception {
        NativeAllocator small = new NativeAllocator(3 << 20);
        TcpServer server = start(TcpServer.builder(dispatcher).memory(small));
        RawPeer first = connect(server);
        String big = record(call(1, TestProgram.HOLD) + "001e8480" + "00".repeat(2_000_000));
        first.send(big);
        RpcServerCall held = program.held.take();
        RawPeer second = connect(server);
        second.send(big.substring(0, 200_000));
        second.send(big.substring(200_000));
        assertThat(program.held).isEmpty();
        held.success();
        held.reply();
        assertThat(first.receive()).hasSize(24);
        RpcServerCall next = program.held.poll(20, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        next.success();
        next.reply();
        assertThat(second.receive()).hasSize(24);
        server.close();
        assertThat(small.outstanding()).isZero();
        small.close();
    }

    @Test
    void aPeerThatStallsOrIdlesIsSentAway() throws IOException {
        ManualTimers timers = new ManualTimers();
        TcpServer server = start(TcpServer.builder(dispatcher)
                .memory(memory)
                .timers(timers)
                .stallTimeout(Duration.ofSeconds(10))
                .idleTimeout(Duration.ofSeconds(100)));
        RawPeer idle = connect(server);
        idle.send(record(call(1, TestProgram.NULL)));
        assertThat(idle.receive()).hasSize(24);
        RawPeer stalled = connect(server);
        stalled.send("80000028 00000001");
        RawPeer busy = connect(server);
        busy.send(record(call(1, TestProgram.HOLD)));
        Await.until("the call has come", () -> !program.held.isEmpty());
        letTheServerSeeAll(server);
        Await.until("all are there", () -> server.connectionCount() == 3);
        timers.advance(Duration.ofSeconds(30).toNanos());
        assertThat(stalled.isClosedByPeer()).isTrue();
        Await.until("one is gone", () -> server.connectionCount() == 2);
        timers.advance(Duration.ofSeconds(100).toNanos());
        assertThat(idle.isClosedByPeer()).isTrue();
        Await.until("two are gone", () -> server.connectionCount() == 1);
        RpcServerCall call = program.held.remove();
        call.success();
        call.reply();
        assertThat(busy.receive()).as("a call in progress keeps its connection").hasSize(24);
    }

    @Test
    void aRecordThatTricklesInIsSentAwayAndASlowOneIsNot() throws IOException {
        ManualTimers timers = new ManualTimers();
        TcpServer server = start(
                TcpServer.builder(dispatcher).memory(memory).timers(timers).stallTimeout(Duration.ofSeconds(10)));
        RawPeer trickling = connect(server);
        RawPeer slow = connect(server);
        RawPeer other = served(server);
        trickling.send("80010000 00");
        slow.send("80010028" + call(1, TestProgram.ECHO) + "0000fffc");
        slow.send("00".repeat(0x1_0000 - 44));
        for (int step = 0; step < 6; step++) {
            if (step < 2) {
                trickling.send("00");
            }
            slow.send("00000000");
            roundTrips(other);
            timers.advance(Duration.ofSeconds(5).toNanos());
            roundTrips(other);
            assertThat(server.connectionCount()).as("after step " + step).isEqualTo(step < 2 ? 3 : 2);
        }
        assertThat(trickling.isClosedByPeer()).isTrue();
        slow.send("00".repeat(0x28 - 4 * 6));
        assertThat(slow.receive()).hasSizeGreaterThan(24);
    }

    @Test
    void onlyAdmittedAddressesGetIn() throws IOException {
        TcpServer server = start(TcpServer.builder(dispatcher).memory(memory).admission(address -> false));
        assertThat(connect(server).isClosedByPeer()).isTrue();
        assertThat(server.connectionCount()).isZero();
    }

    @Test
    void connectionsBeyondTheLimitAreClosedAndThoseWithinAreServed() throws IOException {
        TcpServer server = start(TcpServer.builder(dispatcher).memory(memory).connectionsMax(3, 2));
        RawPeer first = served(server);
        RawPeer second = served(server);
        assertThat(connect(server).isClosedByPeer()).isTrue();
        first.close();
        Await.until("one is gone", () -> server.connectionCount() == 1);
        served(server);
        second.send(record(call(9, TestProgram.NULL)));
        assertThat(second.receive()).hasSize(24);
    }

    @Test
    void aThousandConnectionsAreServed() throws IOException {
        TcpServer server = start(TcpServer.builder(dispatcher)
                .memory(memory)
                .connectionsMax(1000, 1000)
                .threads(2));
        List<RawPeer> peers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            peers.add(connect(server));
        }
        for (int round = 0; round < 2; round++) {
            for (RawPeer peer : peers) {
                peer.send(record(call(round, TestProgram.NULL)));
            }
            for (RawPeer peer : peers) {
                assertThat(peer.receive()).hasSize(24);
            }
        }
        assertThat(server.connectionCount()).isEqualTo(1000);
        for (RawPeer peer : peers) {
            peer.close();
        }
        Await.until("all are gone", () -> server.connectionCount() == 0);
    }

    @Test
    void peersThatVanishInMidRecordLeaveNothing() throws IOException {
        TcpServer server = server();
        for (int i = 0; i < 30; i++) {
            RawPeer peer = new RawPeer(server.localAddress());
            peer.send("80030000" + "00".repeat(i * 5000));
            if (i % 2 == 0) {
                peer.reset();
            } else {
                peer.close();
            }
        }
        Await.until("all are gone", () -> server.connectionCount() == 0);
    }

    @Test
    void closingAnswersWhatIsInProgress() throws Exception {
        TcpServer server = server();
        RawPeer peer = connect(server);
        peer.send(record(call(1, TestProgram.HOLD)));
        RpcServerCall call = program.held.take();
        Thread closer = Thread.ofVirtual().start(server::close);
        Await.until("no connection is accepted", () -> !accepts(server.localAddress()));
        call.success();
        call.reply();
        assertThat(peer.receive()).hasSize(24);
        assertThat(peer.isClosedByPeer()).isTrue();
        assertThat(closer.join(Duration.ofSeconds(20))).isTrue();
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void closingDoesNotWaitForEverAndLateAnswersAreDropped() throws Exception {
        TcpServer server = start(TcpServer.builder(dispatcher).memory(memory).drainTime(Duration.ofMillis(20)));
        RawPeer peer = connect(server);
        peer.send(record(call(1, TestProgram.HOLD) + "00000000"));
        RpcServerCall call = program.held.take();
        server.close();
        assertThat(peer.isClosedByPeer()).isTrue();
        assertThat(server.connectionCount()).isZero();
        assertThat(call.arguments().readInt()).isZero();
        call.success().payload(call.memory().allocate(100), 0, 100);
        call.reply();
        assertThat(memory.outstanding()).isZero();
    }

    @Test
    void anAddressInUseIsNamedInTheError() throws IOException {
        TcpServer server = server();
        assertThatThrownBy(() -> TcpServer.builder(dispatcher)
                        .address(server.localAddress())
                        .start())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(String.valueOf(server.localAddress().getPort()));
    }

    @Test
    void ipv6IsServedToo() throws IOException {
        TcpServer server = start(TcpServer.builder(dispatcher)
                .memory(memory)
                .address(new InetSocketAddress(Inet6Address.ofLiteral("::1"), 0)));
        served(server);
    }

    private static boolean accepts(InetSocketAddress address) {
        try (RawPeer peer = new RawPeer(address)) {
            return peer.socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Two turns of the event loop later: what was sent before has been seen, and tasks have run. */
    private void roundTrips(RawPeer peer) throws IOException {
        for (int i = 0; i < 2; i++) {
            peer.send(record(call(i, TestProgram.NULL)));
            assertThat(peer.receive()).hasSize(24);
        }
    }

    private void letTheServerSeeAll(TcpServer server) throws IOException {
        try (RawPeer peer = new RawPeer(server.localAddress())) {
            roundTrips(peer);
        }
    }

    private RawPeer served(TcpServer server) throws IOException {
        RawPeer peer = connect(server);
        peer.send(record(call(1, TestProgram.NULL)));
        assertThat(peer.receive()).hasSize(24);
        return peer;
    }

    private TcpServer server() throws IOException {
        return start(TcpServer.builder(dispatcher).memory(memory));
    }

    private TcpServer start(TcpServer.Builder builder) throws IOException {
        TcpServer server = builder.start();
        open.add(server);
        return server;
    }

    private RawPeer connect(TcpServer server) throws IOException {
        RawPeer peer = new RawPeer(server.localAddress());
        open.add(peer);
        return peer;
    }

    static String call(int xid, int procedure) {
        return String.format("%08x 00000000 00000002 20000001 00000001 %08x", xid, procedure)
                + "00000000 00000000 00000000 00000000";
    }

    static String record(String hex) {
        return String.format("%08x", 0x8000_0000 | Hex.bytes(hex).length) + hex;
    }
}
