package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link ClientCall} as its transport sees it: what is needed to send it, and the right to end it. For transports
 * only.
 *
 * <h2>Operation</h2>
 *
 * {@link #begin}, {@link #encode}, and when a reply came {@link #decode}. Several threads may want to end a call: one
 * with the reply, one with the deadline, one that cancels, one that saw the connection go. The one to which
 * {@link #claim} returns true ends it: it takes back everything that the call lent, then calls {@link #complete}.
 *
 * <h2>Threading</h2>
 *
 * {@link #claim}, {@link #isUnderWay} and the getters may be used from any thread; the rest by the thread that begins,
 * and by the one that claimed.
 */
public final class PendingCall {

    /** How a transport is told to cancel a call. */
    @FunctionalInterface
    public interface Canceller {

        /**
         * Somebody wants the call to end. Called on any thread, once or more, possibly when the call is over.
         *
         * @param call the call
         * @param xid the transaction id it had when it was cancelled
         */
        void cancel(PendingCall call, int xid);
    }

    private static final Logger LOG = LoggerFactory.getLogger(PendingCall.class);

    private static final int IDLE = 0;
    private static final int UNDER_WAY = 1;
    private static final int CLAIMED = 2;

    private final ClientCall call;
    private final AtomicInteger state = new AtomicInteger(IDLE);
    private volatile int xid;
    private volatile long deadlineNanos;
    private volatile boolean hasDeadline;
    private volatile @Nullable Canceller canceller;
    private @Nullable Object context;

    PendingCall(ClientCall call) {
        this.call = call;
    }

    /** The call itself: its settings, for the transport to read. */
    public ClientCall call() {
        return call;
    }

    /**
     * Opens the call.
     *
     * @param transactionId unique among the calls that this transport has under way
     * @param nowNanos the transport's clock, from which the deadline is reckoned
     * @param onCancel what to tell when somebody cancels
     * @throws IllegalStateException if the call is under way
     */
    public void begin(int transactionId, long nowNanos, Canceller onCancel) {
        if (!state.compareAndSet(IDLE, CLAIMED)) {
            throw new IllegalStateException("the call is under way");
        }
        xid = transactionId;
        long timeout = call.timeoutNanos();
        hasDeadline = timeout != Long.MAX_VALUE;
        deadlineNanos = nowNanos + timeout;
        canceller = onCancel;
        context = null;
        state.set(UNDER_WAY);
    }

    /** The transaction id. */
    public int xid() {
        return xid;
    }

    /** Whether the call has a deadline. */
    public boolean hasDeadline() {
        return hasDeadline;
    }

    /** When the call's time is up, on the clock given to {@link #begin}; compare by subtraction. */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** Whether the call's time is up. */
    public boolean isOverdue(long nowNanos) {
        return hasDeadline && nowNanos - deadlineNanos >= 0;
    }

    /** Whether the call was begun and is not over. */
    public boolean isUnderWay() {
        return state.get() != IDLE;
    }

    /** What the transport keeps with the call; null after {@link #begin}. */
    public @Nullable Object context() {
        return context;
    }

    /** Sets what the transport keeps with the call. */
    public void context(@Nullable Object value) {
        context = value;
    }

    /**
     * Writes header and arguments.
     *
     * @param writer at the start of a message
     * @return why that failed, or null. After a failure the message is to be released, the call claimed and completed.
     */
    public @Nullable RpcException encode(XdrWriter writer) {
        try {
            RpcCallHeader.write(writer, xid, call.program(), call.version(), call.procedure(), call.credential());
            call.encodeArguments(writer);
            writer.finish();
            return null;
        } catch (RuntimeException e) {
            return new RpcException(
                    RpcException.Kind.NOT_SENT, "the arguments cannot be encoded: " + e.getMessage(), e);
        }
    }

    /**
     * Reads a reply and hands its results to the call. Only after {@link #claim}.
     *
     * @param reader at the first byte of a reply with this call's XID
     * @return the failure to {@link #complete} with, or null if there are results
     */
    public @Nullable RpcException decode(XdrReader reader) {
        try {
            RpcException failure = RpcReplyHeader.parse(reader, xid);
            if (failure != null) {
                return failure;
            }
            PayloadBuffer sink = call.sink();
            if (sink != null) {
                reader.payloadSink(sink.segment(), call.sinkOffset(), call.sinkLength());
            }
            call.decodeResults(reader);
            return null;
        } catch (XdrException | RuntimeException e) {
            return new RpcException(
                    RpcException.Kind.GARBAGE_REPLY, "the reply cannot be decoded: " + e.getMessage(), e);
        }
    }

    /** Takes the right to end the call. True exactly once per call, for one of all that try. */
    public boolean claim() {
        return state.compareAndSet(UNDER_WAY, CLAIMED);
    }

    /**
     * Ends the call. The caller holds the claim, and nothing of the call's memory is in use any more.
     *
     * @param failure why there are no results, or null
     */
    public void complete(@Nullable RpcException failure) {
        if (state.get() != CLAIMED) {
            throw new IllegalStateException("the call was not claimed");
        }
        context = null;
        canceller = null;
        state.set(IDLE);
        try {
            call.onDone(failure);
        } catch (RuntimeException | Error e) {
            LOG.error(
                    "The end of a call of program {} procedure {} failed: {}",
                    call.program(),
                    call.procedure(),
                    e.toString());
            LOG.debug("Where it failed", e);
        }
    }

    void cancel() {
        int id = xid;
        Canceller target = canceller;
        if (target != null && state.get() == UNDER_WAY) {
            target.cancel(this, id);
        }
    }
}
