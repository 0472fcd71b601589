package io.rpcrdma4j.verbs;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@link SendRequest} and {@link ReceiveRequest} have in common: identity and a list of local memory segments.
 * Made once and posted again and again, so that posting allocates nothing.
 *
 * <p><b>Buffer ownership:</b> from a successful post to its completion, the request and the memory that it names belong
 * to the device. <b>Threading:</b> one owner at a time; a post hands it over.
 */
public abstract sealed class WorkRequest permits SendRequest, ReceiveRequest {

    private final MemoryRegion[] regions;
    private final long[] offsets;
    private final int[] lengths;
    private int segmentCount;
    private long byteLength;
    private long id;
    private @Nullable CompletionHandler handler;
    private PostStatus postStatus = PostStatus.POSTED;

    WorkRequest(int segmentsMax) {
        if (segmentsMax < 0) {
            throw new IllegalArgumentException("segmentsMax is negative: " + segmentsMax);
        }
        regions = new MemoryRegion[segmentsMax];
        offsets = new long[segmentsMax];
        lengths = new int[segmentsMax];
    }

    /** How many segments it can hold. */
    public final int segmentsMax() {
        return regions.length;
    }

    /** How many segments it has. */
    public final int segmentCount() {
        return segmentCount;
    }

    /** The region of segment {@code index}. */
    public final MemoryRegion region(int index) {
        return regions[Objects.checkIndex(index, segmentCount)];
    }

    /** The offset, in bytes from the start of its region, of segment {@code index}. */
    public final long offset(int index) {
        return offsets[Objects.checkIndex(index, segmentCount)];
    }

    /** The length in bytes of segment {@code index}. */
    public final int length(int index) {
        return lengths[Objects.checkIndex(index, segmentCount)];
    }

    /** The sum of all segments' lengths. */
    public final long byteLength() {
        return byteLength;
    }

    /** A number of the caller's, reported by the completion. */
    public final long id() {
        return id;
    }

    /** What to do at the completion. */
    public final @Nullable CompletionHandler handler() {
        return handler;
    }

    /** Why the last post did not take this request; {@link PostStatus#POSTED} if it did. */
    public final PostStatus postStatus() {
        return postStatus;
    }

    /** For providers. */
    public final void setPostStatus(PostStatus status) {
        postStatus = status;
    }

    final void setIdentity(long newId, @Nullable CompletionHandler newHandler) {
        id = newId;
        handler = newHandler;
    }

    final void appendSegment(MemoryRegion region, long offset, int length) {
        if (segmentCount == regions.length) {
            throw new IllegalStateException("the request holds " + regions.length + " segments");
        }
        if (length < 0) {
            throw new IllegalArgumentException("segment length is negative: " + length);
        }
        regions[segmentCount] = region;
        offsets[segmentCount] = offset;
        lengths[segmentCount] = length;
        segmentCount++;
        byteLength += length;
    }

    final void replaceSegment(int index, long offset, int length) {
        Objects.checkIndex(index, segmentCount);
        if (length < 0) {
            throw new IllegalArgumentException("segment length is negative: " + length);
        }
        byteLength += length - (long) lengths[index];
        offsets[index] = offset;
        lengths[index] = length;
    }

    final void truncateSegments(int count) {
        if (count < 0 || count > segmentCount) {
            throw new IllegalArgumentException("can't cut " + segmentCount + " segments to " + count);
        }
        while (segmentCount > count) {
            segmentCount--;
            byteLength -= lengths[segmentCount];
        }
    }
}
