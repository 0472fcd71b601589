package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.iwarp.wire.FpduCrc;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where the payload of the FPDU under way belongs: memory behind a peer's key, or the segments of a request of ours.
 *
 * <h2>Operation</h2>
 *
 * {@link #at(RegisteredMemory, long)} or {@link #at(SegmentCursor)}, then {@link #copy} for bytes from the staging
 * buffer, and {@link #lend} and {@link #placed} around a read straight from the network.
 *
 * <h2>Buffer ownership</h2>
 *
 * Lent views are out between {@link #lend} and {@link #placed}. With a key, it must be entered meanwhile.
 *
 * <h2>Threading</h2>
 *
 * The stream's owner.
 */
final class Placement {

    /** Most views that are lent at a time. */
    static final int VIEWS_MAX = 15;

    private final SegmentCursor probe = new SegmentCursor();
    private final ByteBuffer[] views = new ByteBuffer[VIEWS_MAX];
    private final @Nullable RegisteredMemory[] owners = new RegisteredMemory[VIEWS_MAX];
    private final long[] offsets = new long[VIEWS_MAX];
    private final int[] starts = new int[VIEWS_MAX];
    private int lent;
    private @Nullable RegisteredMemory memory;
    private long offset;
    private SegmentCursor cursor = probe;

    /** The payload goes to {@code newOffset} of {@code newMemory}. */
    void at(RegisteredMemory newMemory, long newOffset) {
        memory = newMemory;
        offset = newOffset;
    }

    /** The payload goes to where {@code newCursor} is, which moves with it. */
    void at(SegmentCursor newCursor) {
        memory = null;
        cursor = newCursor;
    }

    /** Puts {@code bytes} of {@code source} there. */
    void copy(ByteBuffer source, int sourceOffset, int bytes) {
        RegisteredMemory m = memory;
        if (m != null) {
            copy(m, offset, source, sourceOffset, bytes);
            offset += bytes;
            return;
        }
        int left = bytes;
        int from = sourceOffset;
        while (left > 0) {
            int piece = Math.min(left, cursor.available());
            copy(cursor.memory(), cursor.offset(), source, from, piece);
            cursor.advance(piece);
            from += piece;
            left -= piece;
        }
    }

    private static void copy(RegisteredMemory to, long toOffset, ByteBuffer source, int from, int bytes) {
        ByteBuffer view = to.acquireView(toOffset, bytes);
        try {
            view.put(view.position(), source, from, bytes);
        } finally {
            to.releaseView(view, toOffset);
        }
    }

    /**
     * Lends views of the next {@code bytes}, as far as they fit {@link #VIEWS_MAX} pieces.
     *
     * @return how many views are in {@code into}
     */
    int lend(ByteBuffer[] into, int bytes) {
        RegisteredMemory m = memory;
        lent = 0;
        if (m != null) {
            lendOne(m, offset, bytes);
        } else {
            probe.copy(cursor);
            int left = bytes;
            while (left > 0 && lent < VIEWS_MAX) {
                int piece = Math.min(left, probe.available());
                lendOne(probe.memory(), probe.offset(), piece);
                probe.advance(piece);
                left -= piece;
            }
        }
        System.arraycopy(views, 0, into, 0, lent);
        return lent;
    }

    private void lendOne(RegisteredMemory owner, long at, int bytes) {
        ByteBuffer view = owner.acquireView(at, bytes);
        views[lent] = view;
        owners[lent] = owner;
        offsets[lent] = at;
        starts[lent++] = view.position();
    }

    /** Bytes that the lent views hold in all. */
    int lentBytes() {
        int sum = 0;
        for (int i = 0; i < lent; i++) {
            sum += views[i].limit() - starts[i];
        }
        return sum;
    }

    /**
     * Takes the views back, after some were filled from the front.
     *
     * @param crc to add the new bytes to, or null
     * @return how many bytes are new
     */
    int placed(@Nullable FpduCrc crc) {
        int sum = 0;
        for (int i = 0; i < lent; i++) {
            ByteBuffer view = views[i];
            int bytes = view.position() - starts[i];
            if (bytes > 0 && crc != null) {
                view.limit(view.position()).position(starts[i]);
                crc.update(view);
            }
            RegisteredMemory owner = owners[i];
            if (owner != null) {
                owner.releaseView(view, offsets[i]);
                owners[i] = null;
            }
            if (memory == null) {
                advanceCursor(bytes);
            }
            sum += bytes;
        }
        offset += sum;
        lent = 0;
        return sum;
    }

    private void advanceCursor(int bytes) {
        int left = bytes;
        while (left > 0) {
            int piece = Math.min(left, cursor.available());
            cursor.advance(piece);
            left -= piece;
        }
    }
}
