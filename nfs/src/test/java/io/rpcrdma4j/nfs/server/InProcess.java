package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.rpc.Attachments;
import io.rpcrdma4j.rpc.AuthSys;
import io.rpcrdma4j.rpc.RpcCallHeader;
import io.rpcrdma4j.rpc.RpcConnection;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.RpcReplyHeader;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.ChunkClaims;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A transport between a test and a dispatcher: real bytes in both directions, no socket. */
final class InProcess implements AutoCloseable {
    private static final int HEAD_BYTES = 1_024;

    private final NativeAllocator memory = new NativeAllocator();
    private final RpcDispatcher dispatcher;
    private final AtomicInteger xids = new AtomicInteger(0x1000);
    private volatile InetSocketAddress client = new InetSocketAddress(InetAddress.getLoopbackAddress(), 700);
    private volatile long replyLimit = 2 << 20;

    InProcess(RpcDispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    /** Sets where calls come from from now on. */
    void from(String address, int port) {
        client = new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    /** Sets the most bytes that a reply may have outside payloads. */
    void replyLimit(long bytes) {
        replyLimit = bytes;
    }

    NativeAllocator memory() {
        return memory;
    }

    int nextXid() {
        return xids.incrementAndGet();
    }

    /** Calls and decodes all of the results. */
    <T extends @Nullable Object> T call(
            int program, int version, int procedure, XdrEncoder arguments, XdrDecoder<T> results) throws RpcException {
        Reply reply = send(message(nextXid(), program, version, procedure, arguments), null);
        return reply.decode(results);
    }

    /** The bytes of a call. */
    byte[] message(int xid, int program, int version, int procedure, XdrEncoder arguments) {
        XdrBuffer buffer = new XdrBuffer();
        XdrWriter writer = new XdrWriter(buffer);
        writer.startOwned(memory, memory.allocate(4_096), 8 << 20);
        RpcCallHeader.write(writer, xid, program, version, procedure, new AuthSys("test", 1_000, 1_000));
        arguments.encode(writer);
        byte[] bytes = writer.finish().toByteArray();
        buffer.releaseAll();
        return bytes;
    }

    /** Sends a call; the reply is there when the dispatcher returns, unless the call waits for something. */
    Reply send(byte[] message, @Nullable ChunkClaims chunks) {
        Call call = new Call();
        call.receive(message, chunks);
        dispatcher.dispatch(call);
        return call.reply;
    }

    /** Asserts that no buffer is out. */
    @Override
    public void close() {
        if (memory.outstanding() != 0) {
            throw new AssertionError(memory.outstanding() + " buffers were not released");
        }
        memory.close();
    }

    /** What came back. */
    static final class Reply {
        private volatile byte @Nullable [] message;
        private volatile boolean dropped;
        private int payloads;

        boolean isDropped() {
            return dropped;
        }

        boolean isThere() {
            return message != null;
        }

        byte[] message() {
            byte[] bytes = message;
            if (bytes == null) {
                throw new AssertionError("no reply");
            }
            return bytes;
        }

        /** Number of results that were marked for direct placement. */
        int payloads() {
            return payloads;
        }

        <T extends @Nullable Object> T decode(XdrDecoder<T> results) throws RpcException {
            XdrReader reader = new XdrReader();
            reader.start(MemorySegment.ofArray(message()));
            try {
                int xid = java.nio.ByteBuffer.wrap(message()).getInt();
                RpcException failure = RpcReplyHeader.parse(reader, xid);
                if (failure != null) {
                    throw failure;
                }
                T value = results.decode(reader);
                reader.finish();
                return value;
            } catch (XdrException e) {
                throw new AssertionError("a malformed reply", e);
            }
        }
    }

    private final class Call extends RpcServerCall {
        private final PayloadBuffer head = memory.allocate(HEAD_BYTES);
        private final Reply reply = new Reply();
        private final Connection connection = new Connection(client);
        private final long limit = replyLimit;

        void receive(byte[] message, @Nullable ChunkClaims chunks) {
            begin(MemorySegment.ofArray(message), 0, message.length, chunks);
        }

        @Override
        public RpcConnection connection() {
            return connection;
        }

        @Override
        public PayloadAllocator memory() {
            return memory;
        }

        @Override
        public long replyLimit() {
            return limit;
        }

        @Override
        protected void startReply(XdrWriter replyWriter) {
            replyWriter.start(memory, head, 0, HEAD_BYTES, limit);
        }

        @Override
        protected void transmit(XdrBuffer message) {
            reply.payloads = message.payloadCount();
            reply.message = message.toByteArray();
            end();
            head.release();
        }

        @Override
        protected void discard() {
            reply.dropped = true;
            end();
            head.release();
        }
    }

    private record Connection(InetSocketAddress remoteAddress) implements RpcConnection {
        private static final Attachments ATTACHMENTS = new Attachments();

        @Override
        public long id() {
            return remoteAddress.getPort();
        }

        @Override
        public String transport() {
            return "test";
        }

        @Override
        public InetSocketAddress localAddress() {
            return remoteAddress;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public int callsMax() {
            return 1;
        }

        @Override
        public long callBytesMax() {
            return 8 << 20;
        }

        @Override
        public Attachments attachments() {
            return ATTACHMENTS;
        }

        @Override
        public void close() {}
    }
}
