package io.rpcrdma4j.verbs.memory;

import org.jspecify.annotations.Nullable;

/**
 * What a key stands for: bytes of a region, with rights, for one queue pair or for all of the domain.
 *
 * <p>Guarded by the lock. A window has one and uses it again and again; when unbound it stays in the table under its
 * last key, so that a late Send-with-Invalidate of that key is told from one of a key that never was.
 */
final class Exposure {

    int key;
    boolean valid;
    int rights;
    long address;
    long offset;
    long length;

    @Nullable
    FabricRegion region;

    /** The only queue pair that may use it; null for a region's own key. */
    @Nullable
    FabricQueuePair queuePair;

    /** The window that it belongs to; null for a region's own key. */
    final @Nullable FabricWindow window;

    Exposure(@Nullable FabricWindow window) {
        this.window = window;
    }

    /**
     * Checks an access by the peer of {@code at}: validity, connection or domain, rights, bounds, in this order.
     *
     * @return null if it is fine; else why not
     */
    static @Nullable String check(
            @Nullable Exposure exposure, FabricQueuePair at, int key, long peerAddress, long bytes, int right) {
        if (exposure == null || !exposure.valid || exposure.region == null) {
            return "invalid key " + hex(key);
        }
        if (exposure.queuePair != null ? exposure.queuePair != at : exposure.region.domain != at.domain) {
            return "key " + hex(key) + " belongs to another " + (exposure.queuePair != null ? "connection" : "domain");
        }
        if ((exposure.rights & right) != right) {
            return "key " + hex(key) + " doesn't allow this access";
        }
        if (bytes > 0 && Long.compareUnsigned(peerAddress + (bytes - 1), peerAddress) < 0) {
            return "address 0x" + Long.toHexString(peerAddress) + " plus " + bytes + " bytes wraps";
        }
        long at0 = peerAddress - exposure.address;
        // An address before the first byte gives an offset that, unsigned, is beyond any length.
        if (Long.compareUnsigned(at0, exposure.length) > 0 || Long.compareUnsigned(bytes, exposure.length - at0) > 0) {
            return bytes + " bytes at offset " + at0 + " exceed key " + hex(key) + " (length " + exposure.length + ")";
        }
        return null;
    }

    /** Where in the region a checked address lies. */
    long regionOffset(long peerAddress) {
        return offset + (peerAddress - address);
    }

    private static String hex(int key) {
        return "0x" + Integer.toHexString(key);
    }
}
