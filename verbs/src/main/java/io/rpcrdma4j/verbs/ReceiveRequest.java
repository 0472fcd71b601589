package io.rpcrdma4j.verbs;

import org.jspecify.annotations.Nullable;

/** A request for the receive queue: memory for one incoming message. Counterpart of {@code struct ibv_recv_wr}. */
public final class ReceiveRequest extends WorkRequest {

    private @Nullable ReceiveRequest next;

    /**
     * Makes an empty request.
     *
     * @param segmentsMax the most segments it will ever have
     */
    public ReceiveRequest(int segmentsMax) {
        super(segmentsMax);
    }

    /** Back to no segments, identity and successor. */
    public ReceiveRequest reset() {
        truncateSegments(0);
        setIdentity(0, null);
        next = null;
        return this;
    }

    /** Sets the number and handler that the completion reports. */
    public ReceiveRequest identity(long id, @Nullable CompletionHandler handler) {
        setIdentity(id, handler);
        return this;
    }

    /** Adds {@code length} bytes of {@code region} from {@code offset}; the region needs {@link Access#LOCAL_WRITE}. */
    public ReceiveRequest segment(MemoryRegion region, long offset, int length) {
        appendSegment(region, offset, length);
        return this;
    }

    /** Links the next request of the chain, or ends the chain here. */
    public ReceiveRequest next(@Nullable ReceiveRequest request) {
        next = request;
        return this;
    }

    /** The next request of the chain. */
    public @Nullable ReceiveRequest next() {
        return next;
    }
}
