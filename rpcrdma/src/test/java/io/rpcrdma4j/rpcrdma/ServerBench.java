package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpcrdma.server.RdmaRpcServer;
import io.rpcrdma4j.rpcrdma.server.ServerProbe;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import io.rpcrdma4j.verbs.memory.MemoryFabric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A real server and clients made by hand; closing it asserts that nothing was left behind. */
final class ServerBench implements AutoCloseable {

    static final int READS = 16;

    final MemoryFabric fabric;
    final Network network;
    final ExerciseProgram program = new ExerciseProgram();
    final EventLog events = new EventLog();
    final Device serverDevice;
    final Device peerDevice;
    final RdmaRpcServer server;
    private final List<RawPeer> peers = new ArrayList<>();
    private int nextXid = 0x11223344;

    ServerBench(ExecutionMode mode) throws IOException {
        this(mode, TransportOptions.defaults());
    }

    ServerBench(ExecutionMode mode, TransportOptions options) throws IOException {
        this(mode, 1, options, DeviceOptions.defaults());
    }

    ServerBench(ExecutionMode mode, long seed, TransportOptions options, DeviceOptions serverDeviceOptions)
            throws IOException {
        fabric = MemoryFabric.builder().mode(mode).seed(seed).build();
        network = Network.inProcess(fabric);
        serverDevice = network.openDevice(serverDeviceOptions);
        peerDevice = network.openDevice(DeviceOptions.defaults());
        server = RdmaRpcServer.open(
                serverDevice,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ListenOptions.defaults(),
                RpcDispatcher.builder().program(program).build(),
                options,
                events);
    }

    /** A client that is connected, takes 4096 bytes inline and allows no invalidation. */
    RawPeer connect() throws IOException {
        return connect(RawPeer.PLAIN);
    }

    RawPeer connect(byte[] privateData) throws IOException {
        RawPeer peer = dial(privateData, READS);
        network.await("the connection", () -> peer.isEstablished() || peer.isOver());
        peer.established();
        return peer;
    }

    /** A client that has asked for a connection. */
    RawPeer dial(byte[] privateData, int inboundReads) throws IOException {
        RawPeer peer = RawPeer.connect(network, peerDevice, server.address(), privateData, inboundReads);
        peers.add(peer);
        return peer;
    }

    int nextXid() {
        return nextXid++;
    }

    /** The server's end of the connection that was made last. */
    Endpoint endpoint() {
        return ServerProbe.lastEndpoint(server);
    }

    /** Sends a message and waits for the next that arrives. */
    RawEnd.Received exchange(RawPeer peer, byte[] message) {
        peer.send(message);
        return peer.take();
    }

    /** Sends a message and asserts that it is answered with ERR_CHUNK, and nothing is read or executed for it. */
    void assertErrChunk(RawPeer peer, byte[] message) {
        int reads = events.count(TracePoint.POST_READ_CHUNK);
        int calls = program.calls.get();
        assertIsErrChunk(exchange(peer, message), message);
        assertThat(events.count(TracePoint.POST_READ_CHUNK))
                .as("RDMA Reads posted")
                .isEqualTo(reads);
        assertThat(program.calls.get()).as("calls executed").isEqualTo(calls);
        assertServes(peer);
    }

    /** Asserts that {@code answer} is the ERR_CHUNK to {@code message}: the fixed words and the code. */
    static void assertIsErrChunk(RawEnd.Received answer, byte[] message) {
        var request = new RawEnd.Received(message, false, 0);
        assertThat(answer.bytes()).as("length of ERR_CHUNK").hasSize(20);
        assertThat(answer.word(0)).as("xid").isEqualTo(request.word(0));
        assertThat(answer.word(1)).as("version, from the call").isEqualTo(request.word(1));
        assertThat(answer.word(2)).as("credits").isPositive();
        assertThat(answer.word(3)).as("RDMA_ERROR").isEqualTo(RawMessage.ERROR);
        assertThat(answer.word(4)).as("ERR_CHUNK").isEqualTo(2);
        assertThat(answer.withInvalidate()).as("invalidates").isFalse();
    }

    /** Sends a message that must be dropped: the next thing to arrive is the answer to the NULL call behind it. */
    void assertDropped(RawPeer peer, byte[] message) {
        peer.send(message);
        assertServes(peer);
    }

    /** Asserts that a NULL call is answered, by the next message, bit for bit; and that the server is idle then. */
    void assertServes(RawPeer peer) {
        int xid = nextXid();
        RawEnd.Received answer = exchange(
                peer, RawMessage.header(xid, 1, 7, RawMessage.MSG).with(RawMessage.call(xid, ExerciseProgram.NULL)));
        assertThat(answer.bytes())
                .as("answer to NULL")
                .isEqualTo(RawMessage.header(xid, 1, 7, RawMessage.MSG)
                        .with(RawMessage.accepted(xid, RawMessage.SUCCESS)));
        assertIdle();
    }

    /** Asserts that everything taken for calls comes home while connections stay. */
    void assertIdle() {
        network.settle();
        for (Endpoint endpoint : ServerProbe.endpoints(server)) {
            network.await(
                    "the release of all send contexts", () -> endpoint.sends().outstanding() == 0);
            assertThat(endpoint.readWriteContextsInUse())
                    .as("Read/Write contexts in use")
                    .isZero();
            assertThat(endpoint.sendQueue().available())
                    .as("send-queue entries free")
                    .isEqualTo(endpoint.sendQueue().depth());
        }
    }

    /** Asserts that the server ended the connection. */
    void assertClosed(RawPeer peer) {
        network.await("the end of the connection", () -> {
            peer.poll();
            return peer.isOver();
        });
    }

    @Override
    public void close() {
        for (RawPeer peer : peers) {
            peer.close();
        }
        server.shutdown();
        network.await("the server's end", server::isTerminated);
        server.close();
        assertThat(server.buffersOutstanding()).as("server buffers").isZero();
        assertThat(serverDevice.registeredBytes()).as("registered bytes").isZero();
        peerDevice.close();
        serverDevice.close();
    }
}
