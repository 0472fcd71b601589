package io.rpcrdma4j.bench;

import io.rpcrdma4j.rpc.AcceptStatus;
import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.RpcProgram;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import io.rpcrdma4j.rpcrdma.client.RdmaRpcClient;
import io.rpcrdma4j.rpcrdma.server.RdmaRpcServer;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.VerbsProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** RPC over RDMA on the software iWARP provider. */
final class RdmaRival implements Rival {

    static final int PROGRAM = 0x2000_0002;
    static final int VERSION = 1;
    static final int NULL = 0;
    static final int READ = 1;
    static final int READ_MAX = 1 << 20;

    private final String name;
    private final Device device;
    private final RdmaRpcClient client;
    private final PayloadBuffer sink;

    RdmaRival(int port, boolean crc) throws IOException {
        name = crc ? "rpcrdma4j" : "rpcrdma4j, CRC off";
        device = open(crc);
        client = RdmaRpcClient.open(device, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        sink = client.memory().allocate(READ_MAX);
    }

    private static Device open(boolean crc) throws IOException {
        return VerbsProvider.named("iwarp")
                .open(DeviceOptions.defaults().withProperties(Map.of("crc", crc ? "on" : "off")));
    }

    /** Starts the server; it lives as long as its process. */
    static int serve(boolean crc) throws IOException {
        RdmaRpcServer server = RdmaRpcServer.open(
                open(crc),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                RpcDispatcher.builder().program(new Program()).build());
        return server.address().getPort();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long callNull(long deadlineNanos) throws Exception {
        return new Chain(client, NULL, 0, deadlineNanos).run();
    }

    @Override
    public long read(int bytes, long deadlineNanos) throws Exception {
        var chain = new Chain(client, READ, bytes, deadlineNanos);
        chain.sink(sink, 0, bytes);
        return chain.run();
    }

    @Override
    public void close() {
        sink.release();
        client.close();
        device.close();
    }

    /** One call object that starts itself again when it is done, until the deadline. */
    private static final class Chain extends ClientCall {

        private final RdmaRpcClient client;
        private final int bytes;
        private final long deadlineNanos;
        private final CompletableFuture<Long> end = new CompletableFuture<>();
        private long count;

        Chain(RdmaRpcClient client, int procedure, int bytes, long deadlineNanos) {
            super(PROGRAM, VERSION);
            procedure(procedure);
            this.client = client;
            this.bytes = bytes;
            this.deadlineNanos = deadlineNanos;
        }

        long run() throws Exception {
            client.start(this);
            return end.get(deadlineNanos - System.nanoTime() + LIMIT_NANOS, TimeUnit.NANOSECONDS);
        }

        @Override
        protected void encodeArguments(XdrWriter writer) {
            if (procedure() == READ) {
                writer.writeInt(bytes);
            }
        }

        @Override
        protected void decodeResults(XdrReader reader) throws XdrException {
            if (procedure() == READ && reader.readPayload(READ_MAX).byteSize() != bytes) {
                throw new AssertionError("a short read");
            }
        }

        @Override
        protected void onDone(@Nullable RpcException failure) {
            if (failure != null) {
                end.completeExceptionally(failure);
                return;
            }
            count++;
            if (System.nanoTime() - deadlineNanos < 0) {
                client.start(this);
            } else {
                end.complete(count);
            }
        }
    }

    /** NULL, and READ from registered memory. */
    private static final class Program implements RpcProgram {

        @Override
        public int program() {
            return PROGRAM;
        }

        @Override
        public int lowestVersion() {
            return VERSION;
        }

        @Override
        public int highestVersion() {
            return VERSION;
        }

        @Override
        public boolean mayBlock(int version, int procedure) {
            return false;
        }

        @Override
        public void call(RpcServerCall call) throws XdrException {
            switch (call.procedure()) {
                case NULL -> call.success();
                case READ -> {
                    int bytes = Math.clamp(call.arguments().readInt(), 0, READ_MAX);
                    call.success().payload(call.memory().allocate(bytes), 0, bytes);
                }
                default -> {
                    call.fail(AcceptStatus.PROC_UNAVAIL);
                    return;
                }
            }
            call.reply();
        }
    }
}
