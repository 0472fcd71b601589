package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.WorkRequest;
import org.jspecify.annotations.Nullable;

/** A place in the segments of a work request. <b>Threading:</b> one owner. */
final class SegmentCursor {

    private @Nullable WorkRequest request;
    private int index;
    private int used;

    /** Goes to the first byte of {@code newRequest}. */
    void start(WorkRequest newRequest) {
        request = newRequest;
        index = 0;
        used = 0;
        skipEmpty();
    }

    /** Goes to where {@code other} is. */
    void copy(SegmentCursor other) {
        request = other.request;
        index = other.index;
        used = other.used;
    }

    /** Forgets the request. */
    void stop() {
        request = null;
    }

    private WorkRequest request() {
        WorkRequest r = request;
        if (r == null) {
            throw new IllegalStateException("no request");
        }
        return r;
    }

    /** The region of the current segment. */
    RegisteredMemory memory() {
        return (RegisteredMemory) request().region(index);
    }

    /** The current byte's offset in its region. */
    long offset() {
        return request().offset(index) + used;
    }

    /** Bytes left in the current segment, 0 at the end of the request. */
    int available() {
        WorkRequest r = request();
        return index == r.segmentCount() ? 0 : r.length(index) - used;
    }

    /** Goes on by {@code bytes}, at most {@link #available()}. */
    void advance(int bytes) {
        used += bytes;
        skipEmpty();
    }

    private void skipEmpty() {
        WorkRequest r = request();
        while (index < r.segmentCount() && used == r.length(index)) {
            index++;
            used = 0;
        }
    }
}
