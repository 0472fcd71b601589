package io.rpcrdma4j.rpcrdma.server;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpcrdma.ChunkContext;
import io.rpcrdma4j.rpcrdma.Endpoint;
import io.rpcrdma4j.rpcrdma.RegisteredBuffer;
import io.rpcrdma4j.rpcrdma.TracePoint;
import io.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.rpcrdma4j.verbs.CompletionHandler;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * Builds the RDMA Writes that fill one chunk of the client's: a Write chunk with a result, or the Reply chunk with a
 * reply. Counterpart of {@code struct svc_rdma_write_info}.
 *
 * <h2>Operation</h2>
 *
 * {@link #start} with the chunk, then any number of {@link #xbWrite}, {@link #pagesWrite}, {@link #iovWrite}; each goes
 * on where the one before ended. Segments are filled in order, each to its end before the next is used; an empty
 * segment is skipped. {@link #bytes} is what went into the chunk.
 *
 * <h2>Buffer ownership</h2>
 *
 * The Writes name memory of the reply, which its send context owns until the Send behind the Writes has completed.
 * {@link #release} gives the Read/Write contexts back.
 *
 * <h2>Threading</h2>
 *
 * The owner's of the reply; completions come on the polling thread.
 *
 * <h2>Errors</h2>
 *
 * Each writing method answers with an {@link Outcome}; what was built before a failure stays, to be released.
 */
final class ChunkWriter {

    /** How a part of a chunk was built. */
    enum Outcome {
        /** The Writes are built. */
        DONE,
        /** The client's chunk is too small: {@code -E2BIG}. */
        CHUNK_TOO_SMALL,
        /** A resource has been exhausted: {@code -ENOMEM}. */
        EXHAUSTED,
        /** The memory can't be written from: {@code -EIO}. */
        IO_ERROR
    }

    private final Endpoint endpoint;
    private final ChunkContext context;
    private final CompletionHandler done;
    private @Nullable WriteChunk chunk;
    private int segment;
    private long segmentOffset;

    private ChunkWriter(Endpoint endpoint, boolean replyChunk) {
        this.endpoint = endpoint;
        this.context = new ChunkContext(endpoint);
        this.done = replyChunk ? this::replyDone : this::writeDone;
    }

    /** A writer of Write chunks. */
    static ChunkWriter ofWriteChunk(Endpoint endpoint) {
        return new ChunkWriter(endpoint, false);
    }

    /** A writer of Reply chunks. */
    static ChunkWriter ofReplyChunk(Endpoint endpoint) {
        return new ChunkWriter(endpoint, true);
    }

    void start(WriteChunk target) {
        context.init();
        chunk = target;
        segment = 0;
        segmentOffset = 0;
    }

    /** The Writes built. */
    ChunkContext context() {
        return context;
    }

    /** What to do when the last Write completes. */
    CompletionHandler completionHandler() {
        return done;
    }

    /** Bytes that the Writes put into the chunk. */
    long bytes() {
        return context.bytes();
    }

    /**
     * Writes a part of a message: head, payload pages and tail, in stream order, empty parts skipped. Counterpart of
     * {@code svc_rdma_xb_write(9)}.
     *
     * @param from offset in the XDR stream
     * @param length how many bytes; 0 builds nothing
     */
    Outcome xbWrite(XdrBuffer message, long from, long length) {
        long end = from + length;
        for (int i = 0; i < message.fragmentCount(); i++) {
            long start = Math.max(from, message.fragmentStart(i));
            long stop = Math.min(end, message.fragmentStart(i) + message.fragmentLength(i));
            if (start >= stop) {
                continue;
            }
            Outcome outcome = message.isPayload(i)
                    ? pagesWrite(message, start, stop - start)
                    : iovWrite(
                            message.fragmentBuffer(i),
                            message.fragmentOffset(i) + start - message.fragmentStart(i),
                            stop - start);
            if (outcome != Outcome.DONE) {
                return outcome;
            }
        }
        return Outcome.DONE;
    }

    /**
     * Writes payload pages. Counterpart of {@code svc_rdma_pages_write(9)}.
     *
     * @param message the message with the pages to write
     * @param from offset in its XDR stream, inside pages
     * @param length how many bytes; 0 builds nothing
     */
    Outcome pagesWrite(XdrBuffer message, long from, long length) {
        long at = from;
        long end = from + length;
        for (int i = 0; at < end && i < message.fragmentCount(); i++) {
            long skip = at - message.fragmentStart(i);
            long inFragment = message.fragmentLength(i) - skip;
            if (skip < 0 || inFragment <= 0) {
                continue;
            }
            long count = Math.min(inFragment, end - at);
            Outcome outcome = buildWrites(message.fragmentBuffer(i), message.fragmentOffset(i) + skip, count);
            if (outcome != Outcome.DONE) {
                return outcome;
            }
            at += count;
        }
        return at == end ? Outcome.DONE : Outcome.IO_ERROR;
    }

    /**
     * Writes one contiguous part: the head or the tail. Counterpart of {@code svc_rdma_iov_write(9)}.
     *
     * @param offset in the buffer's segment
     * @param length how many bytes; 0 builds nothing
     */
    Outcome iovWrite(PayloadBuffer buffer, long offset, long length) {
        return buildWrites(buffer, offset, length);
    }

    private Outcome buildWrites(PayloadBuffer buffer, long offset, long length) {
        WriteChunk target = chunk;
        if (target == null || !(buffer instanceof RegisteredBuffer source)) {
            return Outcome.IO_ERROR;
        }
        long at = offset;
        long left = length;
        while (left > 0) {
            if (segment == target.segmentCount()) {
                endpoint.trace(TracePoint.SMALL_WRCH_ERR, context.id(), left, target.segmentCount());
                return Outcome.CHUNK_TOO_SMALL;
            }
            long room = target.segmentLength(segment) - segmentOffset;
            if (room == 0) {
                segment++;
                segmentOffset = 0;
                continue;
            }
            int count = (int) Math.min(left, Math.min(room, Integer.MAX_VALUE));
            long address = target.offset(segment) + segmentOffset;
            if (!context.addWrite(source, at, count, target.handle(segment), address)) {
                return Outcome.EXHAUSTED;
            }
            at += count;
            left -= count;
            segmentOffset += count;
        }
        return Outcome.DONE;
    }

    /** Gives everything back and forgets the chunk. */
    void release() {
        context.release();
        chunk = null;
    }

    /**
     * The Writes of a Write chunk are done: record; when the client can't receive the whole reply any more, also
     * schedule the close. Pages under I/O are released by the subsequent Send completion. Counterpart of
     * {@code svc_rdma_write_done(9)}.
     */
    private void writeDone(CompletionQueue queue, WorkCompletion completion) {
        if (completion.isSuccess()) {
            endpoint.trace(TracePoint.WC_WRITE, context.id(), 0, 0);
            return;
        }
        boolean flushed = completion.status() == CompletionStatus.FLUSHED;
        endpoint.trace(
                flushed ? TracePoint.WC_WRITE_FLUSH : TracePoint.WC_WRITE_ERR,
                context.id(),
                completion.status().code(),
                0);
        endpoint.scheduleClose("writing a Write chunk failed: " + completion);
    }

    /**
     * The Writes of a Reply chunk are done: record; when the client can't receive the reply any more, also schedule the
     * close. Pages under I/O are released by the subsequent Send completion. Counterpart of
     * {@code svc_rdma_reply_done(9)}.
     */
    private void replyDone(CompletionQueue queue, WorkCompletion completion) {
        if (completion.isSuccess()) {
            endpoint.trace(TracePoint.WC_REPLY, context.id(), 0, 0);
            return;
        }
        boolean flushed = completion.status() == CompletionStatus.FLUSHED;
        endpoint.trace(
                flushed ? TracePoint.WC_REPLY_FLUSH : TracePoint.WC_REPLY_ERR,
                context.id(),
                completion.status().code(),
                0);
        endpoint.scheduleClose("writing a Reply chunk failed: " + completion);
    }
}
