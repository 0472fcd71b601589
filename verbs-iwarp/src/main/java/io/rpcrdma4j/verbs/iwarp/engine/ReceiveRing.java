package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.ReceiveRequest;
import org.jspecify.annotations.Nullable;

/** Posted Receives, of one queue pair or shared by several. <b>Threading:</b> any thread. */
public final class ReceiveRing {

    private final int depth;
    private final int segmentsMax;
    private final @Nullable ReceiveRequest[] requests;
    private int head;
    private int count;
    private boolean isClosed;

    /**
     * @param depth most Receives at a time
     * @param segmentsMax most segments of each
     */
    public ReceiveRing(int depth, int segmentsMax) {
        this.depth = depth;
        this.segmentsMax = segmentsMax;
        this.requests = new ReceiveRequest[Integer.highestOneBit(Math.max(1, depth) * 2 - 1)];
    }

    /** Posts a chain, as {@link io.rpcrdma4j.verbs.ReceiveQueue#postReceive} says. */
    public synchronized @Nullable ReceiveRequest post(ReceiveRequest first) {
        ReceiveRequest request = first;
        while (request != null) {
            PostStatus status = prepare(request);
            request.setPostStatus(status);
            if (status != PostStatus.POSTED) {
                return request;
            }
            requests[(head + count) & (requests.length - 1)] = request;
            count++;
            request = request.next();
        }
        return null;
    }

    private PostStatus prepare(ReceiveRequest request) {
        if (isClosed) {
            return PostStatus.INVALID_STATE;
        }
        if (count == depth) {
            return PostStatus.QUEUE_FULL;
        }
        return request.segmentCount() > segmentsMax || !LocalAccess.retain(request)
                ? PostStatus.INVALID_REQUEST
                : PostStatus.POSTED;
    }

    /** From now on no Receives are taken. */
    public synchronized void stopAccepting() {
        isClosed = true;
    }

    /** Takes the oldest Receive, or null. Its regions stay retained until {@link #finish}. */
    synchronized @Nullable ReceiveRequest take() {
        if (count == 0) {
            return null;
        }
        ReceiveRequest request = requests[head];
        requests[head] = null;
        head = (head + 1) & (requests.length - 1);
        count--;
        return request;
    }

    /** Releases the regions of a Receive that was taken. */
    static void finish(ReceiveRequest request) {
        LocalAccess.release(request);
    }

    /** Gives all Receives up, without a completion. */
    public void abandon() {
        for (ReceiveRequest request = take(); request != null; request = take()) {
            finish(request);
        }
    }

    /** How many are posted. */
    public synchronized int count() {
        return count;
    }

    /** Most Receives at a time. */
    public int depth() {
        return depth;
    }
}
