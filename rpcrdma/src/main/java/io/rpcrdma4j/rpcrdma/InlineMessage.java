package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.verbs.SendRequest;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The inline part of a message on its way into a Send: the transport header, and behind it the pieces of the RPC
 * message that no chunk holds. Decides between gathering the pieces and copying them into one buffer.
 *
 * <h2>Operation</h2>
 *
 * {@link #start} with the header in place, {@link #addRange} for each part of the message, {@link #checkPullUp},
 * {@link #finish}. Pieces that lie behind each other in memory become one.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns nothing but, after a pull-up, the buffer copied into, until {@link #takeLinear} moves it to the owner of the
 * Send.
 *
 * <h2>Threading</h2>
 *
 * The owner's of the Send.
 *
 * <h2>Errors</h2>
 *
 * A message that is longer than the peer's Receive is {@link Decision#TOO_LONG}.
 */
public final class InlineMessage {

    /** Shorter remainders are copied: cheaper than a longer gather list. */
    static final int PULL_UP_BYTES = 512;

    /** What {@link #checkPullUp} says. */
    public enum Decision {
        /** Send the pieces from where they are. */
        GATHER,
        /** Copy them behind the header first. */
        PULL_UP,
        /** It does not fit the peer's Receive ({@code -E2BIG}). */
        TOO_LONG
    }

    private RegisteredBuffer[] buffers = new RegisteredBuffer[8];
    private long[] offsets = new long[8];
    private int[] lengths = new int[8];
    private int count;
    private long total;
    private boolean foreign;
    private SendRequest send;
    private @Nullable RegisteredBuffer linear;
    private Decision decision = Decision.GATHER;

    @SuppressWarnings("NullAway.Init") // start comes first
    public InlineMessage() {}

    /**
     * Starts with the header.
     *
     * @param header where it stands
     * @param offset its first byte in {@code header}
     * @param headerLength how long it is, in bytes
     * @param target the Send that gets the segments; those it has are dropped
     */
    public void start(RegisteredBuffer header, long offset, int headerLength, SendRequest target) {
        send = target;
        Arrays.fill(buffers, 0, count, null);
        count = 0;
        total = 0;
        foreign = false;
        linear = null;
        decision = Decision.GATHER;
        addPiece(header, offset, headerLength);
    }

    /** Adds a part of the message; length 0 adds nothing. */
    public void addRange(XdrBuffer message, long from, long length) {
        long end = from + length;
        for (int i = 0; i < message.fragmentCount(); i++) {
            long start = Math.max(from, message.fragmentStart(i));
            long stop = Math.min(end, message.fragmentStart(i) + message.fragmentLength(i));
            if (start >= stop) {
                continue;
            }
            if (message.fragmentBuffer(i) instanceof RegisteredBuffer buffer) {
                addPiece(buffer, message.fragmentOffset(i) + start - message.fragmentStart(i), (int) (stop - start));
            } else {
                foreign = true;
            }
        }
    }

    /** Bytes of header and pieces. */
    public long length() {
        return total;
    }

    private void addPiece(RegisteredBuffer buffer, long offset, int length) {
        total += length;
        if (count > 0 && buffers[count - 1] == buffer && offsets[count - 1] + lengths[count - 1] == offset) {
            lengths[count - 1] += length;
            return;
        }
        if (count == buffers.length) {
            buffers = Arrays.copyOf(buffers, count * 2);
            offsets = Arrays.copyOf(offsets, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
        }
        buffers[count] = buffer;
        offsets[count] = offset;
        lengths[count] = length;
        count++;
    }

    /**
     * Counts the segments that gathering needs, the header's included. Counterpart of
     * {@code svc_rdma_xb_count_sges(9)}.
     */
    public int countSegments() {
        return count;
    }

    /** Decides how the message is sent. Counterpart of {@code svc_rdma_check_pull_up(9)}. */
    public Decision checkPullUp(Endpoint endpoint) {
        if (total > endpoint.sendLimit()) {
            decision = Decision.TOO_LONG;
        } else if (countSegments() == 1) {
            decision = Decision.GATHER;
        } else {
            boolean pullUp = total - lengths[0] < PULL_UP_BYTES || countSegments() > send.segmentsMax();
            decision = pullUp ? Decision.PULL_UP : Decision.GATHER;
        }
        return decision;
    }

    /**
     * Puts the pieces into the Send.
     *
     * @return false if memory for a pull-up is exhausted, or a piece is not in memory of the transport
     */
    public boolean finish(Endpoint endpoint) {
        if (foreign) {
            return false;
        }
        send.keepSegments(0);
        if (decision == Decision.PULL_UP) {
            return pullUpMessage(endpoint);
        }
        for (int i = 0; i < count; i++) {
            mapPiece(i);
        }
        return true;
    }

    private void mapPiece(int index) {
        RegisteredBuffer buffer = buffers[index];
        send.segment(buffer.region(), buffer.offset() + offsets[index], lengths[index]);
    }

    /**
     * The buffer that the message was copied into, now the caller's to release when the Send has completed; or null.
     */
    public @Nullable RegisteredBuffer takeLinear() {
        RegisteredBuffer taken = linear;
        linear = null;
        return taken;
    }

    /** Copies header and pieces into one buffer. Counterpart of {@code svc_rdma_pull_up_reply_msg(9)}. */
    private boolean pullUpMessage(Endpoint endpoint) {
        RegisteredBuffer target;
        try {
            target = endpoint.pool().allocate(total);
        } catch (RpcResourceException e) {
            endpoint.trace(TracePoint.DMA_MAP_ERR, send.id(), total, 0);
            return false;
        }
        linear = target;
        linearize(target.segment());
        endpoint.trace(TracePoint.SEND_PULLUP, send.id(), total, 0);
        send.segment(target.region(), target.offset(), (int) total);
        return true;
    }

    /** Counterpart of {@code svc_rdma_xb_linearize(9)}. */
    private void linearize(MemorySegment target) {
        long at = 0;
        for (int i = 0; i < count; i++) {
            MemorySegment.copy(buffers[i].segment(), offsets[i], target, at, lengths[i]);
            at += lengths[i];
        }
    }
}
