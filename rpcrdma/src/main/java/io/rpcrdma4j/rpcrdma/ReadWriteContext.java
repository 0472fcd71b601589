package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.verbs.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * One RDMA Read or Write: a contiguous piece of local memory and a piece of one segment of the peer's. Counterpart of
 * {@code struct svc_rdma_rw_ctxt}.
 *
 * <p><b>Buffer ownership:</b> it owns no memory; its {@link ChunkContext} holds it from {@link ReadWriteContexts#get}
 * until {@link ChunkContext#release}. <b>Threading:</b> that of its chunk.
 */
final class ReadWriteContext {

    private final SendRequest request = new SendRequest(1);
    /** Next in the chunk's list or in the list of free contexts. */
    @Nullable
    ReadWriteContext next;

    SendRequest request() {
        return request;
    }
}
