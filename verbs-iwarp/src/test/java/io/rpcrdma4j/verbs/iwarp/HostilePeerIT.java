package io.rpcrdma4j.verbs.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.SendRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Raw sockets against a listening device: garbage, silence, and too much of everything. */
class HostilePeerIT {

    private static final String REQUEST = "4d504120494420526571204672616d65";

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waiting for " + what).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static Socket dial(Listener listener) throws IOException {
        var socket =
                new Socket(listener.address().getAddress(), listener.address().getPort());
        socket.setSoTimeout(10_000);
        return socket;
    }

    /** Reads until the peer has closed or reset; gives what came. */
    private static byte[] rest(Socket socket) {
        var all = new java.io.ByteArrayOutputStream();
        try (InputStream in = socket.getInputStream()) {
            in.transferTo(all);
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("the connection was not closed", e);
        } catch (IOException e) {
            // A reset ends it too.
            return all.toByteArray();
        }
        return all.toByteArray();
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replaceAll("[\\s|]", ""));
    }

    /** A name, and what is sent before anything was answered. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Garbage(String name, byte[] bytes) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Garbage> garbage() {
        var random = new byte[5000];
        new SplittableRandom(99).nextBytes(random);
        return List.of(
                new Garbage("random bytes", random),
                new Garbage("one byte", new byte[] {0}),
                new Garbage("HTTP", "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                new Garbage("a TLS hello", hex("16030100a5010000a10303")),
                new Garbage("an RPC call over TCP", hex("80000028 00000001 00000000 00000002 000186a3 00000003")),
                new Garbage("a reply", hex("4d504120494420526570204672616d65 10020004 00040004")),
                new Garbage("revision 0", hex(REQUEST + "10000004 00040004")),
                new Garbage("revision 9", hex(REQUEST + "10090004 00040004")),
                new Garbage("513 bytes of private data", hex(REQUEST + "00020201")),
                new Garbage("65,535 bytes of private data", hex(REQUEST + "0002ffff")),
                new Garbage("enhanced data cut short", hex(REQUEST + "10020003 000400")),
                new Garbage("markers", hex(REQUEST + "90020004 00040004")),
                new Garbage(
                        "an FPDU before the reply",
                        hex(REQUEST + "10020004 00040004 | 000ec140 00000001 0000000000000000 ebd34c5f")));
    }

    @ParameterizedTest
    @MethodSource("garbage")
    void garbageInsteadOfARequestEndsThatConnectionOnly(Garbage garbage) throws Exception {
        try (Pair pair = new Pair(Map.of()).accept()) {
            for (int i = 0; i < 3; i++) {
                try (Socket socket = dial(pair.listener)) {
                    socket.getOutputStream().write(garbage.bytes());
                    byte[] answer = rest(socket);
                    if (!garbage.name().equals("markers")) {
                        assertThat(answer).isEmpty();
                    } else {
                        assertThat(HexFormat.of().formatHex(answer)).endsWith("30020004" + "00040004");
                    }
                }
            }
            await("the sockets to be given up", () -> pair.server.device.connectionCount() == 1);
            exchange(pair);
        }
    }

    @Test
    void halfARequestIsGivenUpInTime() throws Exception {
        try (var end = new Pair.End(Map.of())) {
            ListenOptions options = ListenOptions.defaults().withHandshakeTimeout(Duration.ofMillis(200));
            try (Listener listener = listen(end, options, Connection::close);
                    Socket silent = dial(listener);
                    Socket half = dial(listener)) {
                half.getOutputStream().write(hex(REQUEST + "1002000c"));
                assertThat(rest(silent)).isEmpty();
                assertThat(rest(half)).isEmpty();
                await("the sockets to be given up", () -> end.device.connectionCount() == 0);
            }
        }
    }

    private static Listener listen(
            Pair.End end, ListenOptions options, io.rpcrdma4j.verbs.ConnectRequestHandler handler) throws IOException {
        return end.device.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), options, handler);
    }

    @Test
    void noMoreHandshakesAreHeldThanAllowed() throws Exception {
        try (var end = new Pair.End(Map.of())) {
            var options = new ListenOptions(128, 3, 1000, 1000, Duration.ofSeconds(60), address -> true);
            List<Socket> sockets = new ArrayList<>();
            try (Listener listener = listen(end, options, Connection::close)) {
                for (int i = 0; i < 3; i++) {
                    sockets.add(dial(listener));
                }
                await("three handshakes", () -> end.device.connectionCount() == 3);
                try (Socket fourth = dial(listener)) {
                    assertThat(rest(fourth)).isEmpty();
                }
                sockets.removeFirst().close();
                await("one to be given up", () -> end.device.connectionCount() == 2);
                sockets.add(dial(listener));
                await("three handshakes again", () -> end.device.connectionCount() == 3);
            }
            for (Socket each : sockets) {
                assertThat(rest(each)).isEmpty();
                each.close();
            }
        }
    }

    @Test
    void noMoreConnectionsOfAnAddressAreHeldThanAllowed() throws Exception {
        try (var end = new Pair.End(Map.of())) {
            var options = new ListenOptions(128, 100, 1000, 2, Duration.ofSeconds(60), address -> true);
            try (Listener listener = listen(end, options, Connection::close);
                    Socket first = dial(listener);
                    Socket second = dial(listener);
                    Socket third = dial(listener)) {
                assertThat(rest(third)).isEmpty();
                assertThat(first.isClosed() || second.isClosed()).isFalse();
                assertThat(end.device.connectionCount()).isEqualTo(2);
            }
        }
    }

    @Test
    void anAddressThatIsNotAdmittedIsClosedUnread() throws Exception {
        try (var end = new Pair.End(Map.of())) {
            var requests = new LinkedBlockingQueue<Connection>();
            ListenOptions options = ListenOptions.defaults().withAdmit(address -> false);
            try (Listener listener = listen(end, options, requests::add);
                    Socket socket = dial(listener)) {
                assertThat(rest(socket)).isEmpty();
                assertThat(requests).isEmpty();
            }
        }
    }

    @Test
    void garbageInFullOperationIsAnsweredWithATerminate() throws Exception {
        try (Pair pair = new Pair(Map.of()).accept()) {
            try (Socket socket = dial(pair.listener)) {
                socket.getOutputStream().write(hex(REQUEST + "10020004 00040004"));
                Connection request = java.util.Objects.requireNonNull(pair.requests.poll(10, TimeUnit.SECONDS));
                var events = new LinkedBlockingQueue<ConnectionEvent>();
                request.setListener((c, e) -> events.add(e));
                request.createQueuePair(new io.rpcrdma4j.verbs.QueuePairOptions(
                        pair.server.domain, pair.server.queue, pair.server.queue, null, 4, 4, 1, 1, false));
                request.accept(Pair.PARAMETERS);
                // Opcode 15, in an FPDU with a right CRC.
                socket.getOutputStream().write(hex("0012 414f 00000000 00000000 00000000 00000000 00000000"));
                byte[] answer = rest(socket);
                // Without the right CRC it is a CRC error; that is what a Terminate tells.
                assertThat(HexFormat.of().formatHex(answer)).contains("41470000000000000002000000010000000020020000");
                assertThat(events.poll(10, TimeUnit.SECONDS)).isInstanceOf(ConnectionEvent.Established.class);
                assertThat(events.poll(10, TimeUnit.SECONDS))
                        .isInstanceOfSatisfying(ConnectionEvent.Disconnected.class, e -> {
                            assertThat(e.orderly()).isFalse();
                            assertThat(e.reason()).contains("CRC");
                        });
                request.close();
            }
            exchange(pair);
        }
    }

    @Test
    void aServerThatNeverRepliesIsGivenUpInTime() throws Exception {
        try (var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                var end = new Pair.End(Map.of(Settings.CONNECT_TIMEOUT, "200"))) {
            end.use(end.device.createConnection(
                    new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort()),
                    (c, e) -> end.events.add(e)));
            end.connection.connect(Pair.PARAMETERS);
            assertThat(end.event(ConnectionEvent.Failed.class).cause())
                    .hasMessageContaining("no MPA reply from 127.0.0.1");
        }
    }

    @Test
    void aServerThatRepliesNonsenseIsRefused() throws Exception {
        for (String reply : new String[] {
            "00",
            REQUEST,
            "4d504120494420526570204672616d65 90020004 00040004",
            "4d504120494420526570204672616d65 00010000"
        }) {
            try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                    var end = new Pair.End(Map.of())) {
                end.use(end.device.createConnection(
                        new InetSocketAddress(server.getInetAddress(), server.getLocalPort()),
                        (c, e) -> end.events.add(e)));
                end.connection.connect(Pair.PARAMETERS);
                try (Socket socket = server.accept()) {
                    socket.setSoTimeout(10_000);
                    assertThat(socket.getInputStream().readNBytes(27)).hasSize(27);
                    socket.getOutputStream().write(hex(reply));
                    assertThat(rest(socket)).isEmpty();
                }
                assertThat(end.event(ConnectionEvent.Failed.class).cause()).hasMessageContaining("broke the protocol");
            }
        }
    }

    @Test
    void aPortWhereNobodyListensIsRefusedAtOnce() throws Exception {
        int port;
        try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
        }
        try (var end = new Pair.End(Map.of())) {
            end.use(end.device.createConnection(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), (c, e) -> end.events.add(e)));
            end.connection.connect(Pair.PARAMETERS);
            assertThat(end.event(ConnectionEvent.Failed.class).cause())
                    .hasMessage("can't connect to 127.0.0.1:" + port + ": Connection refused");
        }
    }

    private static void exchange(Pair pair) throws Exception {
        MemoryRegion region = pair.client.region(64);
        MemoryRegion inbox = pair.server.region(64);
        pair.server.receive(1, inbox, 0, 64);
        assertThat(pair.client.queuePair.postSend(new SendRequest(1).segment(region, 0, 64)))
                .isNull();
        assertThat(pair.server.completion().isSuccess()).isTrue();
    }
}
