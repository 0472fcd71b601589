package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A memory region as the engine sees it: bytes, rights, the requests that name it, and views for socket and CRC.
 *
 * <h2>Operation</h2>
 *
 * Posting a request {@linkplain #retain() retains} the region for each segment, its completion {@linkplain #release()
 * releases} it; {@link #tryClose()} works only when nothing is retained. A {@linkplain #acquireView view} is a reusable
 * {@link ByteBuffer} over a part of the region; views are kept and handed out again, so that I/O allocates nothing.
 *
 * <h2>Buffer ownership</h2>
 *
 * A view belongs to whoever acquired it until {@link #releaseView}.
 *
 * <h2>Threading</h2>
 *
 * Any thread.
 *
 * <h2>Errors</h2>
 *
 * Touching a view whose memory was freed throws {@link IllegalStateException}, and never crashes the process.
 */
public abstract class RegisteredMemory implements MemoryRegion {

    private static final int CLOSED = Integer.MIN_VALUE;
    private static final int WINDOW_SHIFT = 30;
    private static final int VIEWS_KEPT = 64;
    private static final VarHandle USES;

    static {
        try {
            USES = MethodHandles.lookup().findVarHandle(RegisteredMemory.class, "uses", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final MemorySegment segment;
    private final long length;
    private final int access;

    /** Posted segments that name the region; negative when closed. */
    @SuppressWarnings("unused") // through USES
    private volatile int uses;

    /** Free views by GiB of the region; guarded by itself. */
    private final @Nullable ViewStack[] free;

    /**
     * @param segment native memory
     * @param access bits of {@link io.rpcrdma4j.verbs.Access}
     */
    protected RegisteredMemory(MemorySegment segment, int access) {
        this.segment = segment;
        this.length = segment.byteSize();
        this.access = access;
        this.free = new ViewStack[(int) (length >>> WINDOW_SHIFT) + 1];
    }

    @Override
    public final MemorySegment segment() {
        return segment;
    }

    @Override
    public final long length() {
        return length;
    }

    @Override
    public final int access() {
        return access;
    }

    /** Whether {@link #tryClose()} has worked. */
    public final boolean isClosed() {
        return uses < 0;
    }

    /**
     * Keeps the region from being closed.
     *
     * @return false if it is closed
     */
    public final boolean retain() {
        while (true) {
            int now = uses;
            if (now < 0) {
                return false;
            }
            if (USES.compareAndSet(this, now, now + 1)) {
                return true;
            }
        }
    }

    /** Takes back one {@link #retain()}. */
    public final void release() {
        int before = (int) USES.getAndAdd(this, -1);
        assert before > 0 : "released more often than retained";
    }

    /** How often it is retained. */
    public final int retained() {
        return uses & ~CLOSED;
    }

    /**
     * Closes it if nothing retains it.
     *
     * @return whether it is closed now
     */
    protected final boolean tryClose() {
        return USES.compareAndSet(this, 0, CLOSED) || uses < 0;
    }

    /**
     * Lends a view of {@code bytes} bytes from {@code offset}: position and limit are its ends. Return it with
     * {@link #releaseView}.
     *
     * @param bytes at most 64 KiB
     */
    final ByteBuffer acquireView(long offset, int bytes) {
        int window = (int) (offset >>> WINDOW_SHIFT);
        ByteBuffer view;
        synchronized (free) {
            ViewStack stack = free[window];
            view = stack == null ? null : stack.pop();
        }
        if (view == null) {
            long base = (long) window << WINDOW_SHIFT;
            // Windows overlap, so that no FPDU's payload lies across two.
            long size = Math.min(length - base, (1L << WINDOW_SHIFT) + 65_536);
            view = segment.asSlice(base, size).asByteBuffer();
        }
        int at = (int) (offset & (1L << WINDOW_SHIFT) - 1);
        view.limit(at + bytes).position(at);
        return view;
    }

    /** Takes back a view that {@link #acquireView} lent for {@code offset}. */
    final void releaseView(ByteBuffer view, long offset) {
        int window = (int) (offset >>> WINDOW_SHIFT);
        view.clear();
        synchronized (free) {
            ViewStack stack = free[window];
            if (stack == null) {
                stack = new ViewStack();
                free[window] = stack;
            }
            stack.push(view);
        }
    }

    private static final class ViewStack {
        private @Nullable ByteBuffer[] views = new ByteBuffer[4];
        private int count;

        @Nullable
        ByteBuffer pop() {
            if (count == 0) {
                return null;
            }
            ByteBuffer view = views[--count];
            views[count] = null;
            return view;
        }

        void push(ByteBuffer view) {
            if (count == VIEWS_KEPT) {
                return;
            }
            if (count == views.length) {
                views = java.util.Arrays.copyOf(views, count * 2);
            }
            views[count++] = view;
        }
    }
}
