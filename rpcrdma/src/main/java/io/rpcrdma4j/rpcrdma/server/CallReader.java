package io.rpcrdma4j.rpcrdma.server;

import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.rpc.xdr.ChunkClaims;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpcrdma.ChunkContext;
import io.rpcrdma4j.rpcrdma.Endpoint;
import io.rpcrdma4j.rpcrdma.RegisteredBuffer;
import io.rpcrdma4j.rpcrdma.TracePoint;
import io.rpcrdma4j.rpcrdma.WorkChain;
import io.rpcrdma4j.rpcrdma.wire.Chunk;
import io.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.rpcrdma4j.rpcrdma.wire.ReadChunk;
import io.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Pulls the Read chunks of one call and keeps them until the call is over. Counterpart of the Read side of
 * {@code svc_rdma_rw.c}; one object for each call in progress.
 *
 * <h2>Operation</h2>
 *
 * {@link #processReadList} posts all Reads of the call as one chain and returns. When the last has completed, the call
 * comes back to the responder, which dispatches it with this object as the reader's chunks: decoding an eligible opaque
 * claims the chunk that starts there, without a copy.
 *
 * <h2>Buffer ownership</h2>
 *
 * Each chunk is read into a buffer of its own, owned by this object until {@link #release}: while Reads are in flight,
 * while the call is served, and until its reply has been sent.
 *
 * <h2>Threading</h2>
 *
 * One owner at a time: the endpoint's thread, the device, the program that serves the call.
 *
 * <h2>Errors</h2>
 *
 * A Read that fails ends the connection: the call is lost and the client sends it again.
 */
final class CallReader extends WorkChain implements ChunkClaims {

    /** What became of a Read list. */
    enum Outcome {
        /** Reads are in flight: the call comes back when they are done. */
        POSTED,
        /** There was nothing to read: the call is whole. */
        WHOLE,
        /** It can't be right, or can't be served: {@code -EINVAL}. */
        MALFORMED,
        /** A resource has been exhausted: {@code -ENOMEM}. */
        EXHAUSTED
    }

    /** Who hears of the end of the Reads. */
    interface Listener {

        /** All Reads are done; called on the polling thread, must only queue. */
        void onReadsDone();

        /** The Reads failed or were flushed, or were not posted; the close is scheduled. Must only queue. */
        void onReadsFailed(boolean accessFailure);
    }

    private final ChunkContext context;
    private final Listener listener;
    private RegisteredBuffer[] sinks = new RegisteredBuffer[2];
    private long[] positions = new long[2];
    private long[] lengths = new long[2];
    private boolean[] claimed = new boolean[2];
    private int count;
    private @Nullable RegisteredBuffer callSink;
    private long callLength;
    private long postedNanos;

    CallReader(Endpoint endpoint, Listener listener) {
        super(endpoint);
        this.context = new ChunkContext(endpoint);
        this.listener = listener;
    }

    /**
     * Starts to pull the call's chunks. Counterpart of {@code svc_rdma_process_read_list(9)}.
     *
     * @param header accepted: positions, overlaps and lengths have been checked
     * @return after POSTED the object is not the caller's until the listener was called
     */
    Outcome processReadList(TransportHeader header) {
        context.init();
        clearChain();
        ChunkLists lists = header.chunks();
        Outcome outcome;
        if (lists.callChunk() != null) {
            outcome = readSpecial(lists.callChunk(), lists);
        } else if (lists.readChunkCount() == 1) {
            outcome = readDataItem(lists.readChunk(0));
        } else {
            outcome = readMultipleChunks(lists);
        }
        if (outcome != Outcome.POSTED) {
            return outcome;
        }
        if (context.entries() == 0) {
            return Outcome.WHOLE;
        }
        if (context.entries() > endpoint().sendQueue().depth()) {
            return Outcome.MALFORMED;
        }
        linkChunk(context);
        postedNanos = System.nanoTime();
        endpoint().trace(TracePoint.POST_READ_CHUNK, context.id(), context.entries(), context.bytes());
        post();
        return Outcome.POSTED;
    }

    /**
     * A long call: the whole message is in the position-zero chunk. Counterpart of {@code svc_rdma_read_special(9)}.
     */
    private Outcome readSpecial(ReadChunk call, ChunkLists lists) {
        return readCallChunk(call, lists);
    }

    /**
     * Reads the position-zero chunk, and the data chunks that belong into it, each to a place of its own: the reader
     * joins them when they are claimed. Counterpart of {@code svc_rdma_read_call_chunk(9)}.
     */
    private Outcome readCallChunk(ReadChunk call, ChunkLists lists) {
        RegisteredBuffer sink = allocate(call.length());
        if (sink == null) {
            return Outcome.EXHAUSTED;
        }
        callSink = sink;
        callLength = call.length();
        Outcome outcome = buildReadChunk(call, sink);
        return outcome == Outcome.POSTED ? readMultipleChunks(lists) : outcome;
    }

    /** Reads any number of data chunks. Counterpart of {@code svc_rdma_read_multiple_chunks(9)}. */
    private Outcome readMultipleChunks(ChunkLists lists) {
        for (int i = 0; i < lists.readChunkCount(); i++) {
            Outcome outcome = readDataItem(lists.readChunk(i));
            if (outcome != Outcome.POSTED) {
                return outcome;
            }
        }
        return Outcome.POSTED;
    }

    /**
     * Reads one data chunk; the inline bytes around it stay where they are. Counterpart of
     * {@code svc_rdma_read_data_item(9)}.
     */
    private Outcome readDataItem(ReadChunk chunk) {
        RegisteredBuffer sink = allocate(chunk.length());
        if (sink == null) {
            return Outcome.EXHAUSTED;
        }
        addSink(sink, chunk);
        return buildReadChunk(chunk, sink);
    }

    /** Builds the Reads of all segments of a chunk, in order. Counterpart of {@code svc_rdma_build_read_chunk(9)}. */
    private Outcome buildReadChunk(Chunk chunk, RegisteredBuffer sink) {
        long at = 0;
        for (int i = 0; i < chunk.segmentCount(); i++) {
            long length = chunk.segmentLength(i);
            if (!buildReadSegment(sink, at, length, chunk.handle(i), chunk.offset(i))) {
                return Outcome.EXHAUSTED;
            }
            at += length;
        }
        return Outcome.POSTED;
    }

    /**
     * Builds the Read of one segment; an empty segment needs none. Counterpart of
     * {@code svc_rdma_build_read_segment(9)}.
     */
    private boolean buildReadSegment(RegisteredBuffer sink, long at, long length, int handle, long offset) {
        if (at + length > sink.capacity()) {
            throw new AssertionError("a segment of " + length + " bytes at " + at + " overruns its sink of "
                    + sink.capacity() + " bytes");
        }
        return length == 0 || context.addRead(sink, at, (int) length, handle, offset);
    }

    private @Nullable RegisteredBuffer allocate(long bytes) {
        try {
            return endpoint().pool().allocate(bytes);
        } catch (RpcResourceException e) {
            endpoint().trace(TracePoint.DMA_MAP_ERR, context.id(), bytes, 0);
            return null;
        }
    }

    private void addSink(RegisteredBuffer sink, ReadChunk chunk) {
        if (count == sinks.length) {
            sinks = Arrays.copyOf(sinks, count * 2);
            positions = Arrays.copyOf(positions, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
            claimed = Arrays.copyOf(claimed, count * 2);
        }
        sinks[count] = sink;
        positions[count] = chunk.position();
        lengths[count] = chunk.length();
        claimed[count] = false;
        count++;
    }

    /** The long call's message; null if the call came inline. */
    @Nullable
    MemorySegment callMessage() {
        RegisteredBuffer sink = callSink;
        return sink == null ? null : sink.segment();
    }

    /** Bytes of {@link #callMessage()}. */
    long callLength() {
        return callLength;
    }

    /** The Reads of the call have completed, or failed. Counterpart of {@code svc_rdma_wc_read_done(9)}. */
    @Override
    public void onCompletion(CompletionQueue queue, WorkCompletion completion) {
        Endpoint transport = endpoint();
        transport.onChainCompleted(entriesNeeded());
        if (completion.isSuccess()) {
            transport.trace(TracePoint.WC_READ, context.id(), context.bytes(), System.nanoTime() - postedNanos);
            listener.onReadsDone();
            return;
        }
        boolean flushed = completion.status() == CompletionStatus.FLUSHED;
        transport.trace(
                flushed ? TracePoint.WC_READ_FLUSH : TracePoint.WC_READ_ERR,
                context.id(),
                completion.status().code(),
                0);
        String reason = "pulling a call failed: " + completion;
        listener.onReadsFailed(completion.status() == CompletionStatus.REMOTE_ACCESS_ERROR);
        transport.scheduleClose(reason);
    }

    @Override
    protected void onNotPosted(NotPosted reason) {
        listener.onReadsFailed(false);
        endpoint().scheduleClose("the Reads of a call were not posted: " + reason);
    }

    @Override
    public @Nullable MemorySegment claim(long position, long length) throws XdrException {
        for (int i = 0; i < count; i++) {
            if (positions[i] == position && !claimed[i]) {
                long padded = (length + 3) & ~3L;
                if (lengths[i] != length && lengths[i] != padded) {
                    throw new XdrException(
                            XdrException.Reason.CHUNK_LENGTH,
                            "Read chunk at " + position + " has " + lengths[i] + " bytes for an item of " + length);
                }
                claimed[i] = true;
                return sinks[i].segment().asSlice(0, length);
            }
        }
        return null;
    }

    @Override
    public void finish() throws XdrException {
        for (int i = 0; i < count; i++) {
            if (!claimed[i]) {
                throw new XdrException(
                        XdrException.Reason.CHUNK_UNCLAIMED,
                        "Read chunk at " + positions[i] + " is no argument that may be placed directly");
            }
        }
    }

    /** The Reads have completed: their contexts are given back, while the bytes stay. */
    void finishReads() {
        context.release();
    }

    /** Gives all buffers and contexts back; only when no Read is in flight and nobody reads the arguments. */
    void release() {
        context.release();
        for (int i = 0; i < count; i++) {
            sinks[i].release();
        }
        Arrays.fill(sinks, 0, count, null);
        count = 0;
        RegisteredBuffer sink = callSink;
        if (sink != null) {
            callSink = null;
            callLength = 0;
            sink.release();
        }
    }
}
