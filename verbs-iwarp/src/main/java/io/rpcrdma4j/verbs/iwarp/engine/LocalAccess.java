package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.WorkRequest;
import org.jspecify.annotations.Nullable;

/** Whether the segments of a work request may be used as it wants. */
final class LocalAccess {

    private LocalAccess() {}

    /**
     * Checks every segment: protection domain, bounds, rights.
     *
     * @param rights bits of {@link Access} that all regions must have
     * @return what is wrong, in plain words, or null
     */
    static @Nullable String problem(WorkRequest request, ProtectionDomain domain, int rights) {
        for (int i = 0; i < request.segmentCount(); i++) {
            var memory = (RegisteredMemory) request.region(i);
            long offset = request.offset(i);
            int length = request.length(i);
            if (!isOf(domain, memory)) {
                return "segment " + i + " belongs to another protection domain";
            }
            if (offset < 0 || offset > memory.length() - length) {
                return "segment " + i + " (offset " + offset + ", length " + length + ") lies outside of its region of "
                        + memory.length() + " bytes";
            }
            int missing = rights & ~memory.access();
            if (missing != 0) {
                return "segment " + i + "'s region lacks "
                        + ((missing & Access.LOCAL_WRITE) != 0 ? "LOCAL_WRITE" : "REMOTE_WRITE");
            }
        }
        return null;
    }

    @SuppressWarnings("ReferenceEquality") // identity is what counts
    private static boolean isOf(ProtectionDomain domain, RegisteredMemory memory) {
        return memory.protectionDomain() == domain;
    }

    /** Retains the region of every segment, or none. */
    static boolean retain(WorkRequest request) {
        for (int i = 0; i < request.segmentCount(); i++) {
            if (!(request.region(i) instanceof RegisteredMemory memory) || !memory.retain()) {
                while (--i >= 0) {
                    ((RegisteredMemory) request.region(i)).release();
                }
                return false;
            }
        }
        return true;
    }

    /** Takes back {@link #retain}. */
    static void release(WorkRequest request) {
        for (int i = 0; i < request.segmentCount(); i++) {
            ((RegisteredMemory) request.region(i)).release();
        }
    }
}
