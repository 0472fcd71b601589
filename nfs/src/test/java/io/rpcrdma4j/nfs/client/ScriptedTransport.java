package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.rpc.AcceptStatus;
import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.PendingCall;
import io.rpcrdma4j.rpc.RpcCallHeader;
import io.rpcrdma4j.rpc.RpcClientTransport;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.RpcReplyHeader;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A transport whose server is the test. Calls are encoded and decoded as on a real one, and answered either inside
 * start or on a thread of their own, in random order.
 */
final class ScriptedTransport implements RpcClientTransport {
    final NativeAllocator memory;
    private final NativeAllocator messages = new NativeAllocator();
    private final Server server;
    private final @Nullable SplittableRandom order;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Request> requests = new ArrayList<>();
    private final @Nullable Thread thread;
    private int underWay;
    private int mostUnderWay;
    private int nextXid = 1;
    private boolean closed;
    boolean refuses;

    /** Answers calls, one at a time. */
    interface Server {
        /** Reads the arguments and writes the results; what it throws is the call's end. */
        void serve(int procedure, XdrReader arguments, XdrWriter results) throws XdrException, RpcException;
    }

    @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
    private record Request(PendingCall call, int xid, byte[] message) {}

    private ScriptedTransport(Server server, @Nullable SplittableRandom order, long memoryBytes) {
        this.server = server;
        this.order = order;
        memory = new NativeAllocator(memoryBytes);
        thread = order == null ? null : Thread.ofPlatform().daemon().start(this::run);
    }

    static ScriptedTransport inline(Server server) {
        return new ScriptedTransport(server, null, NativeAllocator.DEFAULT_CEILING_BYTES);
    }

    static ScriptedTransport inline(Server server, long memoryBytes) {
        return new ScriptedTransport(server, null, memoryBytes);
    }

    static ScriptedTransport reordering(Server server, SplittableRandom order) {
        return new ScriptedTransport(server, order, NativeAllocator.DEFAULT_CEILING_BYTES);
    }

    /** The most calls that were under way at once. */
    int mostUnderWay() {
        lock.lock();
        try {
            return mostUnderWay;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void start(ClientCall call) {
        if (refuses) {
            throw new IllegalStateException("refused by the test");
        }
        PendingCall pending = call.pending();
        int xid;
        lock.lock();
        try {
            xid = nextXid++;
            underWay++;
            mostUnderWay = Math.max(mostUnderWay, underWay);
        } finally {
            lock.unlock();
        }
        pending.begin(xid, System.nanoTime(), this::cancel);
        XdrBuffer buffer = new XdrBuffer();
        XdrWriter writer = new XdrWriter(buffer);
        writer.startOwned(messages, messages.allocate(1024), 1 << 20);
        RpcException failure = pending.encode(writer);
        byte[] message = buffer.toByteArray();
        buffer.releaseAll();
        if (failure != null) {
            end(pending, failure);
            return;
        }
        Request request = new Request(pending, xid, message);
        if (order == null) {
            answer(request);
            return;
        }
        lock.lock();
        try {
            requests.add(request);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void cancel(PendingCall call, int xid) {
        boolean found;
        lock.lock();
        try {
            found = requests.removeIf(request -> request.call == call && request.xid == xid);
        } finally {
            lock.unlock();
        }
        if (found) {
            end(call, new RpcException(RpcException.Kind.CANCELLED, "the call was cancelled"));
        }
    }

    private void run() {
        while (true) {
            Request request;
            lock.lock();
            try {
                while (requests.isEmpty() && !closed) {
                    changed.await();
                }
                if (closed) {
                    return;
                }
                request = requests.remove(order == null ? 0 : order.nextInt(requests.size()));
            } catch (InterruptedException e) {
                return;
            } finally {
                lock.unlock();
            }
            answer(request);
        }
    }

    private void answer(Request request) {
        XdrBuffer buffer = new XdrBuffer();
        try {
            XdrReader reader = new XdrReader();
            reader.start(MemorySegment.ofArray(request.message));
            RpcCallHeader header = new RpcCallHeader();
            if (header.parse(reader) != RpcCallHeader.Result.OK) {
                throw new AssertionError("not a call");
            }
            XdrWriter writer = new XdrWriter(buffer);
            writer.startOwned(messages, messages.allocate(1024), 1 << 20);
            RpcReplyHeader.writeAccepted(writer, request.xid, AcceptStatus.SUCCESS);
            server.serve(header.procedure(), reader, writer);
            reader.finish();
            writer.finish();
            XdrReader reply = new XdrReader();
            reply.start(MemorySegment.ofArray(buffer.toByteArray()));
            if (request.call.claim()) {
                leave();
                request.call.complete(request.call.decode(reply));
            }
        } catch (XdrException e) {
            throw new AssertionError("malformed arguments", e);
        } catch (RpcException e) {
            end(request.call, e);
        } finally {
            buffer.releaseAll();
        }
    }

    private void end(PendingCall call, RpcException failure) {
        if (call.claim()) {
            leave();
            call.complete(failure);
        }
    }

    private void leave() {
        lock.lock();
        try {
            underWay--;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public PayloadAllocator memory() {
        return memory;
    }

    @Override
    public String name() {
        return "scripted";
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return new InetSocketAddress(0);
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    /** Ends the thread, and sees to it that nothing is left. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        Thread running = thread;
        if (running != null) {
            try {
                if (!running.join(Duration.ofSeconds(10))) {
                    throw new AssertionError("the transport's thread does not end");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        if (memory.outstanding() + messages.outstanding() != 0) {
            throw new AssertionError(
                    memory.outstanding() + " buffers were not released, " + messages.outstanding() + " of messages");
        }
        memory.close();
        messages.close();
    }
}
