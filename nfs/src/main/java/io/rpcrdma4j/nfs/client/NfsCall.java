package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A call of an NFS procedure. It may be used for one call after the other.
 *
 * <h2>Operation</h2>
 *
 * {@link Nfs3Client#start} starts it; {@link #ended} ends it, once. When the server answers NFS3ERR_JUKEBOX (RFC 1813
 * §2.6) the call pauses and is made again, with a new transaction id and growing pauses, until its time is up. Then
 * that status is its end.
 *
 * <h2>Buffer ownership</h2>
 *
 * As in {@link ClientCall}: what was lent to the call is the caller's again when {@link #ended} is called. During a
 * pause it stays lent.
 *
 * <h2>Threading</h2>
 *
 * As in {@link ClientCall}. {@link #abandon} may be called from any thread.
 *
 * <h2>Errors</h2>
 *
 * A failure of the transport is given to {@link #ended}; what the server said is in {@link #status}.
 */
public abstract class NfsCall extends ClientCall {
    private static final long FIRST_PAUSE_NANOS = 100_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 5_000_000_000L;

    private final ReentrantLock lock = new ReentrantLock();
    private NfsStatus status = NfsStatus.NFS3_OK;
    private @Nullable Nfs3Client client;
    private long deadlineNanos;
    private long pauseNanos;
    /** Guarded by {@link #lock}, as is the next. */
    private boolean isPaused;

    private boolean isAbandoned;

    /** Makes a call of a procedure. */
    @SuppressWarnings("this-escape") // The number is set, nothing else.
    protected NfsCall(NfsProcedure procedure) {
        super(Nfs3.PROGRAM, Nfs3.VERSION);
        procedure(procedure.number());
    }

    /**
     * Reads status and results, all of them.
     *
     * @param reader borrowed until return
     * @return the status
     * @throws XdrException if they are malformed
     */
    protected abstract NfsStatus decode(XdrReader reader) throws XdrException;

    /**
     * The call is over; see {@link ClientCall#onDone}.
     *
     * @param failure why there was no answer, or null if there was one: then {@link #status} has it
     */
    protected abstract void ended(@Nullable RpcException failure);

    /** What the server answered. Valid in {@link #ended} if there was no failure, and until the next start. */
    public final NfsStatus status() {
        return status;
    }

    /** Ends the call early, a pause too: with {@link RpcException.Kind#CANCELLED} unless an answer comes first. */
    public final void abandon() {
        boolean wasPaused;
        lock.lock();
        try {
            isAbandoned = true;
            wasPaused = isPaused;
            isPaused = false;
        } finally {
            lock.unlock();
        }
        if (wasPaused) {
            ended(new RpcException(RpcException.Kind.CANCELLED, "the call was cancelled"));
        } else {
            cancel();
        }
    }

    /** Starts the call; called by the client. */
    final void begin(Nfs3Client through) {
        client = through;
        Timers timers = through.timers();
        long timeout = through.options().timeout().toNanos();
        deadlineNanos = timers.nanoTime() + timeout;
        pauseNanos = FIRST_PAUSE_NANOS;
        lock.lock();
        try {
            isAbandoned = false;
        } finally {
            lock.unlock();
        }
        credential(through.options().credential());
        resend(true);
        timeoutNanos(timeout);
        through.transport().start(this);
    }

    @Override
    protected final void decodeResults(XdrReader reader) throws XdrException {
        status = decode(reader);
        reader.finish();
    }

    @Override
    protected final void onDone(@Nullable RpcException failure) {
        if (failure != null || status != NfsStatus.NFS3ERR_JUKEBOX || !pause()) {
            ended(failure);
        }
    }

    /** Waits for better times. False if there is no time left, or nobody wants to. */
    private boolean pause() {
        Nfs3Client through = client;
        if (through == null) {
            throw new AssertionError("a call that was not started has an answer");
        }
        long wait = pauseNanos;
        if (deadlineNanos - through.timers().nanoTime() <= wait) {
            return false;
        }
        pauseNanos = Math.min(2 * wait, LONGEST_PAUSE_NANOS);
        lock.lock();
        try {
            if (isAbandoned) {
                return false;
            }
            isPaused = true;
        } finally {
            lock.unlock();
        }
        through.timers().schedule(wait, () -> resume(through));
        return true;
    }

    private void resume(Nfs3Client through) {
        lock.lock();
        try {
            if (!isPaused) {
                return;
            }
            isPaused = false;
        } finally {
            lock.unlock();
        }
        timeoutNanos(Math.max(1, deadlineNanos - through.timers().nanoTime()));
        through.transport().start(this);
    }
}
