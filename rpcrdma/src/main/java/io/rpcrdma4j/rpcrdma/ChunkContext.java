package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.verbs.CompletionHandler;
import io.rpcrdma4j.verbs.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * The Reads or Writes that move one chunk. Counterpart of {@code struct svc_rdma_chunk_ctxt}.
 *
 * <h2>Operation</h2>
 *
 * {@link #init}, then {@link #addRead} or {@link #addWrite} for each piece, {@link #linkBefore} a chain, and when that
 * chain has completed or was not posted, {@link #release}.
 *
 * <h2>Buffer ownership</h2>
 *
 * It holds Read/Write contexts; the memory that they name belongs to whoever owns the chunk context.
 *
 * <h2>Threading</h2>
 *
 * The owner's; {@link #release} only after the device is through with it.
 *
 * <h2>Errors</h2>
 *
 * If no context is left, {@link #addRead} and {@link #addWrite} give false and what was added stays, to be released.
 */
public final class ChunkContext {

    private final Endpoint endpoint;
    private final long id;
    private @Nullable ReadWriteContext first;
    private @Nullable ReadWriteContext last;
    private int entries;
    private long bytes;

    public ChunkContext(Endpoint endpoint) {
        this.endpoint = endpoint;
        this.id = endpoint.nextCompletionId();
    }

    /**
     * Starts over: no requests, no send-queue entries; the completion id stays. Counterpart of
     * {@code svc_rdma_cc_init(9)}.
     */
    public void init() {
        if (first != null) {
            throw new IllegalStateException("the chunk context was not released");
        }
        entries = 0;
        bytes = 0;
    }

    /** The completion id, the same for the life of the object. */
    public long id() {
        return id;
    }

    /** Send-queue entries that the requests need. */
    public int entries() {
        return entries;
    }

    /** Bytes that the requests move. */
    public long bytes() {
        return bytes;
    }

    /**
     * Adds an RDMA Read of {@code length} bytes.
     *
     * @return false if no Read/Write context is left
     */
    public boolean addRead(RegisteredBuffer sink, long sinkOffset, int length, int handle, long address) {
        SendRequest request = append(sink, sinkOffset, length);
        if (request == null) {
            return false;
        }
        request.read(handle, address);
        return true;
    }

    /**
     * Adds an RDMA Write of {@code length} bytes.
     *
     * @return false if no Read/Write context is left
     */
    public boolean addWrite(RegisteredBuffer source, long sourceOffset, int length, int handle, long address) {
        SendRequest request = append(source, sourceOffset, length);
        if (request == null) {
            return false;
        }
        request.write(handle, address);
        return true;
    }

    /**
     * Prepares one Read or Write. Counterpart of {@code svc_rdma_rw_ctx_init(9)}; local memory is registered already,
     * so that mapping can't fail here.
     */
    private @Nullable SendRequest append(RegisteredBuffer local, long offset, int length) {
        ReadWriteContext context = endpoint.readWriteContexts().get();
        if (context == null) {
            return null;
        }
        SendRequest request = context.request();
        request.reset().segment(local.region(), local.offset() + offset, length);
        ReadWriteContext previous = last;
        if (previous == null) {
            first = context;
        } else {
            previous.next = context;
            previous.request().next(request);
        }
        last = context;
        entries++;
        bytes += length;
        return request;
    }

    /**
     * Signals the last request, to be reported to {@code handler}, and links all of them in front of {@code chain}.
     * Does nothing without requests.
     */
    void linkBefore(WorkChain chain, CompletionHandler handler) {
        ReadWriteContext head = first;
        ReadWriteContext tail = last;
        if (head == null || tail == null) {
            return;
        }
        tail.request().identity(id, handler).signaled(true);
        chain.prepend(head.request(), tail.request(), entries);
    }

    /**
     * Gives all Read/Write contexts back in one batch. Only after the device is through with them, or never had them.
     * Counterpart of {@code svc_rdma_cc_release(9)}.
     */
    public void release() {
        ReadWriteContext head = first;
        ReadWriteContext tail = last;
        if (head == null || tail == null) {
            return;
        }
        endpoint.trace(TracePoint.CC_RELEASE, id, entries, 0);
        endpoint.readWriteContexts().put(head, tail, entries);
        first = null;
        last = null;
        entries = 0;
        bytes = 0;
    }
}
