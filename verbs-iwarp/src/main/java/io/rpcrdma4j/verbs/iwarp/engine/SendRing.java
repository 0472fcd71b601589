package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a queue pair: posted, started, done, reported and free again, in this order.
 *
 * <h2>Operation</h2>
 *
 * Requests are numbered from 0. {@code freed <= reported <= started <= posted <= freed + depth}. A request is reported
 * when it and all before it are done; success only if it is signalled. Its entry is free when the completion that
 * covers it has been polled: {@link #free}.
 *
 * <h2>Buffer ownership</h2>
 *
 * A posted request and the memory that it names belong to the ring until it is reported; inline bytes are copied by the
 * post.
 *
 * <h2>Threading</h2>
 *
 * {@link #post} and {@link #free} from any thread, all else by the stream's owner. The volatile {@code posted}, written
 * after the slots, publishes them.
 */
public final class SendRing {

    private final int depth;
    private final int mask;
    private final int segmentsMax;
    private final int readSegmentsMax;
    private final int inlineBytesMax;
    private final boolean allSignaled;
    private final @Nullable SendRequest[] requests;
    private final boolean[] done;
    private final AtomicLong freed = new AtomicLong();
    private volatile boolean accepting;
    private volatile boolean isClosed;
    private volatile long posted;
    private volatile @Nullable ByteBuffer inlineBytes;

    private long started;
    private long reported;
    private int unreportedEntries;

    /**
     * @param depth entries
     * @param segmentsMax most segments of a request
     * @param readSegmentsMax most segments of an RDMA Read
     * @param inlineBytesMax most bytes of an inline request
     * @param allSignaled whether every success is reported
     */
    public SendRing(int depth, int segmentsMax, int readSegmentsMax, int inlineBytesMax, boolean allSignaled) {
        this.depth = depth;
        this.segmentsMax = segmentsMax;
        this.readSegmentsMax = readSegmentsMax;
        this.inlineBytesMax = inlineBytesMax;
        this.allSignaled = allSignaled;
        int capacity = Integer.highestOneBit(Math.max(1, depth) * 2 - 1);
        this.mask = capacity - 1;
        this.requests = new SendRequest[capacity];
        this.done = new boolean[capacity];
    }

    /** Posts a chain, as {@link io.rpcrdma4j.verbs.QueuePair#postSend} says. */
    public synchronized @Nullable SendRequest post(SendRequest first) {
        long number = posted;
        SendRequest request = first;
        while (request != null) {
            PostStatus status = prepare(request, number);
            request.setPostStatus(status);
            if (status != PostStatus.POSTED) {
                break;
            }
            requests[(int) number & mask] = request;
            number++;
            request = request.next();
        }
        posted = number;
        return request;
    }

    private PostStatus prepare(SendRequest request, long number) {
        if (!accepting || isClosed) {
            return PostStatus.INVALID_STATE;
        }
        if (number - freed.get() >= depth) {
            return PostStatus.QUEUE_FULL;
        }
        boolean isRead = request.opcode() == Opcode.RDMA_READ;
        if (request.segmentCount() > (isRead ? readSegmentsMax : segmentsMax) || request.opcode() == Opcode.RECEIVE) {
            return PostStatus.INVALID_REQUEST;
        }
        if (request.isInlined()) {
            return isRead || request.byteLength() > inlineBytesMax || !copyInline(request, number)
                    ? PostStatus.INVALID_REQUEST
                    : PostStatus.POSTED;
        }
        return LocalAccess.retain(request) ? PostStatus.POSTED : PostStatus.INVALID_REQUEST;
    }

    private boolean copyInline(SendRequest request, long number) {
        ByteBuffer copies = inlineBytes;
        if (copies == null) {
            copies = ByteBuffer.allocateDirect(requests.length * inlineBytesMax);
            inlineBytes = copies;
        }
        int at = ((int) number & mask) * inlineBytesMax;
        for (int i = 0; i < request.segmentCount(); i++) {
            int length = request.length(i);
            long offset = request.offset(i);
            if (!(request.region(i) instanceof RegisteredMemory memory)
                    || memory.isClosed()
                    || offset < 0
                    || offset > memory.length() - length) {
                return false;
            }
            ByteBuffer view = memory.acquireView(offset, length);
            copies.put(at, view, view.position(), length);
            memory.releaseView(view, offset);
            at += length;
        }
        return true;
    }

    /** From now on requests are taken: the connection is up, or was and has failed. */
    void startAccepting() {
        accepting = true;
    }

    /** From now on no requests are taken: the queue pair is closed. */
    public void stopAccepting() {
        isClosed = true;
    }

    /** Whether requests are taken. */
    public boolean isAccepting() {
        return accepting;
    }

    /** A completion that covers {@code entries} of the queue has been polled. */
    public void free(int entries) {
        freed.addAndGet(entries);
    }

    /** Entries. */
    public int depth() {
        return depth;
    }

    /** Whether requests wait to be started. */
    public boolean hasUnstarted() {
        return started != posted;
    }

    /** The next request to start; there must be one. */
    SendRequest next() {
        return request(started);
    }

    /** The number of the next request to start. */
    long nextNumber() {
        return started;
    }

    /** Starts the next request. */
    void start() {
        started++;
    }

    SendRequest request(long number) {
        SendRequest request = requests[(int) number & mask];
        if (request == null) {
            throw new IllegalStateException("no request " + number);
        }
        return request;
    }

    /** Where the bytes of an inline request are: its first byte is at the position. */
    int inlineOffset(long number) {
        return ((int) number & mask) * inlineBytesMax;
    }

    ByteBuffer inlineBytes() {
        ByteBuffer copies = inlineBytes;
        if (copies == null) {
            throw new IllegalStateException("no inline bytes");
        }
        return copies;
    }

    /** A started request is done; reports what can be. */
    void finish(long number, CompletionSink sink) {
        done[(int) number & mask] = true;
        while (reported < started && done[(int) reported & mask]) {
            SendRequest request = handBack();
            unreportedEntries++;
            if (allSignaled || request.isSignaled()) {
                int entries = unreportedEntries;
                unreportedEntries = 0;
                int bytes = request.opcode() == Opcode.RDMA_READ ? (int) request.byteLength() : 0;
                sink.sendCompleted(request, CompletionStatus.SUCCESS, bytes, entries, null);
            }
        }
    }

    /**
     * Reports all that is posted as failed.
     *
     * @param culprit the number of the request that failed first, or -1
     * @param status its status; all others are flushed
     */
    void flush(CompletionSink sink, long culprit, CompletionStatus status, @Nullable String detail) {
        long end = posted;
        started = Math.max(started, end);
        while (reported < end) {
            CompletionStatus each = reported == culprit ? status : CompletionStatus.FLUSHED;
            SendRequest request = handBack();
            int entries = unreportedEntries + 1;
            unreportedEntries = 0;
            sink.sendCompleted(request, each, 0, entries, detail);
        }
    }

    private SendRequest handBack() {
        int at = (int) reported & mask;
        SendRequest request = request(reported);
        requests[at] = null;
        done[at] = false;
        reported++;
        if (!request.isInlined()) {
            LocalAccess.release(request);
        }
        return request;
    }
}
