package io.rpcrdma4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory. Local work requests name it directly; a peer names it by {@link #remoteKey()} or, better, through
 * a {@link MemoryWindow} that exposes only some bytes for some time.
 *
 * <p><b>Buffer ownership:</b> the application owns the bytes except while a posted request names them.
 * <b>Threading:</b> any thread; {@link #close()} while a request that names the region is posted is a fault of the
 * caller, which providers answer with {@link IllegalStateException} where they can tell.
 */
public interface MemoryRegion extends AutoCloseable {

    /** The whole region. */
    MemorySegment segment();

    /** Length in bytes. */
    long length();

    /** Bits of {@link Access}. */
    int access();

    ProtectionDomain protectionDomain();

    /** The 32-bit key by which local requests name the region on the wire where the transport needs one. */
    int localKey();

    /**
     * The 32-bit key (STag, R_key) that lets any peer of the domain use the whole region as {@link #access()} says, for
     * as long as it is registered. A provider in software brings the key into being with the first call of this method,
     * so that a region whose key nobody asked for can't be reached by guessing.
     *
     * @throws IllegalStateException if the region has no remote right
     */
    int remoteKey();

    /** The address of byte 0 of the region as a peer must give it together with {@link #remoteKey()}. */
    long remoteAddress();

    /** Ends the registration; the keys are invalid afterwards. Idempotent. */
    @Override
    void close();
}
