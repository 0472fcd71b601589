package io.rpcrdma4j.rpc.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.CallOptions;
import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.ManualTimers;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A server, a client, and the certainty that nothing is left of them. */
abstract class TcpClientFixture {
    static final CallOptions OPTIONS =
            CallOptions.of(TestProgram.PROGRAM, TestProgram.VERSION).withTimeout(Duration.ofSeconds(20));

    final NativeAllocator memory = new NativeAllocator();
    final NativeAllocator serverMemory = new NativeAllocator();
    final TestProgram program = new TestProgram();
    final RpcDispatcher dispatcher = RpcDispatcher.builder().program(program).build();
    final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
        assertThat(memory.outstanding()).isZero();
        Await.until("the server's buffers are released", () -> serverMemory.outstanding() == 0);
        memory.close();
        serverMemory.close();
    }

    static CompletableFuture<Integer> callNull(TcpClient client) {
        return client.call(OPTIONS, TestProgram.NULL, XdrEncoder.VOID, reader -> 1);
    }

    void write(XdrWriter writer, byte[] data, boolean byReference) {
        if (byReference) {
            PayloadBuffer buffer = memory.allocate(data.length);
            MemorySegment.copy(data, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, data.length);
            writer.payload(buffer, 0, data.length);
        } else {
            writer.writeOpaque(data);
        }
    }

    /** Connects until the listener's backlog takes no more. */
    static void fill(InetSocketAddress address, List<RawPeer> fillers) throws IOException {
        for (int i = 0; i < 50; i++) {
            Socket socket = new Socket();
            try {
                socket.connect(address, 50);
            } catch (SocketTimeoutException e) {
                socket.close();
                return;
            }
            fillers.add(RawPeer.of(socket));
        }
        throw new AssertionError("the backlog is not full after 50 connections");
    }

    static ServerSocket listener(int backlog) throws IOException {
        ServerSocket listener = new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
        listener.setSoTimeout(RawPeer.TIMEOUT_MILLIS);
        return listener;
    }

    /** Lets the clock run until the client tries again. */
    static Socket acceptAfterPause(ServerSocket listener, ManualTimers timers) throws IOException {
        for (int i = 0; i < 4000; i++) {
            timers.advance(Duration.ofMillis(1).toNanos());
            try {
                return listener.accept();
            } catch (SocketTimeoutException e) {
                // Not yet.
            }
        }
        throw new AssertionError("the client did not try again in 4 s of its time");
    }

    static <T> T result(CompletableFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    static RpcException failure(CompletableFuture<?> future) throws Exception {
        try {
            Object value = future.get(20, TimeUnit.SECONDS);
            throw new AssertionError("no failure, but " + value);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RpcException failure) {
                return failure;
            }
            throw e;
        }
    }

    TcpServer server() throws IOException {
        return start(TcpServer.builder(dispatcher).memory(serverMemory));
    }

    TcpServer start(TcpServer.Builder builder) throws IOException {
        TcpServer server = builder.start();
        open.add(server);
        return server;
    }

    TcpClient client(InetSocketAddress address) throws IOException {
        return build(TcpClient.builder(address).memory(memory));
    }

    TcpClient build(TcpClient.Builder builder) throws IOException {
        TcpClient client = builder.build();
        open.add(client);
        return client;
    }

    /** A reusable call that says how it ended. */
    static final class EchoCall extends ClientCall {
        final LinkedBlockingQueue<String> done = new LinkedBlockingQueue<>();
        private final TcpClient client;
        byte[] data = {};
        byte[] got = {};
        int again;

        @Nullable
        PayloadBuffer source;

        volatile boolean sourceReleased;

        EchoCall(TcpClient client) {
            super(TestProgram.PROGRAM, TestProgram.VERSION);
            this.client = client;
            timeoutNanos(TimeUnit.SECONDS.toNanos(20));
        }

        @Override
        protected void encodeArguments(XdrWriter writer) {
            PayloadBuffer large = source;
            if (large == null) {
                writer.writeOpaque(data);
            } else {
                writer.payload(new Lent(large), 0, 4 << 20);
            }
        }

        @Override
        protected void decodeResults(XdrReader reader) throws XdrException {
            got = reader.readPayload(100_000).toArray(ValueLayout.JAVA_BYTE);
            reader.finish();
        }

        @Override
        protected void onDone(@Nullable RpcException failure) {
            if (failure == null && again-- > 0) {
                client.start(this);
            } else {
                done.add(failure == null ? "ok" : failure.kind() + ": " + failure.getMessage());
            }
        }

        private final class Lent implements PayloadBuffer {
            private final PayloadBuffer buffer;

            Lent(PayloadBuffer buffer) {
                this.buffer = buffer;
            }

            @Override
            public MemorySegment segment() {
                return buffer.segment();
            }

            @Override
            public void release() {
                sourceReleased = true;
            }
        }
    }
}
