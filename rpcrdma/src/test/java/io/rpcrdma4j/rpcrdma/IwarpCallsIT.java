package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpcrdma.client.RdmaRpcClient;
import io.rpcrdma4j.rpcrdma.server.RdmaRpcServer;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.VerbsProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The transports over software iWARP on real sockets; each test ends by asserting that nothing was left behind. */
@Timeout(60)
final class IwarpCallsIT {

    private static final int[] SIZES = {
        0, 1, 3, 4, 100, 1023, 3900, 3999, 4095, 4096, 4097, 65_536, (1 << 20) - 1, 1 << 20
    };

    /** A server and a client on loopback. */
    private static final class Loopback implements AutoCloseable {

        final ExerciseProgram program = new ExerciseProgram();
        final Device serverDevice;
        final Device clientDevice;
        final RdmaRpcServer server;
        final RdmaRpcClient client;

        Loopback(String crc, int links) throws Exception {
            VerbsProvider provider = VerbsProvider.named("iwarp");
            DeviceOptions options = DeviceOptions.defaults().withProperties(Map.of("crc", crc));
            serverDevice = provider.open(options);
            clientDevice = provider.open(options);
            server = RdmaRpcServer.open(
                    serverDevice,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    ListenOptions.defaults(),
                    RpcDispatcher.builder().program(program).build(),
                    TransportOptions.defaults(),
                    TransportEvents.NONE);
            client = RdmaRpcClient.open(
                    clientDevice,
                    server.address(),
                    links,
                    TransportOptions.defaults(),
                    TransportEvents.NONE,
                    Timers.system());
        }

        ExerciseCall run(ExerciseCall call) {
            client.start(call);
            await(call::isDone);
            return call;
        }

        void await(BooleanSupplier condition) {
            long deadline = System.nanoTime() + 20_000_000_000L;
            while (!condition.getAsBoolean()) {
                assertThat(System.nanoTime() - deadline).isNegative();
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() {
            client.close();
            await(() -> server.connections() == 0);
            server.close();
            assertThat(clientDevice.registeredBytes())
                    .as("client registered bytes")
                    .isZero();
            assertThat(serverDevice.registeredBytes())
                    .as("server registered bytes")
                    .isZero();
            clientDevice.close();
            serverDevice.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    void callsOfEveryShapeAndSize(String crc) throws Exception {
        try (var loopback = new Loopback(crc, 1)) {
            PayloadBuffer sink = loopback.client.memory().allocate(1 << 20);
            for (int size : SIZES) {
                byte[] expected = ExerciseProgram.bytes(size, size);
                assertThat((byte[]) loopback.run(ExerciseCall.generate(size, size, sink))
                                .result())
                        .as("result of %d", size)
                        .isEqualTo(expected);
                PayloadBuffer payload = loopback.client.memory().allocate(size);
                ExerciseProgram.fill(payload.segment(), size, size);
                assertThat(loopback.run(ExerciseCall.checksum(payload, size, 5)).result())
                        .as("argument of %d", size)
                        .isEqualTo(ExerciseCall.checksumOf(expected) + ":5");
                assertThat((byte[]) loopback.run(ExerciseCall.text(size, size)).result())
                        .as("long reply of %d", size)
                        .isEqualTo(expected);
                assertThat(loopback.run(ExerciseCall.longCall(expected)).result())
                        .as("long call of %d", size)
                        .isEqualTo(ExerciseCall.checksumOf(expected));
            }
            sink.release();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void manyCallsAtOnce(int links) throws Exception {
        try (var loopback = new Loopback("on", links)) {
            List<ExerciseCall> calls = new ArrayList<>();
            for (int i = 0; i < 5000; i++) {
                ExerciseCall call = i % 5 == 0 ? ExerciseCall.text(i * 3, i) : ExerciseCall.ofNull();
                calls.add(call);
                loopback.client.start(call);
            }
            for (int i = 0; i < calls.size(); i++) {
                ExerciseCall call = calls.get(i);
                loopback.await(call::isDone);
                if (i % 5 == 0) {
                    assertThat((byte[]) call.result()).isEqualTo(ExerciseProgram.bytes(i * 3, i));
                } else {
                    call.result();
                }
            }
        }
    }

    @Test
    void twoHundredConnectionsInARow() throws Exception {
        try (var loopback = new Loopback("on", 1)) {
            for (int i = 0; i < 200; i++) {
                try (var client = RdmaRpcClient.open(loopback.clientDevice, loopback.server.address())) {
                    ExerciseCall call = ExerciseCall.ofNull();
                    client.start(call);
                    loopback.await(call::isDone);
                    call.result();
                }
            }
        }
    }
}
