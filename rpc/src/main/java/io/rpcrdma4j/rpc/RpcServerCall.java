package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.xdr.ChunkClaims;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A call that a server received, and its reply. Transports extend and pool it, so that serving a call allocates
 * nothing.
 *
 * <h2>Operation</h2>
 *
 * A program reads {@link #arguments()}, then writes its results to {@link #success()} and calls {@link #reply()}; or it
 * answers with {@link #fail}, {@link #rejectAuth} or {@link #drop}. Exactly one of these ends the call, now or later,
 * on any thread. A second is an {@link IllegalStateException} as long as the object was not reused for another call;
 * once it is answered, the program must not touch it again. Before the end, results may be started afresh:
 * {@link #success()} and {@link #fail} forget what was written.
 *
 * <p>For transports: {@link #begin} with a received message, {@link RpcDispatcher#dispatch}, then one of
 * {@link #transmit}, {@link #discard} and {@link #malformed} is called, on any thread; and {@link #end} when nothing of
 * the call is needed any more.
 *
 * <h2>Buffer ownership</h2>
 *
 * The memory behind the arguments, chunks included, belongs to the transport and stays valid until the call is answered
 * (on RDMA: until the reply has been sent). What is put into the reply belongs to the reply; the transport releases it
 * when it has been sent, or could not be.
 *
 * <h2>Threading</h2>
 *
 * Used by one thread at a time; the program sees to it when it passes the call on.
 *
 * <h2>Errors</h2>
 *
 * If the connection is gone by the time of the answer, the answer is dropped silently and everything is released. If
 * there is no memory for the answer, {@link io.rpcrdma4j.rpc.memory.RpcResourceException} is thrown and the call is
 * still unanswered: a program that runs in the dispatcher lets it pass, one that answers later may {@link #drop} the
 * call.
 */
public abstract class RpcServerCall {
    private static final int IDLE = 0;
    private static final int OPEN = 1;
    private static final int ANSWERED = 2;
    /** The two low bits are one of the states above; the others count the calls that the object has been. */
    private static final int STATE_MASK = 3;

    private final AtomicInteger state = new AtomicInteger(IDLE);
    private final RpcCallHeader header = new RpcCallHeader();
    private final XdrReader reader = new XdrReader();
    private final XdrBuffer reply = new XdrBuffer();
    private final XdrWriter writer = new XdrWriter(reply);
    private boolean replyStarted;

    /** Set by the dispatcher before it hands the call to an executor. */
    @Nullable
    RpcProgram target;

    /** What an executor runs; made once. */
    @SuppressWarnings("this-escape") // Nothing runs it before the call is begun.
    final Runnable onExecutor = this::runTarget;

    /** Makes an idle call. */
    protected RpcServerCall() {}

    // ---- for programs

    /** The transaction id, as on the wire. */
    public final int xid() {
        return header.xid();
    }

    /** The program's number, an unsigned 32-bit value. */
    public final int program() {
        return header.program();
    }

    /** The program's version, an unsigned 32-bit value. */
    public final int version() {
        return header.version();
    }

    /** The procedure's number, an unsigned 32-bit value. */
    public final int procedure() {
        return header.procedure();
    }

    /** Who calls, as it says. */
    public final Credential credential() {
        return header.credential();
    }

    /** The connection that the call came by. */
    public abstract RpcConnection connection();

    /** Memory from which result payloads can be sent without a copy. */
    public abstract PayloadAllocator memory();

    /**
     * Most bytes that the reply may have outside payloads that the transport places directly, the RPC header included.
     * A longer reply fails with {@link io.rpcrdma4j.rpc.xdr.XdrOverflowException}, at the latest in {@link #reply()}
     * (then towards the caller only).
     */
    public abstract long replyLimit();

    /** The arguments. Slices of them are valid until the call is answered. */
    public final XdrReader arguments() {
        return reader;
    }

    /**
     * Starts a reply with {@link AcceptStatus#SUCCESS}, in place of what was written before.
     *
     * @return where the results go
     * @throws IllegalStateException if the call was answered
     */
    public final XdrWriter success() {
        requireOpen();
        XdrWriter results = restart();
        RpcReplyHeader.writeAccepted(results, xid(), AcceptStatus.SUCCESS);
        return results;
    }

    /**
     * Answers with what was written since {@link #success()}. All its buffers move to the transport.
     *
     * @throws IllegalStateException if the call was answered, or {@link #success()} was not called
     */
    public final void reply() {
        if (!replyStarted) {
            requireOpen();
            throw new IllegalStateException("no results were started");
        }
        XdrBuffer message = writer.finish();
        claim();
        transmit(message);
    }

    /**
     * Answers with a status other than SUCCESS and PROG_MISMATCH.
     *
     * @throws IllegalStateException if the call was answered
     */
    public final void fail(AcceptStatus status) {
        if (status == AcceptStatus.SUCCESS || status == AcceptStatus.PROG_MISMATCH) {
            throw new IllegalArgumentException(status + " needs more than a status");
        }
        requireOpen();
        RpcReplyHeader.writeAccepted(restart(), xid(), status);
        reply();
    }

    /**
     * Denies the call with AUTH_ERROR.
     *
     * @throws IllegalStateException if the call was answered
     */
    public final void rejectAuth(AuthStatus status) {
        requireOpen();
        RpcReplyHeader.writeAuthError(restart(), xid(), status);
        reply();
    }

    /**
     * Answers PROG_MISMATCH.
     *
     * @param low the lowest version served
     * @param high the highest version served
     * @throws IllegalStateException if the call was answered
     */
    public final void progMismatch(int low, int high) {
        requireOpen();
        RpcReplyHeader.writeProgramMismatch(restart(), xid(), low, high);
        reply();
    }

    /**
     * Ends the call without an answer.
     *
     * @throws IllegalStateException if the call was answered
     */
    public final void drop() {
        claim();
        forgetReply();
        discard();
    }

    // ---- for transports

    /**
     * Opens the call.
     *
     * @param message memory that holds the inline part of the call; lent until {@link #end}
     * @param offset where in it the call begins
     * @param length how many bytes it has
     * @param chunks the items that did not come inline, or null if all did
     * @throws IllegalStateException if the object is in use
     */
    protected final void begin(MemorySegment message, long offset, long length, @Nullable ChunkClaims chunks) {
        int before = state.get();
        if ((before & STATE_MASK) != IDLE || !state.compareAndSet(before, before + STATE_MASK + 1 + OPEN)) {
            throw new IllegalStateException("the call object is in use");
        }
        reader.start(message, offset, length, chunks);
    }

    /**
     * Closes the call: releases what is left of the reply and forgets the message. The object may then be used for
     * another. The transport calls it once per {@link #begin}, when the reply has been sent or dropped.
     *
     * @throws IllegalStateException if the call was not answered
     */
    protected final void end() {
        int before = state.get();
        if ((before & STATE_MASK) != ANSWERED) {
            throw new IllegalStateException("the call was not answered");
        }
        forgetReply();
        reader.clear();
        target = null;
        state.set(before & ~STATE_MASK);
    }

    /** Whether the call was opened and not answered yet. */
    protected final boolean isUnanswered() {
        return (state.get() & STATE_MASK) == OPEN;
    }

    /**
     * Starts the writer: with a head, an allocator and a limit ({@link XdrWriter#start}).
     *
     * @param replyWriter over an empty buffer
     */
    protected abstract void startReply(XdrWriter replyWriter);

    /**
     * Sends the reply, on whichever thread answered; or drops it if the connection is gone. Never throws. When the
     * reply's buffers are not needed any more the transport calls {@link #end}, now or later.
     *
     * @param message the whole reply; it and its buffers are the transport's from here on
     */
    protected abstract void transmit(XdrBuffer message);

    /** The call gets no answer; the transport takes its memory back and calls {@link #end}. Never throws. */
    protected abstract void discard();

    /**
     * The message is no call that could be answered: too short for a header, or not a call. By default as
     * {@link #discard}.
     *
     * @param reason what is wrong with it, for the log
     */
    protected void malformed(String reason) {
        discard();
    }

    /**
     * Forgets the reply that was given to {@link #transmit}, for one that can be sent.
     *
     * @return restarted and empty; what it writes is given to {@link #transmit} by the transport itself
     */
    protected final XdrWriter restartReply() {
        if ((state.get() & STATE_MASK) != ANSWERED) {
            throw new IllegalStateException("the call was not answered");
        }
        return restart();
    }

    /**
     * The results exceed {@link #replyLimit()} and the program let the exception through. By default answers
     * SYSTEM_ERR; transports that can say it better do.
     *
     * @param replyWriter restarted and empty
     */
    protected void replyTooLong(XdrWriter replyWriter) {
        RpcReplyHeader.writeAccepted(replyWriter, xid(), AcceptStatus.SYSTEM_ERR);
        transmit(replyWriter.finish());
    }

    // ---- for the dispatcher

    final RpcCallHeader header() {
        return header;
    }

    final void failMalformed(String reason) {
        claim();
        forgetReply();
        malformed(reason);
    }

    final void failRpcMismatch() {
        requireOpen();
        RpcReplyHeader.writeRpcMismatch(restart(), xid());
        reply();
    }

    /** The call that the object is now: once it is answered, the object may be another. */
    final int ticket() {
        return state.get();
    }

    /** Answers what a program's exception became, unless the call was answered before. */
    final void failIfUnanswered(int ticket, AcceptStatus status) {
        if (state.compareAndSet(ticket, (ticket & ~STATE_MASK) | ANSWERED)) {
            RpcReplyHeader.writeAccepted(restart(), xid(), status);
            transmit(writer.finish());
        }
    }

    /** Says that the results are too long, unless the call was answered before. */
    final void failTooLongIfUnanswered(int ticket) {
        if (state.compareAndSet(ticket, (ticket & ~STATE_MASK) | ANSWERED)) {
            replyTooLong(restart());
        }
    }

    private void runTarget() {
        RpcProgram program = target;
        if (program == null) {
            throw new AssertionError("no program was set");
        }
        RpcDispatcher.run(program, this);
    }

    private XdrWriter restart() {
        reply.releaseAll();
        startReply(writer);
        replyStarted = true;
        return writer;
    }

    private void forgetReply() {
        reply.releaseAll();
        replyStarted = false;
    }

    private void requireOpen() {
        if (!isUnanswered()) {
            throw new IllegalStateException("the call was answered");
        }
    }

    private void claim() {
        int before = state.get();
        if ((before & STATE_MASK) != OPEN || !state.compareAndSet(before, (before & ~STATE_MASK) | ANSWERED)) {
            throw new IllegalStateException("the call was answered");
        }
    }
}
