package io.rpcrdma4j.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.IoStrategy;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.OncRpcSvc;
import org.dcache.oncrpc4j.rpc.OncRpcSvcBuilder;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrInt;
import org.dcache.oncrpc4j.xdr.XdrVoid;

/** oncrpc4j on TCP: what Java programs have. */
final class OncRpc4jRival implements Rival {

    private final OncRpcClient client;
    private final RpcCall call;

    OncRpc4jRival(int port, String congestion) throws IOException {
        client = new OncRpcClient(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                IpProtocolType.TCP,
                0,
                IoStrategy.SAME_THREAD,
                "bench");
        RpcTransport transport = client.connect();
        CongestionControl.set(
                transport.getLocalSocketAddress().getPort(),
                transport.getRemoteSocketAddress().getPort(),
                congestion);
        call = new RpcCall(RdmaRival.PROGRAM, RdmaRival.VERSION, new RpcAuthTypeNone(), transport);
    }

    /** Starts the server; it lives as long as its process. */
    static int serve(String congestion) throws IOException {
        OncRpcSvc service = new OncRpcSvcBuilder()
                .withTCP()
                .withBindAddress(InetAddress.getLoopbackAddress().getHostAddress())
                .withPort(0)
                .withoutAutoPublish()
                .withTcpNoDelay(true)
                .withSameThreadIoStrategy()
                .withRpcService(new OncRpcProgram(RdmaRival.PROGRAM, RdmaRival.VERSION), OncRpc4jRival::dispatch)
                .build();
        service.start();
        int port = service.getInetSocketAddress(IpProtocolType.TCP).getPort();
        CongestionControl.set(port, 0, congestion);
        return port;
    }

    private static void dispatch(RpcCall call) throws IOException {
        if (call.getProcedure() == RdmaRival.NULL) {
            call.reply(XdrVoid.XDR_VOID);
            return;
        }
        var bytes = new XdrInt();
        call.retrieveCall(bytes);
        var data = new Data();
        data.buffer = ByteBuffer.allocate(bytes.intValue());
        call.reply(data);
    }

    @Override
    public String name() {
        return "oncrpc4j on TCP";
    }

    @Override
    public long callNull(long deadlineNanos) throws Exception {
        return new Chain(call, RdmaRival.NULL, 0, deadlineNanos).run();
    }

    @Override
    public long read(int bytes, long deadlineNanos) throws Exception {
        return new Chain(call, RdmaRival.READ, bytes, deadlineNanos).run();
    }

    @Override
    public void close() throws IOException {
        client.close();
    }

    /** Calls that start each other. */
    private static final class Chain implements CompletionHandler<RpcReply, RpcTransport> {

        private final RpcCall call;
        private final int procedure;
        private final int bytes;
        private final long deadlineNanos;
        private final CompletableFuture<Long> end = new CompletableFuture<>();
        private final Data data = new Data();
        private long count;

        Chain(RpcCall call, int procedure, int bytes, long deadlineNanos) {
            this.call = call;
            this.procedure = procedure;
            this.bytes = bytes;
            this.deadlineNanos = deadlineNanos;
        }

        long run() throws Exception {
            next();
            return end.get(deadlineNanos - System.nanoTime() + LIMIT_NANOS, TimeUnit.NANOSECONDS);
        }

        private void next() throws IOException {
            call.call(procedure, bytes == 0 ? XdrVoid.XDR_VOID : new XdrInt(bytes), this);
        }

        @Override
        public void completed(RpcReply reply, RpcTransport transport) {
            try {
                reply.getReplyResult(bytes == 0 ? XdrVoid.XDR_VOID : data);
                if (data.buffer.remaining() != bytes) {
                    throw new AssertionError("a short read");
                }
                count++;
                if (System.nanoTime() - deadlineNanos < 0) {
                    next();
                } else {
                    end.complete(count);
                }
            } catch (IOException | RuntimeException | Error e) {
                end.completeExceptionally(e);
            }
        }

        @Override
        public void failed(Throwable cause, RpcTransport transport) {
            end.completeExceptionally(cause);
        }
    }

    /** The opaque of a READ, as nfs4j has it: by reference out, and in one buffer in. */
    private static final class Data implements XdrAble {

        private ByteBuffer buffer = ByteBuffer.allocate(0);

        @Override
        public void xdrEncode(XdrEncodingStream stream) throws IOException {
            stream.xdrEncodeByteBuffer(buffer);
        }

        @Override
        public void xdrDecode(XdrDecodingStream stream) throws IOException {
            buffer = stream.xdrDecodeByteBuffer();
        }
    }
}
