package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpcrdma.client.RdmaRpcClient;
import io.rpcrdma4j.rpcrdma.server.RdmaRpcServer;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.VerbsProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Nonsense of every kind sent to a server's port while another client works: the one who sent it is answered or cut off
 * with one line in the log, the other notices nothing, and nothing is left behind.
 */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // set before each test
final class GarbageIT {

    private static final String ABSENT = "00000000";
    private static final String NULL_BODY =
            "12345678 00000000 00000002 20000001 00000001 00000000 00000000 00000000 00000000 00000000";
    private static final String ERR_CHUNK = "12345678 00000001";

    private final ExerciseProgram program = new ExerciseProgram();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final AtomicInteger goodCalls = new AtomicInteger();
    private final AtomicReference<Throwable> trouble = new AtomicReference<>();
    private Device device;
    private RdmaRpcServer server;
    private RdmaRpcClient client;
    private Thread worker;
    private volatile boolean stop;

    @BeforeEach
    void start() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("io.rpcrdma4j");
        logger.setLevel(Level.INFO);
        log.start();
        logger.addAppender(log);
        device = VerbsProvider.named("iwarp").open(DeviceOptions.defaults());
        server = RdmaRpcServer.open(
                device,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ListenOptions.defaults().withHandshakeTimeout(Duration.ofSeconds(1)),
                RpcDispatcher.builder().program(program).build(),
                TransportOptions.defaults(),
                TransportEvents.NONE);
        client = RdmaRpcClient.open(device, server.address());
        worker = Thread.ofPlatform().start(this::work);
        await(() -> goodCalls.get() > 0);
        log.list.clear();
    }

    /** The client next door: checks every byte. */
    private void work() {
        try {
            PayloadBuffer sink = client.memory().allocate(70_000);
            for (int i = 0; !stop; i++) {
                ExerciseCall call = ExerciseCall.generate(70_000, i, sink);
                client.start(call);
                await(call::isDone);
                assertThat((byte[]) call.result()).isEqualTo(ExerciseProgram.bytes(70_000, i));
                goodCalls.incrementAndGet();
            }
            sink.release();
        } catch (Throwable t) {
            trouble.set(t);
        }
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        int before = goodCalls.get();
        await(() -> goodCalls.get() > before || trouble.get() != null);
        stop = true;
        worker.join();
        assertThat(trouble.get()).isNull();
        await(() -> server.connections() == 1);
        client.close();
        await(() -> server.connections() == 0);
        server.close();
        assertThat(device.registeredBytes()).isZero();
        device.close();
        ((Logger) LoggerFactory.getLogger("io.rpcrdma4j")).detachAppender(log);
    }

    private void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not in time");
            }
            Thread.onSpinWait();
        }
    }

    private RawIwarpClient raw() throws Exception {
        return new RawIwarpClient(server.address());
    }

    /** The lines at INFO and above that name the peer with this port, besides "connected" and the orderly "closed". */
    private List<String> complaints(int port) {
        return List.copyOf(log.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains(":" + port))
                .filter(line -> !line.contains(": connected") && !line.contains("the peer disconnected"))
                .toList();
    }

    private void assertOneComplaint(int port) {
        await(() -> !complaints(port).isEmpty());
        assertThat(complaints(port)).as("lines about port " + port).hasSize(1);
    }

    private void assertCutOff(RawIwarpClient raw) throws Exception {
        assertThat(raw.isClosedByServer()).isTrue();
        assertOneComplaint(raw.localPort());
    }

    /** The message is answered ERR_CHUNK, once in the log, and the connection serves the next call. */
    private void assertRefused(RawIwarpClient raw, String message) throws Exception {
        raw.sendMessage(message);
        byte[] answer = raw.receive();
        assertThat(answer)
                .isNotNull()
                .hasSize(20)
                .startsWith(RawIwarpClient.hex(ERR_CHUNK))
                .endsWith(RawIwarpClient.hex("00000004 00000002"));
        assertNullWorks(raw);
        assertOneComplaint(raw.localPort());
    }

    private void assertNullWorks(RawIwarpClient raw) throws Exception {
        raw.sendMessage("12345678 00000001 00000010 00000000" + ABSENT.repeat(3) + NULL_BODY);
        assertThat(raw.receive()).isNotNull().hasSize(52);
    }

    @Test
    void randomBytesAreCutOff() throws Exception {
        byte[] bytes = new byte[4096];
        new SplittableRandom(1).nextBytes(bytes);
        try (RawIwarpClient raw = raw()) {
            raw.write(bytes);
            assertCutOff(raw);
        }
    }

    @Test
    void aWebBrowserIsCutOff() throws Exception {
        try (RawIwarpClient raw = raw()) {
            raw.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertCutOff(raw);
        }
    }

    @Test
    void halfAnMpaRequestIsCutOffInTime() throws Exception {
        try (RawIwarpClient raw = raw()) {
            raw.write(Arrays.copyOf(RawIwarpClient.mpaRequest(), 17));
            assertCutOff(raw);
        }
    }

    @Test
    void privateDataLongerThanAllowedIsCutOff() throws Exception {
        try (RawIwarpClient raw = raw()) {
            byte[] request = RawIwarpClient.mpaRequest();
            request[18] = (byte) 0xff;
            raw.write(request);
            assertCutOff(raw);
        }
    }

    @Test
    void aCallThatComesBeforeTheReplyIsAnsweredOrCutOff() throws Exception {
        int port = 0;
        try (RawIwarpClient raw = raw()) {
            port = raw.localPort();
            raw.write(RawIwarpClient.mpaRequest());
            raw.write(
                    raw.send(RawIwarpClient.hex("12345678 00000001 00000010 00000000" + ABSENT.repeat(3) + NULL_BODY)));
            // RFC 5044 section 7.1.2: legal from the initiator only after the Reply; the server may serve or cut it
            // off.
            boolean closed = raw.isClosedByServer();
            assertThat(closed).isEqualTo(complaints(raw.localPort()).size() == 1);
        } catch (SocketTimeoutException answered) {
            assertThat(complaints(port)).isEmpty();
        }
    }

    @Test
    void aHeaderCutShortIsRefusedAndAFragmentDropped() throws Exception {
        try (RawIwarpClient raw = raw().handshake()) {
            assertRefused(raw, "12345678 00000001 00000010 00000000 00000000");
        }
        try (RawIwarpClient raw = raw().handshake()) {
            raw.sendMessage("12345678 0000");
            assertNullWorks(raw);
            assertOneComplaint(raw.localPort());
        }
    }

    @Test
    void rdmaDoneAndRdmaErrorAreDropped() throws Exception {
        for (String type : List.of("00000003", "00000004")) {
            try (RawIwarpClient raw = raw().handshake()) {
                raw.sendMessage("12345678 00000001 00000010" + type + ABSENT.repeat(3));
                assertNullWorks(raw);
                assertOneComplaint(raw.localPort());
            }
        }
    }

    @Test
    void anUnknownVersionIsToldWhichThereIs() throws Exception {
        try (RawIwarpClient raw = raw().handshake()) {
            raw.sendMessage("12345678 00000002 00000010 00000000" + ABSENT.repeat(3));
            assertThat(raw.receive())
                    .isNotNull()
                    .hasSize(28)
                    .endsWith(RawIwarpClient.hex("00000004 00000001 00000001 00000001"));
            assertNullWorks(raw);
            assertOneComplaint(raw.localPort());
        }
    }

    @Test
    void aCallWhoseKeyIsRefusedByItsOwnClientEndsTheConnection() throws Exception {
        // CHECKSUM whose payload is in a Read chunk; the client then refuses the server's Read with a Terminate.
        try (RawIwarpClient raw = raw().handshake()) {
            raw.sendMessage("12345678 00000001 00000010 00000000 00000001 0000002c 0badf00d 00001000 00000000 00000000"
                    + ABSENT.repeat(3)
                    + "12345678 00000000 00000002 20000001 00000001 00000003 00000000 00000000 00000000 00000000"
                    + "00001000 00000001");
            raw.write(RawIwarpClient.fpdu(RawIwarpClient.hex("4147 00000000 00000002 00000001 00000000 01000000")));
            assertCutOff(raw);
        }
    }

    @Test
    void seventeenThousandSegmentsThatAreNotThereAreRefused() throws Exception {
        try (RawIwarpClient raw = raw().handshake()) {
            assertRefused(raw, "12345678 00000001 00000010 00000000" + ABSENT + "00000001 00004268" + NULL_BODY);
        }
    }

    @Test
    void moreSegmentsThanTheLimitAreRefused() throws Exception {
        // 140 Read chunks of one byte each: one header holds them, one call may not have them.
        StringBuilder list = new StringBuilder();
        for (int i = 1; i <= 140; i++) {
            list.append("00000001").append(String.format("%08x", 4 * i)).append("00000007 00000001 00000000 00000000");
        }
        try (RawIwarpClient raw = raw().handshake()) {
            assertRefused(raw, "12345678 00000001 00000010 00000000" + list + ABSENT.repeat(3) + NULL_BODY);
        }
    }

    @Test
    void segmentsBeyondFourGibibytesAreRefused() throws Exception {
        String huge = "00000007 ffffffff 00000000 00000000";
        try (RawIwarpClient raw = raw().handshake()) {
            assertRefused(
                    raw,
                    "12345678 00000001 00000010 00000000" + ABSENT + "00000001 00000002" + huge + huge
                            + ABSENT.repeat(2) + NULL_BODY);
        }
    }

    @Test
    void aWrongCrcEndsTheConnection() throws Exception {
        try (RawIwarpClient raw = raw().handshake()) {
            byte[] fpdu =
                    raw.send(RawIwarpClient.hex("12345678 00000001 00000010 00000000" + ABSENT.repeat(3) + NULL_BODY));
            fpdu[fpdu.length - 1] ^= 1;
            raw.write(fpdu);
            assertCutOff(raw);
        }
    }

    @Test
    void anUnknownOpcodeEndsTheConnection() throws Exception {
        try (RawIwarpClient raw = raw().handshake()) {
            raw.write(RawIwarpClient.fpdu(RawIwarpClient.hex("414f 00000000 00000000 00000001 00000000")));
            assertCutOff(raw);
        }
    }

    @Test
    void aWriteToOurMemoryEndsTheConnection() throws Exception {
        try (RawIwarpClient raw = raw().handshake()) {
            raw.write(RawIwarpClient.fpdu(RawIwarpClient.hex("c140 00000101 00000000 00000000 deadbeef")));
            assertCutOff(raw);
        }
    }

    @Test
    void aSendLongerThanTheReceiveEndsTheConnection() throws Exception {
        try (RawIwarpClient raw = raw().handshake()) {
            raw.write(raw.send(new byte[5000]));
            assertCutOff(raw);
        }
    }

    @Test
    void anFpduThatNeverEndsIsLeftAloneAndDisturbsNobody() throws Exception {
        try (RawIwarpClient raw = raw().handshake()) {
            raw.write(new byte[] {0x40, 0x00, 0x41, 0x43});
            int before = goodCalls.get();
            await(() -> goodCalls.get() > before + 5);
        }
    }
}
