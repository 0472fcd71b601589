package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.Attachments;
import io.rpcrdma4j.rpc.RpcConnection;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a server.
 *
 * <h2>Operation</h2>
 *
 * Bytes are read into the loop's buffer, or for large records straight into the record's, and become calls. Reading
 * stops while too many calls are in progress, too many bytes of replies wait, or memory is short; what was read by then
 * is kept aside. Replies are queued, and written at the end of each turn.
 *
 * <h2>Buffer ownership</h2>
 *
 * Owns the record under way and what was kept aside. A complete record belongs to its call, until the reply is written.
 *
 * <h2>Threading</h2>
 *
 * Confined to its event loop, except where said.
 *
 * <h2>Errors</h2>
 *
 * Every error ends in {@link #shut}, once, with a reason for the log.
 */
final class TcpServerConnection implements RpcConnection, EventLoop.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(TcpServer.class);

    /** Reads per turn, so that a fast peer does not hold up the others. */
    private static final int READS_PER_TURN = 16;
    /** A fragment with at least so much to come is read to where it belongs. */
    private static final int DIRECT_BYTES = 32 * 1024;

    /** Slowest rate at which a record may come once the stall time has passed: 1 KiB a second. */
    private static final long RECORD_NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) / 1024;

    private static final long MEMORY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Call objects that are kept for reuse. */
    private static final int IDLE_CALLS = 32;

    final EventLoop loop;
    final TcpServer server;

    private final SocketChannel socket;
    private final TcpIo io;
    private final long id;
    private final InetSocketAddress remote;
    private final InetSocketAddress local;
    private final Attachments attachments = new Attachments();
    private final RecordReader reader;
    private final RecordWriter writer = new RecordWriter();
    private final ArrayDeque<TcpServerCall> idleCalls = new ArrayDeque<>();

    private volatile boolean open = true;
    private @Nullable SelectionKey key;
    /** Calls begun and not ended. */
    private int callsInProgress;
    /** Bytes that were read but could not be served yet; in {@code aside[asideFrom .. asideTo)}. */
    private @Nullable PayloadBuffer aside;

    private long asideFrom;
    private long asideTo;
    /** Nothing more is read: the peer sent its last byte, or the server is closing. */
    private boolean inputEnded;

    private boolean draining;
    private boolean memoryShort;
    private boolean inTurn;
    private long lastProgress;
    /** When the record under way began. */
    private long recordSince;

    TcpServerConnection(TcpServer server, EventLoop loop, SocketChannel socket, InetSocketAddress remote, long id)
            throws IOException {
        this.server = server;
        this.loop = loop;
        this.socket = socket;
        this.remote = remote;
        this.id = id;
        local = (InetSocketAddress) socket.getLocalAddress();
        io = new TcpIo(socket, server.channelFilter.apply(socket));
        reader = new RecordReader(server.memory, server.limits.recordBytes());
        lastProgress = server.timers.nanoTime();
    }

    // ---- what programs see; any thread

    @Override
    public long id() {
        return id;
    }

    @Override
    public String transport() {
        return "tcp";
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public int callsMax() {
        return server.limits.callsPerConnection();
    }

    @Override
    public long callBytesMax() {
        return server.limits.recordBytes();
    }

    @Override
    public Attachments attachments() {
        return attachments;
    }

    @Override
    public void close() {
        loop.execute(() -> shut("closed by the server"));
    }

    @Override
    public String toString() {
        return "tcp connection " + id + " from " + remote;
    }

    // ---- life

    void open() {
        try {
            key = loop.register(socket, SelectionKey.OP_READ, this);
            server.log.info("Opened " + this);
        } catch (IOException | ClosedSelectorException e) {
            shut(e.toString());
        }
    }

    /** Reads no more and closes when the calls in progress are answered. Any thread. */
    void drain() {
        loop.execute(() -> {
            inputEnded = true;
            draining = true;
            settle();
        });
    }

    /** Closes the connection if it has made no progress for too long. Any thread. */
    void checkProgress() {
        long now = server.timers.nanoTime();
        loop.execute(() -> {
            long rest = now - lastProgress;
            if (!writer.isEmpty() && rest >= server.limits.stallNanos()) {
                shut("a reply was not taken for " + TimeUnit.NANOSECONDS.toMillis(rest) + " ms");
            } else if (mayRead() && isRecordTooSlow(now)) {
                shut("a record was not completed in " + TimeUnit.NANOSECONDS.toMillis(now - recordSince) + " ms");
            } else if (callsInProgress == 0 && rest >= server.limits.idleNanos()) {
                shut("idle for " + TimeUnit.NANOSECONDS.toMillis(rest) + " ms");
            }
        });
    }

    /** Whether the record under way has rested for too long, or trickles in slower than a second per KiB. */
    private boolean isRecordTooSlow(long now) {
        long granted = server.limits.stallNanos();
        return reader.isMidRecord()
                && (now - lastProgress >= granted
                        || now - recordSince >= granted + reader.recordLength() * RECORD_NANOS_PER_BYTE);
    }

    @Override
    public void onLoopEnd(String reason) {
        shut(reason);
    }

    private void shut(@Nullable String reason) {
        if (!open) {
            return;
        }
        open = false;
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("Closing {}", this, e);
        }
        reader.close();
        dropAside();
        writer.dropAll();
        for (TcpServerCall call = idleCalls.poll(); call != null; call = idleCalls.poll()) {
            call.free();
        }
        server.log.info("Closed " + this + ": " + reason);
        server.onClosed(this);
    }

    // ---- input

    @Override
    public void onReady(int readyOps) {
        lastProgress = server.timers.nanoTime();
        if (!reader.isMidRecord()) {
            recordSince = lastProgress;
        }
        inTurn = true;
        try {
            if ((readyOps & SelectionKey.OP_READ) != 0) {
                readTurn();
            }
        } catch (IOException | RecordException e) {
            shut(e.getMessage());
        } finally {
            inTurn = false;
        }
        settle();
    }

    private void readTurn() throws IOException, RecordException {
        for (int i = 0; i < READS_PER_TURN && mayRead(); i++) {
            int wanted;
            int n;
            int direct = reader.directRoom();
            if (direct >= DIRECT_BYTES) {
                wanted = direct;
                n = io.read(reader.directTarget()
                        .asSlice(reader.directOffset(), direct)
                        .asByteBuffer());
                if (n > 0) {
                    reader.directAdded(n);
                    deliverComplete();
                }
            } else {
                ByteBuffer input = loop.input.clear();
                wanted = input.capacity();
                n = io.read(input);
                if (n > 0) {
                    consume(loop.inputMemory, 0, n);
                }
            }
            if (n < 0) {
                inputEnded = true;
            }
            if (n < wanted) {
                return;
            }
        }
    }

    private boolean mayRead() {
        return open && !inputEnded && aside == null && !memoryShort && mayServe();
    }

    private boolean mayServe() {
        return open
                && callsInProgress < server.limits.callsPerConnection()
                && writer.queuedBytes() <= server.limits.outputBytes();
    }

    /** Serves bytes for as long as it may, and keeps the rest aside. */
    private void consume(MemorySegment source, long offset, long length) throws RecordException {
        long done = 0;
        try {
            while (done < length && mayServe()) {
                done += reader.consume(source, offset + done, length - done);
                deliverComplete();
            }
        } catch (RpcResourceException e) {
            done += reader.consumed();
            pauseForMemory(e);
        }
        if (open && done < length) {
            keepAside(source, offset + done, length - done);
        }
    }

    private void deliverComplete() {
        if (!reader.isComplete()) {
            return;
        }
        int length = reader.recordLength();
        PayloadBuffer record = reader.take();
        recordSince = lastProgress;
        TcpServerCall call = idleCalls.poll();
        if (call == null) {
            call = new TcpServerCall(this);
        }
        callsInProgress++;
        call.serve(record, length);
    }

    private void keepAside(MemorySegment source, long offset, long length) {
        if (aside == null) {
            try {
                PayloadBuffer buffer = server.memory.allocate(length);
                MemorySegment.copy(source, offset, buffer.segment(), 0, length);
                aside = buffer;
                asideFrom = 0;
                asideTo = length;
            } catch (RpcResourceException e) {
                shut("no memory to go on reading: " + e.getMessage());
            }
        } else {
            // What is left over of what was aside before.
            asideFrom = offset;
        }
    }

    private void dropAside() {
        PayloadBuffer buffer = aside;
        aside = null;
        if (buffer != null) {
            buffer.release();
        }
    }

    /** Serves what was kept aside for as long as it may. Whether anything was served. */
    private boolean serveAside() {
        PayloadBuffer buffer = aside;
        if (buffer == null || memoryShort || !mayServe()) {
            return false;
        }
        inTurn = true;
        long from = asideFrom;
        asideFrom = asideTo;
        try {
            consume(buffer.segment(), from, asideTo - from);
        } catch (RecordException e) {
            shut(e.getMessage());
        } finally {
            inTurn = false;
        }
        boolean served = asideFrom != from;
        if (aside != null && asideFrom == asideTo) {
            dropAside();
        }
        return served;
    }

    private void pauseForMemory(RpcResourceException why) {
        LOG.debug("{} waits for memory: {}", this, why.getMessage());
        memoryShort = true;
        server.timers.schedule(
                MEMORY_PAUSE_NANOS,
                () -> loop.execute(() -> {
                    memoryShort = false;
                    settle();
                }));
    }

    // ---- output; on the loop

    /** A reply is ready. */
    void send(TcpServerCall call) {
        if (!open) {
            call.onDropped();
            return;
        }
        writer.add(call);
        if (!inTurn) {
            settle();
        }
    }

    /** A call ended; the object may be used again. */
    void onCallEnded(TcpServerCall call) {
        callsInProgress--;
        if (open && idleCalls.size() < IDLE_CALLS) {
            idleCalls.push(call);
        } else {
            call.free();
        }
        if (!inTurn) {
            settle();
        }
    }

    /** The call's header cannot be decoded: whatever the peer speaks, it is not RPC. */
    void onMalformed(String reason) {
        if (loop.isOnLoop()) {
            shut(reason);
        } else {
            loop.execute(() -> shut(reason));
        }
    }

    /** Writes what can be written, serves what was kept aside, and says what is waited for. */
    private void settle() {
        if (inTurn || !open) {
            return;
        }
        boolean served;
        do {
            flush();
            // Only what is served after a flush can be new output, so the last flush leaves nothing that nobody waits
            // for.
            served = serveAside();
        } while (served && open);
        if (!open) {
            return;
        }
        if (inputEnded && aside == null && callsInProgress == 0 && writer.isEmpty()) {
            String peer = reader.isMidRecord() ? "the peer left in the middle of a record" : "the peer left";
            shut(draining ? "the server was closed" : peer);
            return;
        }
        waitForChannel();
    }

    /** Tells the selector what to wait for. */
    private void waitForChannel() {
        SelectionKey registered = key;
        if (registered == null || !registered.isValid()) {
            return;
        }
        int before = registered.interestOps();
        int ops = (mayRead() ? SelectionKey.OP_READ : 0) | (writer.isEmpty() ? 0 : SelectionKey.OP_WRITE);
        if (before == ops) {
            return;
        }
        registered.interestOps(ops);
        if ((ops & ~before & SelectionKey.OP_READ) != 0) {
            // The pause was ours: it does not count as the peer's.
            lastProgress = server.timers.nanoTime();
            recordSince = lastProgress;
        }
    }

    private void flush() {
        if (writer.isEmpty()) {
            return;
        }
        inTurn = true;
        try {
            if (writer.flush(io, loop.output) > 0) {
                lastProgress = server.timers.nanoTime();
            }
        } catch (IOException e) {
            shut(e.getMessage());
        } finally {
            inTurn = false;
        }
    }
}
