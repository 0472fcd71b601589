package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Checking and copying the segments of work requests. */
final class Copies {

    private Copies() {}

    /**
     * Checks the local segments of a request.
     *
     * @param access what each region must allow
     * @return null if all is fine; else why not
     */
    static @Nullable String check(WorkRequest request, FabricDomain domain, int access) {
        for (int i = 0; i < request.segmentCount(); i++) {
            MemoryRegion region = request.region(i);
            if (!(region instanceof FabricRegion local) || local.domain != domain) {
                return "segment " + i + " is not in a region of the queue pair's protection domain";
            }
            if (!local.isOpen() || !local.segment().scope().isAlive()) {
                return "the region of segment " + i + " is closed";
            }
            if ((local.access() & access) != access) {
                return "the region of segment " + i + " lacks "
                        + ((access & Access.REMOTE_WRITE) != 0 ? "REMOTE_WRITE" : "LOCAL_WRITE");
            }
            long offset = request.offset(i);
            if (offset < 0 || offset > local.length() || request.length(i) > local.length() - offset) {
                return "segment " + i + " (" + request.length(i) + " bytes from " + offset
                        + ") is not in its region of " + local.length() + " bytes";
            }
        }
        return null;
    }

    /** The bytes of all segments, one after the other. */
    static MemorySegment gather(WorkRequest request) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(request.byteLength())]);
        gather(request, bytes, 0);
        return bytes;
    }

    /** Copies the bytes of all segments, one after the other, to {@code target}. */
    static void gather(WorkRequest request, MemorySegment target, long targetOffset) {
        long to = targetOffset;
        for (int i = 0; i < request.segmentCount(); i++) {
            int length = request.length(i);
            MemorySegment.copy(request.region(i).segment(), request.offset(i), target, to, length);
            to += length;
        }
    }

    /** Copies {@code length} bytes to the segments of {@code request}, which are long enough. */
    static void scatter(MemorySegment source, long sourceOffset, long length, WorkRequest request) {
        long from = sourceOffset;
        long left = length;
        for (int i = 0; left > 0; i++) {
            long part = Math.min(left, request.length(i));
            MemorySegment.copy(source, from, request.region(i).segment(), request.offset(i), part);
            from += part;
            left -= part;
        }
    }

    /** Copies the bytes of one request's segments to another's, which are long enough. */
    static void copy(WorkRequest source, WorkRequest target) {
        int to = 0;
        long used = 0;
        for (int i = 0; i < source.segmentCount(); i++) {
            long from = source.offset(i);
            long left = source.length(i);
            while (left > 0) {
                long room = target.length(to) - used;
                long part = Math.min(left, room);
                MemorySegment.copy(
                        source.region(i).segment(), from, target.region(to).segment(), target.offset(to) + used, part);
                from += part;
                left -= part;
                used += part;
                if (used == target.length(to)) {
                    to++;
                    used = 0;
                }
            }
        }
    }

    /** Counts the request in or out at the regions that it names. */
    static void hold(WorkRequest request, int change) {
        for (int i = 0; i < request.segmentCount(); i++) {
            if (request.region(i) instanceof FabricRegion region) {
                region.posted += change;
            }
        }
    }
}
