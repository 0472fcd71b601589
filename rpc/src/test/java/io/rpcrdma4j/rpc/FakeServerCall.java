package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.ChunkClaims;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A server call whose transport is the test. */
final class FakeServerCall extends RpcServerCall {
    final NativeAllocator memory = new NativeAllocator();
    final FakeConnection connection = new FakeConnection();
    long replyLimit = 1 << 20;
    int transmitted;
    int discarded;

    @Nullable
    String malformed;

    /** What was transmitted last, unless {@link #keepReplies} is off. */
    byte[] reply = {};

    boolean keepReplies = true;

    private final PayloadBuffer head = memory.allocate(1024);

    void receive(MemorySegment message, @Nullable ChunkClaims chunks) {
        begin(message, 0, message.byteSize(), chunks);
    }

    /** Receives, dispatches, and returns the reply's bytes, or none if there was no reply. */
    byte[] serve(RpcDispatcher dispatcher, byte[] message) {
        reply = new byte[0];
        receive(MemorySegment.ofArray(message), null);
        dispatcher.dispatch(this);
        return reply;
    }

    void finishTest() {
        head.release();
        if (memory.outstanding() != 0) {
            throw new AssertionError(memory.outstanding() + " buffers were not released");
        }
        memory.close();
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
        return replyLimit;
    }

    @Override
    protected void startReply(XdrWriter replyWriter) {
        replyWriter.start(memory, head, 0, 1024, replyLimit);
    }

    @Override
    protected void transmit(XdrBuffer message) {
        transmitted++;
        if (keepReplies) {
            reply = message.toByteArray();
        }
        end();
    }

    @Override
    protected void discard() {
        discarded++;
        end();
    }

    @Override
    protected void malformed(String reason) {
        malformed = reason;
        end();
    }

    /** A connection that is only a name. */
    static final class FakeConnection implements RpcConnection {
        private final Attachments attachments = new Attachments();
        private final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        boolean open = true;

        @Override
        public long id() {
            return 1;
        }

        @Override
        public String transport() {
            return "fake";
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return address;
        }

        @Override
        public InetSocketAddress localAddress() {
            return address;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public int callsMax() {
            return 1;
        }

        @Override
        public long callBytesMax() {
            return 1 << 20;
        }

        @Override
        public Attachments attachments() {
            return attachments;
        }

        @Override
        public void close() {
            open = false;
        }
    }
}
