package io.rpcrdma4j.rpc.xdr;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The items of a received message that did not travel inline: the Read chunks of a call, or the Write chunks of a reply
 * (RFC 8166 §3.4). Implemented by transports that place data directly.
 *
 * <p>{@link XdrReader#readPayload} asks for each item that is eligible for direct placement, in stream order.
 */
public interface ChunkClaims {

    /**
     * Claims the chunk that holds the item whose bytes start at {@code position}.
     *
     * @param position offset in the unreduced XDR stream, right behind the item's length word; a multiple of 4
     * @param length the item's length in bytes, 0 to 2^32-1, as its length word says; already checked against the
     *     caller's maximum
     * @return exactly {@code length} bytes, without pad; or null if no chunk starts there and the item is inline
     * @throws XdrException {@link XdrException.Reason#CHUNK_LENGTH} if the chunk is there, but holds neither
     *     {@code length} bytes nor {@code length} rounded up to a multiple of 4
     */
    @Nullable
    MemorySegment claim(long position, long length) throws XdrException;

    /**
     * Asserts that every chunk was claimed.
     *
     * @throws XdrException {@link XdrException.Reason#CHUNK_UNCLAIMED} if not
     */
    void finish() throws XdrException;
}
