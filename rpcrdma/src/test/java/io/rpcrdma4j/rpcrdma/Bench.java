package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.ManualTimers;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpcrdma.client.RdmaRpcClient;
import io.rpcrdma4j.rpcrdma.server.RdmaRpcServer;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import io.rpcrdma4j.verbs.memory.MemoryFabric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A server and a client on one in-process fabric; closing it asserts that nothing was left behind. */
final class Bench implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    final MemoryFabric fabric;
    final ManualTimers manualTimers = new ManualTimers();
    final ExerciseProgram program = new ExerciseProgram();
    final Device serverDevice;
    final Device clientDevice;
    final RdmaRpcServer server;
    final RdmaRpcClient client;

    Bench(ExecutionMode mode, long seed) throws IOException {
        this(mode, seed, TransportOptions.defaults(), TransportOptions.defaults(), 1);
    }

    Bench(ExecutionMode mode, long seed, TransportOptions serverOptions, TransportOptions clientOptions, int links)
            throws IOException {
        fabric = MemoryFabric.builder().mode(mode).seed(seed).build();
        serverDevice = fabric.openDevice(DeviceOptions.defaults());
        clientDevice = fabric.openDevice(DeviceOptions.defaults());
        server = RdmaRpcServer.open(
                serverDevice,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ListenOptions.defaults(),
                RpcDispatcher.builder().program(program).build(),
                serverOptions,
                events("server"));
        Timers timers = mode == ExecutionMode.THREADED ? Timers.system() : manualTimers;
        client = RdmaRpcClient.open(
                clientDevice, server.address(), links, clientOptions, events("client"), timers, (int) seed);
    }

    /** {@code -Dtest.trace=true} prints every trace point. */
    private static TransportEvents events(String who) {
        if (!Boolean.getBoolean("test.trace")) {
            return TransportEvents.NONE;
        }
        return (point, connection, id, first, second) ->
                System.out.printf("%s qp %d %s id %d %d %d%n", who, connection, point, id, first, second);
    }

    void await(String what, BooleanSupplier condition) {
        if (fabric.mode() == ExecutionMode.STEPPED) {
            assertThat(fabric.runUntil(condition, LIMIT)).as(what).isTrue();
            return;
        }
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as(what).isNegative();
            Thread.onSpinWait();
        }
    }

    /**
     * Waits while the clocks of fabric and transports go on, for what takes time-outs or new connections. Only with a
     * stepped fabric.
     */
    void awaitOverTime(String what, BooleanSupplier condition) {
        int rounds = 0;
        while (!condition.getAsBoolean()) {
            if (fabric.runUntilIdle() == 0) {
                fabric.advance(Duration.ofMillis(20));
                manualTimers.advance(Duration.ofMillis(20).toNanos());
            }
            assertThat(rounds++).as("rounds of waiting for %s", what).isLessThan(20_000);
        }
    }

    /** Makes a call and waits for its end. */
    ExerciseCall run(ExerciseCall call) {
        client.start(call);
        await("the end of the call", call::isDone);
        assertThat(call.ends()).isEqualTo(1);
        return call;
    }

    @Override
    public void close() {
        client.shutdown();
        await("the client's end", client::isTerminated);
        client.close();
        server.shutdown();
        await("the server's end", server::isTerminated);
        server.close();
        assertThat(server.connections()).as("connections").isZero();
        assertThat(client.buffersOutstanding()).as("client buffers").isZero();
        assertThat(server.buffersOutstanding()).as("server buffers").isZero();
        assertThat(clientDevice.registeredBytes()).as("client registered bytes").isZero();
        assertThat(serverDevice.registeredBytes()).as("server registered bytes").isZero();
        clientDevice.close();
        serverDevice.close();
    }
}
