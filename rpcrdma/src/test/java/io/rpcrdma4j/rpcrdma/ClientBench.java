package io.rpcrdma4j.rpcrdma;

import static io.rpcrdma4j.rpcrdma.RawMessage.SUCCESS;
import static io.rpcrdma4j.rpcrdma.RawMessage.accepted;
import static io.rpcrdma4j.rpcrdma.RawMessage.msg;
import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.ManualTimers;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpcrdma.client.ClientProbe;
import io.rpcrdma4j.rpcrdma.client.RdmaRpcClient;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import io.rpcrdma4j.verbs.memory.MemoryFabric;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A real client and a server made by hand; closing it asserts that nothing was left behind. */
final class ClientBench implements AutoCloseable {

    final MemoryFabric fabric;
    final Network network;
    final ManualTimers timers = new ManualTimers();
    final EventLog events = new EventLog();
    final Device clientDevice;
    final Device serverDevice;
    final RawServer server;
    final RdmaRpcClient client;
    private final List<PayloadBuffer> buffers = new ArrayList<>();

    ClientBench(ExecutionMode mode) throws IOException {
        this(mode, RawPeer.PLAIN, TransportOptions.defaults());
    }

    ClientBench(ExecutionMode mode, byte[] serverPrivateData, TransportOptions options) throws IOException {
        fabric = MemoryFabric.builder().mode(mode).seed(1).build();
        network = Network.inProcess(fabric);
        clientDevice = network.openDevice(DeviceOptions.defaults());
        serverDevice = network.openDevice(DeviceOptions.defaults());
        server = new RawServer(network, serverDevice, serverPrivateData);
        Timers clock = mode == ExecutionMode.THREADED ? Timers.system() : timers;
        client = RdmaRpcClient.open(clientDevice, server.address(), 1, options, events, clock, 1);
    }

    /** Starts a call. */
    ExerciseCall start(ExerciseCall call) {
        client.start(call);
        return call;
    }

    /** A buffer of the client's, released when the bench is closed. */
    PayloadBuffer allocate(int bytes) {
        PayloadBuffer buffer = client.memory().allocate(bytes);
        buffers.add(buffer);
        return buffer;
    }

    /** A call whose reply has a payload of {@code length} bytes, for which a Write chunk is offered. */
    ExerciseCall callWithSink(int length) {
        ExerciseCall call = ExerciseCall.generate(length, 9, allocate(length));
        call.replyBytesMax(3900);
        return call;
    }

    void await(ExerciseCall call) {
        network.await("the end of the call", () -> {
            server.poll();
            return call.isDone();
        });
        assertThat(call.ends()).isEqualTo(1);
    }

    void assertFails(ExerciseCall call, RpcException.Kind kind) {
        await(call);
        RpcException failure = call.failure();
        assertThat(failure).extracting(RpcException::kind).isEqualTo(kind);
    }

    /** Asserts that a NULL call goes through on this connection. */
    void assertServes(RawEnd end) {
        ExerciseCall call = start(ExerciseCall.ofNull());
        RawEnd.Received message = end.take();
        end.send(nullReply(message.word(0)));
        await(call);
        assertThat(call.result()).isEqualTo("null");
    }

    static byte[] nullReply(int xid) {
        return msg(xid).with(accepted(xid, SUCCESS));
    }

    /** Lets the clock of the client's timers and, except with threads, of the network go on. */
    void advance(Duration time) {
        fabric.advance(time);
        timers.advance(time.toNanos());
        network.settle();
    }

    /** The endpoint of the client's connection. */
    Endpoint endpoint() {
        return ClientProbe.endpoints(client).getFirst();
    }

    @Override
    public void close() {
        client.shutdown();
        network.await("the client's end", client::isTerminated);
        buffers.forEach(PayloadBuffer::release);
        client.close();
        server.close();
        assertThat(client.buffersOutstanding()).as("client buffers").isZero();
        assertThat(clientDevice.registeredBytes()).as("registered bytes").isZero();
        clientDevice.close();
        serverDevice.close();
    }
}
