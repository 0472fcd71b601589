package io.rpcrdma4j.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A request for the send queue: Send, RDMA Write, RDMA Read or local invalidation; a link of a chain. Counterpart of
 * {@code struct ibv_send_wr}.
 */
public final class SendRequest extends WorkRequest {

    private Opcode opcode = Opcode.SEND;
    private boolean signaled;
    private boolean fenced;
    private boolean solicited;
    private boolean inlined;
    private int remoteKey;
    private long remoteAddress;
    private int invalidateKey;
    private @Nullable SendRequest next;

    /**
     * Makes an empty request.
     *
     * @param segmentsMax the most segments it will ever have
     */
    public SendRequest(int segmentsMax) {
        super(segmentsMax);
    }

    /** Back to an unsignalled Send without segments, identity and successor. */
    public SendRequest reset() {
        truncateSegments(0);
        setIdentity(0, null);
        opcode = Opcode.SEND;
        signaled = false;
        fenced = false;
        solicited = false;
        inlined = false;
        remoteKey = 0;
        remoteAddress = 0;
        invalidateKey = 0;
        next = null;
        return this;
    }

    /** Sets the number and handler that the completion reports. */
    public SendRequest identity(long id, @Nullable CompletionHandler handler) {
        setIdentity(id, handler);
        return this;
    }

    /** Adds {@code length} bytes of {@code region} from {@code offset}. */
    public SendRequest segment(MemoryRegion region, long offset, int length) {
        appendSegment(region, offset, length);
        return this;
    }

    /** Moves segment {@code index} within its region, or changes its length. */
    public SendRequest adjustSegment(int index, long offset, int length) {
        replaceSegment(index, offset, length);
        return this;
    }

    /** Drops all segments from {@code count} on. */
    public SendRequest keepSegments(int count) {
        truncateSegments(count);
        return this;
    }

    /** A Send. */
    public SendRequest send() {
        opcode = Opcode.SEND;
        return this;
    }

    /** A Send that invalidates {@code key} at the peer. */
    public SendRequest sendWithInvalidate(int key) {
        opcode = Opcode.SEND_WITH_INVALIDATE;
        invalidateKey = key;
        return this;
    }

    /** An RDMA Write to the peer's {@code address} under {@code key}. */
    public SendRequest write(int key, long address) {
        opcode = Opcode.RDMA_WRITE;
        remoteKey = key;
        remoteAddress = address;
        return this;
    }

    /** An RDMA Read from the peer's {@code address} under {@code key}. */
    public SendRequest read(int key, long address) {
        opcode = Opcode.RDMA_READ;
        remoteKey = key;
        remoteAddress = address;
        return this;
    }

    /** The local invalidation of a bound window's {@code key}. */
    public SendRequest localInvalidate(int key) {
        opcode = Opcode.LOCAL_INVALIDATE;
        invalidateKey = key;
        return this;
    }

    /** Whether success is reported; failure always is. */
    public SendRequest signaled(boolean value) {
        signaled = value;
        return this;
    }

    /** Whether it starts only after all earlier RDMA Reads of the queue are complete. */
    public SendRequest fenced(boolean value) {
        fenced = value;
        return this;
    }

    /** Whether the peer is asked to raise a solicited event. */
    public SendRequest solicited(boolean value) {
        solicited = value;
        return this;
    }

    /** Whether the bytes are copied while posting, so that the memory may be reused at once. */
    public SendRequest inlined(boolean value) {
        inlined = value;
        return this;
    }

    /** Links the next request of the chain, or ends the chain here. */
    public SendRequest next(@Nullable SendRequest request) {
        next = request;
        return this;
    }

    public Opcode opcode() {
        return opcode;
    }

    public boolean isSignaled() {
        return signaled;
    }

    public boolean isFenced() {
        return fenced;
    }

    public boolean isSolicited() {
        return solicited;
    }

    public boolean isInlined() {
        return inlined;
    }

    /** The peer's key, of a Write or Read. */
    public int remoteKey() {
        return remoteKey;
    }

    /** The peer's address, of a Write or Read; 64 bits, unsigned. */
    public long remoteAddress() {
        return remoteAddress;
    }

    /** The key to invalidate, of a Send with Invalidate or a local invalidation. */
    public int invalidateKey() {
        return invalidateKey;
    }

    /** The next request of the chain. */
    public @Nullable SendRequest next() {
        return next;
    }
}
