package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;

/** A copy of a message whose owner must have its memory back although part of it is on the wire already. */
final class CopiedRecord implements OutgoingRecord {
    private final XdrBuffer copy = new XdrBuffer();

    /**
     * Copies.
     *
     * @throws io.rpcrdma4j.rpc.memory.RpcResourceException if there is no memory for it
     */
    CopiedRecord(XdrBuffer original, PayloadAllocator memory) {
        int length = Math.toIntExact(original.length());
        PayloadBuffer target = memory.allocate((long) MARK_BYTES + length + 3);
        MemorySegment bytes = target.segment();
        original.copyTo(0, bytes, MARK_BYTES, length);
        new XdrWriter(copy).startCopied(memory, target, MARK_BYTES, length);
    }

    @Override
    public XdrBuffer message() {
        return copy;
    }

    @Override
    public void onWritten() {
        copy.releaseAll();
    }

    @Override
    public void onDropped() {
        copy.releaseAll();
    }
}
