package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.Terminate;
import io.rpcrdma4j.verbs.iwarp.wire.TerminateCode;
import io.rpcrdma4j.verbs.iwarp.wire.Violation;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One iWARP connection in full operation, and what becomes of its queues before and after.
 *
 * <h2>Operation</h2>
 *
 * After {@link #open}: when bytes can be read, {@link #prepareRead}, read, {@link #finishRead}; when work was posted,
 * or bytes can be written again, while {@link #prepareWrite} says so: write {@link #writeBuffers()},
 * {@link #finishWrite}. Call {@link #onTimeout} at {@link #nextDeadline()}; too early does nothing. After any call
 * {@link #wantsShutdown()} and {@link #isFinished()} may have become true. A stream that fails, or is disconnected,
 * reports all its work as flushed at once, then says goodbye.
 *
 * <h2>Buffer ownership</h2>
 *
 * Registered memory is touched only between prepare and finish, and only while the request that names it is posted or
 * the key it lies behind is valid.
 *
 * <h2>Threading</h2>
 *
 * One owner at a time. Any thread may read {@link #isFailed()} and use {@link #revokedKeys()}.
 *
 * <h2>Errors</h2>
 *
 * What the peer does wrong ends the stream: a Terminate is sent where the protocol has one, {@link #reason()} tells it
 * in plain words, and so does the detail of every flushed completion.
 */
public final class Stream {

    /** Buffers that {@link #prepareRead} may name. */
    public static final int READ_BUFFERS_MAX = Placement.VIEWS_MAX + 1;

    /**
     * An initiator whose first FPDU stays unanswered for so long sends a zero-length Write, in case the peer missed it.
     */
    public static final long NUDGE_NANOS = 50_000_000L;

    /** Most of them. */
    public static final int NUDGES_MAX = 3;

    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    private enum State {
        /** Not connected yet. */
        IDLE,
        /** Full operation. */
        OPEN,
        /** Failed or disconnected: the last bytes are on their way, the peer is yet to close. */
        CLOSING,
        /** Nothing more to do. */
        FINISHED
    }

    private final SendRing ring;
    private final ReceiveRing receives;
    private final boolean isReceiveShared;
    private final ProtectionDomain domain;
    private final KeyTable keys;
    private final EngineBuffers buffers;
    private final CompletionSink sink;
    private final RevokedKeys revokedKeys = new RevokedKeys();
    private final Output output;

    private State state = State.IDLE;
    private volatile boolean isFailed;
    private boolean isOrderly;
    private @Nullable String reason;
    private @Nullable Active active;
    private boolean wantsShutdown;
    private boolean isShutdown;

    private long partialSince = NEVER;
    private long partialFpdu;
    private long nudgeAt = NEVER;
    private int nudges;
    private boolean hasSent;
    private long lingerUntil = NEVER;
    private @Nullable StagingBuffer drain;

    /** What there is in full operation only. */
    private record Active(
            StreamSettings settings,
            Transmitter transmitter,
            Receiver receiver,
            Inbound inbound,
            OutboundReads outboundReads,
            InboundReads inboundReads) {}

    /**
     * @param ring the send queue
     * @param receives the receive queue
     * @param isReceiveShared whether {@code receives} is shared, and survives this stream
     * @param domain the protection domain of its memory
     * @param keys the device's keys
     */
    public Stream(
            SendRing ring,
            ReceiveRing receives,
            boolean isReceiveShared,
            ProtectionDomain domain,
            KeyTable keys,
            EngineBuffers buffers,
            CompletionSink sink) {
        this.ring = ring;
        this.receives = receives;
        this.isReceiveShared = isReceiveShared;
        this.domain = domain;
        this.keys = keys;
        this.buffers = buffers;
        this.output = new Output(buffers);
        this.sink = sink;
    }

    /**
     * Starts full operation.
     *
     * @param greeting bytes to send before all else: our MPA reply; may be empty
     * @param early bytes of the peer that came with its MPA frame; may be empty
     */
    public void open(StreamSettings settings, ByteBuffer greeting, ByteBuffer early, long now) {
        if (state != State.IDLE) {
            return;
        }
        state = State.OPEN;
        var outboundReads = new OutboundReads(settings.outboundReads());
        var inboundReads = new InboundReads(settings.inboundReads());
        var admission = new Admission(keys, this, domain);
        var placement = new Placement();
        var inbound = new Inbound(
                ring,
                receives,
                domain,
                admission,
                revokedKeys,
                sink,
                outboundReads,
                inboundReads,
                placement,
                settings.rtrSend());
        var receiver = new Receiver(buffers, inbound, placement, settings.crc());
        var transmitter =
                new Transmitter(ring, domain, this, keys, admission, sink, outboundReads, inboundReads, settings);
        active = new Active(settings, transmitter, receiver, inbound, outboundReads, inboundReads);
        if (settings.isInitiator()) {
            nudgeAt = now + NUDGE_NANOS;
        }
        ring.startAccepting();
        if (greeting.hasRemaining()) {
            TransmitBatch first = output.fresh(settings.crc());
            first.addRaw(greeting);
            first.seal();
        }
        if (early.hasRemaining()) {
            receiver.stage(early);
            processReceived(now);
        }
    }

    private Active active() {
        Active a = active;
        if (a == null) {
            throw new IllegalStateException("not open");
        }
        return a;
    }

    // ---- receiving

    /**
     * Says where to read to.
     *
     * @param into room for {@link #READ_BUFFERS_MAX} buffers
     * @return how many there are; {@link #finishRead} must follow. 0 if nothing is to be read now.
     */
    public int prepareRead(ByteBuffer[] into, long now) {
        if (state == State.CLOSING) {
            // What still comes is of no interest, but the peer's end of it is.
            StagingBuffer sinkhole = drain;
            if (sinkhole == null) {
                sinkhole = buffers.takeStaging();
                drain = sinkhole;
            }
            into[0] = sinkhole.in.clear();
            return 1;
        }
        if (state != State.OPEN) {
            return 0;
        }
        try {
            return active().receiver().prepareRead(into);
        } catch (IwarpException e) {
            violate(e, now);
            return 0;
        }
    }

    /**
     * Says what came.
     *
     * @param bytes how many, in order into the buffers; -1 at the end of the stream
     */
    public void finishRead(long bytes, long now) {
        if (state == State.CLOSING) {
            if (bytes < 0) {
                finish();
            }
            return;
        }
        if (state != State.OPEN) {
            return;
        }
        Receiver receiver = active().receiver();
        receiver.finishRead((int) Math.max(0, bytes));
        if (bytes < 0) {
            peerClosed(receiver);
        } else if (bytes > 0) {
            processReceived(now);
        } else {
            receiver.rest();
        }
    }

    private void peerClosed(Receiver receiver) {
        boolean isMidway = receiver.isInsideFpdu();
        end(!isMidway, isMidway ? "connection lost in the middle of an FPDU" : "the peer disconnected");
        finish();
    }

    private void processReceived(long now) {
        Active a = active();
        Receiver receiver = a.receiver();
        try {
            receiver.process();
        } catch (IwarpException e) {
            violate(e, now);
            return;
        }
        if (receiver.fpdus() > 0) {
            a.transmitter().letGo();
            nudgeAt = NEVER;
        }
        Terminate terminate = a.inbound().terminate();
        if (terminate != null) {
            terminated(terminate);
            return;
        }
        if (!receiver.isInsideFpdu()) {
            partialSince = NEVER;
            receiver.rest();
        } else if (partialSince == NEVER || partialFpdu != receiver.fpdus()) {
            partialSince = now;
            partialFpdu = receiver.fpdus();
        }
    }

    private void terminated(Terminate terminate) {
        String text = "the peer terminated the connection: " + terminate.text();
        TerminateCode code = terminate.knownCode();
        OutboundReads reads = active().outboundReads();
        long culprit = -1;
        var status = CompletionStatus.REMOTE_OPERATION_ERROR;
        if (reads.count() > 0 && terminate.layer() == 0) {
            if (terminate.readRequest().length > 0) {
                culprit =
                        reads.numberOf(ByteBuffer.wrap(terminate.readRequest()).getInt(0));
            }
            if (terminate.type() == 1) {
                status = CompletionStatus.REMOTE_ACCESS_ERROR;
                culprit = culprit < 0 ? reads.oldestNumber() : culprit;
            } else if (code == TerminateCode.RDMAP_STREAM_CATASTROPHIC && culprit >= 0) {
                status = CompletionStatus.REMOTE_INVALID_REQUEST;
            }
        }
        fail(false, text, culprit, status);
        output.discard();
        finish();
    }

    // ---- sending

    /**
     * Frames what can be sent, unless something is still to be written.
     *
     * @return whether {@link #writeBuffers()} has something; then {@link #finishWrite} must follow
     */
    public boolean prepareWrite(long now) {
        if (state == State.CLOSING) {
            return output.hasLast();
        }
        if (state != State.OPEN) {
            return false;
        }
        Active a = active();
        TransmitBatch b = output.batch();
        if (b != null && !b.isEmpty()) {
            if (b.enterKeys()) {
                return true;
            }
            // Part of the FPDU is sent, the rest may not be: there is no way to go on.
            end(false, "a key was invalidated while the peer read from it");
            finish();
            return false;
        }
        if (a.transmitter().hasWork()) {
            TransmitBatch fresh = output.fresh(a.settings().crc());
            fill(fresh, a.transmitter());
            if (!fresh.isEmpty()) {
                return true;
            }
        }
        output.giveBack();
        IwarpException violation = a.transmitter().violation();
        if (violation != null) {
            violate(violation, now);
            return output.hasLast();
        }
        Transmitter.Failure failure = a.transmitter().failure();
        if (failure != null) {
            localFailure(failure, now);
            return output.hasLast();
        }
        return false;
    }

    private static void fill(TransmitBatch batch, Transmitter transmitter) {
        boolean isDone = false;
        try {
            transmitter.fill(batch);
            batch.seal();
            isDone = true;
        } finally {
            // Memory that was freed under us throws; the keys must become quiet all the same.
            if (!isDone) {
                batch.exitKeys();
            }
        }
    }

    /** What to write, from {@link #writeFirst()}, {@link #writeCount()} of them, together. */
    public ByteBuffer[] writeBuffers() {
        return output.buffers();
    }

    /** Index of the first buffer to write. */
    public int writeFirst() {
        return output.first();
    }

    /** How many buffers are to be written. */
    public int writeCount() {
        return output.count();
    }

    /**
     * Says how much was written.
     *
     * @param bytes how many, in order from the buffers, whose positions have moved
     * @return whether all was
     */
    public boolean finishWrite(long bytes, long now) {
        TransmitBatch b = output.batch();
        if (b == null) {
            if (state == State.CLOSING && !output.hasLast()) {
                wantsShutdown = true;
            }
            return !output.hasLast();
        }
        b.exitKeys();
        b.written(bytes, ring, sink);
        if (!hasSent && bytes > 0) {
            hasSent = true;
            if (nudgeAt != NEVER) {
                nudgeAt = now + NUDGE_NANOS;
            }
        }
        if (!b.isEmpty()) {
            return false;
        }
        if (!active().transmitter().hasWork()) {
            output.giveBack();
        }
        return true;
    }

    // ---- the end

    /** Ends it in the orderly way: what is framed is sent, all else flushed. */
    public void disconnect(long now) {
        if (state == State.IDLE) {
            end(true, "disconnected before the connection was up");
            state = State.FINISHED;
        } else if (state == State.OPEN) {
            ByteBuffer rest = output.cut();
            end(true, "we disconnected");
            sayGoodbye(rest, now);
        }
    }

    /** The connection below broke, or can't be made. */
    public void lose(String why) {
        if (state == State.CLOSING) {
            finish();
        } else if (state != State.FINISHED) {
            end(false, why);
            finish();
        }
    }

    /** Work was posted to a queue that has failed: it is flushed. */
    public void flushPosted() {
        if (isFailed) {
            flush(-1, CompletionStatus.FLUSHED);
        }
    }

    private void violate(IwarpException e, long now) {
        if (state != State.OPEN) {
            return;
        }
        Active a = active();
        Violation violation = e.violation();
        Terminate terminate = e == a.transmitter().violation()
                ? Farewell.forResponse(violation, a.inboundReads())
                : Farewell.forReceived(violation, a.receiver());
        ByteBuffer rest = output.cut();
        long culprit = isReadResponse(violation) && a.outboundReads().count() > 0
                ? a.outboundReads().oldestNumber()
                : -1;
        fail(false, e.getMessage(), culprit, CompletionStatus.BAD_RESPONSE);
        sayGoodbye(Farewell.after(rest, terminate, a.settings().crc()), now);
    }

    private static boolean isReadResponse(Violation violation) {
        return violation == Violation.READ_RESPONSE_LENGTH || violation == Violation.READ_RESPONSE_STAG;
    }

    private void localFailure(Transmitter.Failure failure, long now) {
        Active a = active();
        ByteBuffer rest = output.cut();
        fail(false, failure.detail(), failure.number(), failure.status());
        Terminate terminate = Terminate.of(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        sayGoodbye(Farewell.after(rest, terminate, a.settings().crc()), now);
    }

    private void sayGoodbye(ByteBuffer last, long now) {
        output.close(last);
        state = State.CLOSING;
        lingerUntil = now + active().settings().lingerNanos();
        wantsShutdown = !last.hasRemaining();
    }

    private void end(boolean orderly, String why) {
        fail(orderly, why, -1, CompletionStatus.FLUSHED);
        output.discard();
    }

    private void fail(boolean orderly, String why, long culprit, CompletionStatus status) {
        if (isFailed) {
            return;
        }
        isOrderly = orderly;
        reason = why;
        isFailed = true;
        nudgeAt = NEVER;
        partialSince = NEVER;
        ring.startAccepting();
        Active a = active;
        if (a != null) {
            a.receiver().discard();
            a.inbound().flush(why);
            a.inboundReads().clear();
        }
        flush(culprit, status);
    }

    private void flush(long culprit, CompletionStatus status) {
        ring.flush(sink, culprit, status, reason);
        if (isReceiveShared) {
            return;
        }
        for (ReceiveRequest each = receives.take(); each != null; each = receives.take()) {
            ReceiveRing.finish(each);
            sink.receiveCompleted(each, CompletionStatus.FLUSHED, 0, false, 0, reason);
        }
    }

    private void finish() {
        state = State.FINISHED;
        wantsShutdown = false;
        lingerUntil = NEVER;
        output.close(ByteBuffer.allocate(0));
        StagingBuffer sinkhole = drain;
        if (sinkhole != null) {
            drain = null;
            buffers.giveStaging(sinkhole);
        }
    }

    // ---- time and state

    /**
     * When to call {@link #onTimeout}, in the caller's nanoseconds; {@link #NEVER} for never. May change after any
     * call.
     */
    public long nextDeadline() {
        long partial = partialSince == NEVER
                ? NEVER
                : partialSince + active().settings().partialFpduNanos();
        return Math.min(lingerUntil, Math.min(partial, nudgeAt));
    }

    /** Does what is due. */
    public void onTimeout(long now) {
        if (state == State.CLOSING && now >= lingerUntil) {
            finish();
        }
        if (state != State.OPEN) {
            return;
        }
        Active a = active();
        if (partialSince != NEVER && now - partialSince >= a.settings().partialFpduNanos()) {
            long seconds = a.settings().partialFpduNanos() / 1_000_000_000L;
            violate(
                    new IwarpException(Violation.FPDU_TIMEOUT, "an FPDU was not complete after " + seconds + " s"),
                    now);
            return;
        }
        if (now >= nudgeAt) {
            a.transmitter().nudge();
            nudges++;
            nudgeAt = nudges == NUDGES_MAX ? NEVER : now + NUDGE_NANOS;
        }
    }

    /** Whether the sending direction is to be closed now; tell {@link #shutdownDone()}. */
    public boolean wantsShutdown() {
        return wantsShutdown && !isShutdown;
    }

    /** The sending direction is closed. */
    public void shutdownDone() {
        isShutdown = true;
    }

    /** Whether the connection below may be closed. */
    public boolean isFinished() {
        return state == State.FINISHED;
    }

    /** Whether it is in full operation. */
    public boolean isOpen() {
        return state == State.OPEN;
    }

    /** Whether it failed or was ended: all work is flushed. Any thread. */
    public boolean isFailed() {
        return isFailed;
    }

    /** Whether it was ended by a disconnect of either side. */
    public boolean isOrderly() {
        return isOrderly;
    }

    /** Why it ended, in plain words; null while it has not. */
    public @Nullable String reason() {
        return reason;
    }

    /** For tests: the peer's next Send has this number. */
    void skipTo(int sequence) {
        active().inbound().skipTo(sequence);
    }

    /** The keys that were valid for this stream a short while ago. Any thread. */
    public RevokedKeys revokedKeys() {
        return revokedKeys;
    }
}
