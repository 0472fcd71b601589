package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call that a client makes. The object may be used for one call after the other, so that making a call allocates
 * nothing.
 *
 * <h2>Operation</h2>
 *
 * Set what the call needs, then {@link RpcClientTransport#start}. The transport encodes the arguments, sends, and
 * decodes the results; {@link #onDone} ends the call, exactly once, and may start the object again. {@link #cancel}
 * asks for an early end.
 *
 * <h2>Buffer ownership</h2>
 *
 * Buffers given to {@link XdrWriter#payload} move to the transport, which releases each before {@link #onDone}. Those
 * given to {@link XdrWriter#lendPayload} and the sink stay the caller's; between start and {@link #onDone} they are
 * lent to the transport (and, on RDMA, to the peer). When {@link #onDone} is called the transport touches and exposes
 * none of it any more, whether the call succeeded, failed or was cancelled.
 *
 * <h2>Threading</h2>
 *
 * Settings are made by one thread while the call is not under way. The three callbacks run on threads of the transport
 * (or inside start), one at a time, and must not block. {@link #cancel} may be called from any thread.
 *
 * <h2>Errors</h2>
 *
 * See {@link RpcException.Kind}. What {@link #encodeArguments} throws ends the call with
 * {@link RpcException.Kind#NOT_SENT}; what {@link #decodeResults} throws ends it with
 * {@link RpcException.Kind#GARBAGE_REPLY}.
 */
public abstract class ClientCall {
    /** Time in nanoseconds that a call has if it says nothing: one minute. */
    public static final long DEFAULT_TIMEOUT_NANOS = 60_000_000_000L;

    /** Largest reply in bytes that a call expects if it says nothing. */
    public static final int DEFAULT_REPLY_BYTES_MAX = 512;

    @SuppressWarnings("this-escape") // It keeps the reference and does nothing with it yet.
    private final PendingCall pending = new PendingCall(this);

    private final int program;
    private final int version;
    private int procedure;
    private Credential credential = AuthNone.INSTANCE;
    private int replyBytesMax = DEFAULT_REPLY_BYTES_MAX;
    private long timeoutNanos = DEFAULT_TIMEOUT_NANOS;
    private boolean resend;
    private @Nullable PayloadBuffer sink;
    private long sinkOffset;
    private int sinkLength;

    /**
     * Makes a call that is not under way.
     *
     * @param program the program's number
     * @param version its version
     */
    protected ClientCall(int program, int version) {
        this.program = program;
        this.version = version;
    }

    /**
     * Writes the arguments. May be called again if the call has to be encoded anew.
     *
     * @param writer borrowed until return
     */
    protected abstract void encodeArguments(XdrWriter writer);

    /**
     * Reads the results of a call that succeeded. What it keeps of the reader's slices it copies, except of the sink.
     *
     * @param reader borrowed until return, at the first byte of the results
     * @throws XdrException if they are malformed
     */
    protected abstract void decodeResults(XdrReader reader) throws XdrException;

    /**
     * The call is over. All of the caller's buffers are the caller's again, and the object may be started again.
     *
     * @param failure why there are no results, or null if there are
     */
    protected abstract void onDone(@Nullable RpcException failure);

    /** The program's number. */
    public final int program() {
        return program;
    }

    /** The program's version. */
    public final int version() {
        return version;
    }

    /** The procedure's number; 0 unless set. */
    public final int procedure() {
        return procedure;
    }

    /** Sets the procedure's number. */
    public final void procedure(int number) {
        requireIdle();
        procedure = number;
    }

    /** Who calls; AUTH_NONE unless set. */
    public final Credential credential() {
        return credential;
    }

    /** Sets who calls. */
    public final void credential(Credential caller) {
        requireIdle();
        credential = Objects.requireNonNull(caller);
    }

    /** Largest reply in bytes, RPC header included, payload of the sink excluded. */
    public final int replyBytesMax() {
        return replyBytesMax;
    }

    /**
     * Sets the largest reply: on RDMA it decides whether a Reply chunk is offered (RFC 8166 §4.3.3). A reply that turns
     * out longer may be lost.
     */
    public final void replyBytesMax(int bytes) {
        requireIdle();
        replyBytesMax = bytes;
    }

    /** Time in nanoseconds that the call has from its start. */
    public final long timeoutNanos() {
        return timeoutNanos;
    }

    /**
     * Sets the time that the call has from its start.
     *
     * @param nanos more than 0; {@link Long#MAX_VALUE} for ever
     */
    public final void timeoutNanos(long nanos) {
        requireIdle();
        if (nanos <= 0) {
            throw new IllegalArgumentException("a timeout of " + nanos + " ns");
        }
        timeoutNanos = nanos;
    }

    /** Whether the call is sent again, with the same XID, when its connection is lost. Off unless set. */
    public final boolean resend() {
        return resend;
    }

    /**
     * Sets whether the call survives the loss of its connection: it is sent again by the next one, with the same XID,
     * so that the server's duplicate-request cache can recognise it, until its time is up. Without it the call fails
     * with {@link RpcException.Kind#TRANSPORT_LOST}.
     */
    public final void resend(boolean again) {
        requireIdle();
        resend = again;
    }

    /**
     * Gives the memory that the first payload of the results is to go to. On RDMA it is offered as a Write chunk and
     * filled without a copy; else the bytes are copied into it. {@link XdrReader#readPayload} returns the part of it
     * that was filled.
     *
     * @param buffer stays the caller's; lent until {@link #onDone}
     * @param offset where in the buffer's segment
     * @param length most bytes that the payload may have; more is a {@link RpcException.Kind#GARBAGE_REPLY}
     */
    public final void sink(PayloadBuffer buffer, long offset, int length) {
        requireIdle();
        Objects.checkFromIndexSize(offset, length, buffer.segment().byteSize());
        sink = buffer;
        sinkOffset = offset;
        sinkLength = length;
    }

    /** Takes the sink away. */
    public final void noSink() {
        requireIdle();
        sink = null;
        sinkOffset = 0;
        sinkLength = 0;
    }

    /** Where the first payload of the results goes, or null. */
    public final @Nullable PayloadBuffer sink() {
        return sink;
    }

    /** Where in the sink's segment it goes. */
    public final long sinkOffset() {
        return sinkOffset;
    }

    /** Most bytes that it may have. */
    public final int sinkLength() {
        return sinkLength;
    }

    /** Whether the call was started and is not over. */
    public final boolean isUnderWay() {
        return pending.isUnderWay();
    }

    /**
     * Asks for the end of the call. If it is under way, it ends with {@link RpcException.Kind#CANCELLED} unless a reply
     * comes first; {@link #onDone} tells when, possibly before this returns and possibly after. Else nothing happens.
     */
    public final void cancel() {
        pending.cancel();
    }

    /** The call as its transport sees it. */
    public final PendingCall pending() {
        return pending;
    }

    private void requireIdle() {
        if (pending.isUnderWay()) {
            throw new IllegalStateException("the call is under way");
        }
    }
}
