package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.QueuePairState;
import io.rpcrdma4j.verbs.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a queue pair; its lane starts requests.
 *
 * <p>A ring with four marks, {@code released <= reported <= started <= posted}: entries below {@code released} are
 * free; below {@code reported} their success or failure is settled, and a polled completion will free them; below
 * {@code started} they are on the wire. Guarded by the lock.
 */
final class SendQueue extends Lane {

    private final FabricQueuePair owner;
    private final SendEntry[] ring;
    private final CompletionLane completions;
    private long posted;
    private long started;
    private long reported;
    private long released;
    private int outstandingReads;
    private int uncovered;

    SendQueue(FabricQueuePair owner, int depth, CompletionLane completions, @Nullable Worker home) {
        super(completions.scheduler, home);
        this.owner = owner;
        this.completions = completions;
        ring = new SendEntry[depth];
        for (int i = 0; i < depth; i++) {
            ring[i] = new SendEntry();
        }
    }

    private SendEntry at(long index) {
        return ring[(int) (index % ring.length)];
    }

    boolean isFull() {
        return posted - released == ring.length;
    }

    /** Takes ownership of the request. */
    void add(SendRequest request) {
        SendEntry entry = at(posted++);
        entry.request = request;
        entry.opcode = request.opcode();
        entry.id = request.id();
        entry.handler = request.handler();
        entry.signaled = request.isSignaled() || owner.options().allSignaled();
        entry.done = false;
        entry.consulted = false;
        if (request.isInlined()) {
            entry.inlined = Copies.gather(request);
        } else {
            entry.inlined = null;
            Copies.hold(request, 1);
        }
        if (owner.isInError()) {
            flush(null, CompletionStatus.FLUSHED, null);
        } else {
            wake();
        }
    }

    /** What a request would be refused for. */
    PostStatus admit(SendRequest request) {
        if (request.byteLength() > Integer.MAX_VALUE) {
            return PostStatus.INVALID_REQUEST;
        }
        if (request.isInlined()) {
            boolean fits = request.opcode() != Opcode.RDMA_READ
                    && request.byteLength() <= owner.device.attributes().inlineBytesMax()
                    && Copies.check(request, owner.domain, 0) == null;
            if (!fits) {
                return PostStatus.INVALID_REQUEST;
            }
        }
        int segmentsMax = owner.options().sendSegmentsMax();
        switch (request.opcode()) {
            case RDMA_READ -> {
                segmentsMax = owner.device.attributes().segmentsPerReadMax();
                if (owner.outboundReads() == 0 && !owner.isInError()) {
                    return PostStatus.INVALID_REQUEST;
                }
            }
            case RECEIVE -> {
                return PostStatus.INVALID_REQUEST;
            }
            case SEND, SEND_WITH_INVALIDATE, RDMA_WRITE, LOCAL_INVALIDATE -> {}
        }
        if (request.segmentCount() > segmentsMax) {
            return PostStatus.INVALID_REQUEST;
        }
        return isFull() ? PostStatus.QUEUE_FULL : PostStatus.POSTED;
    }

    @Override
    boolean hasWork() {
        if (owner.state() != QueuePairState.RTS
                || started == posted
                || owner.wire().isFull()) {
            return false;
        }
        SendRequest next = at(started).request;
        if (next == null) {
            throw new AssertionError("free entry in the send queue");
        }
        if (next.isFenced() && outstandingReads > 0) {
            return false;
        }
        return next.opcode() != Opcode.RDMA_READ || outstandingReads < owner.outboundReads();
    }

    @Override
    boolean advance() {
        SendEntry entry = at(started);
        SendRequest request = entry.request;
        if (request == null || strike(entry, request)) {
            return false;
        }
        started++;
        switch (request.opcode()) {
            case SEND, SEND_WITH_INVALIDATE, RDMA_WRITE -> startMessage(entry, request);
            case RDMA_READ -> startRead(entry, request);
            case LOCAL_INVALIDATE -> startInvalidate(entry, request);
            case RECEIVE -> throw new AssertionError("a Receive in the send queue");
        }
        return false;
    }

    /** Lets the fault plan have its way; returns whether the entry is not to be started now. */
    private boolean strike(SendEntry entry, SendRequest request) {
        if (entry.consulted || !owner.device.fabric.hasFaults()) {
            return false;
        }
        entry.consulted = true;
        Fault fault = owner.device.fabric.consult(
                FaultPoint.TRANSMIT, owner.device, owner.number(), entry.opcode, entry.id, request.byteLength());
        switch (fault) {
            case null -> {
                return false;
            }
            case Fault.Fail fail -> {
                started++;
                owner.failSend(entry, fail.status(), fail.detail());
            }
            case Fault.Delay delay -> scheduler.delay(this, delay.time().toNanos());
            default -> owner.strike(fault);
        }
        return true;
    }

    private void startMessage(SendEntry entry, SendRequest request) {
        if (entry.inlined == null) {
            String wrong = Copies.check(request, owner.domain, 0);
            if (wrong != null) {
                owner.failSend(entry, CompletionStatus.LOCAL_PROTECTION_ERROR, wrong);
                return;
            }
        }
        Message message = owner.wire().obtain();
        message.kind = entry.opcode == Opcode.RDMA_WRITE ? Message.Kind.WRITE : Message.Kind.SEND;
        message.length = request.byteLength();
        message.key = request.remoteKey();
        message.address = request.remoteAddress();
        message.withInvalidate = entry.opcode == Opcode.SEND_WITH_INVALIDATE;
        message.invalidateKey = request.invalidateKey();
        if (entry.inlined != null) {
            message.data = entry.inlined;
        } else if (owner.device.fabric.leavesOnTransmit()) {
            message.data = Copies.gather(request);
        } else {
            message.entry = entry;
        }
        boolean gone = message.entry == null;
        owner.wire().add(message);
        if (gone) {
            complete(entry);
        }
    }

    private void startRead(SendEntry entry, SendRequest request) {
        // RFC 5040: the sink's STag travels in the Read Request, so the response is a remote write to it.
        String wrong = Copies.check(request, owner.domain, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        if (wrong != null && request.byteLength() > 0) {
            owner.failSend(entry, CompletionStatus.LOCAL_PROTECTION_ERROR, "sink of an RDMA Read: " + wrong);
            return;
        }
        outstandingReads++;
        Message message = owner.wire().obtain();
        message.kind = Message.Kind.READ_REQUEST;
        message.entry = entry;
        message.length = request.byteLength();
        message.key = request.remoteKey();
        message.address = request.remoteAddress();
        owner.wire().add(message);
    }

    private void startInvalidate(SendEntry entry, SendRequest request) {
        if (owner.invalidate(request.invalidateKey())) {
            complete(entry);
        } else {
            owner.failSend(
                    entry,
                    CompletionStatus.LOCAL_QP_OPERATION_ERROR,
                    "0x" + Integer.toHexString(request.invalidateKey()) + " is not a key of this connection's windows");
        }
    }

    /** The response to a Read of ours has been placed. */
    void completeRead(SendEntry entry) {
        outstandingReads--;
        complete(entry);
        wake();
    }

    /** A request is done; it is reported when all before it are. */
    void complete(SendEntry entry) {
        entry.done = true;
        while (reported < started && at(reported).done) {
            SendEntry next = at(reported++);
            uncovered++;
            if (next.signaled) {
                report(next, CompletionStatus.SUCCESS, null);
            }
        }
    }

    /** The oldest Read that has no answer. */
    @Nullable
    SendEntry oldestRead() {
        for (long i = reported; i < started; i++) {
            if (at(i).opcode == Opcode.RDMA_READ && !at(i).done) {
                return at(i);
            }
        }
        return null;
    }

    /** Reports everything that is not settled: {@code failing} with its status, the others as flushed. */
    void flush(@Nullable SendEntry failing, CompletionStatus status, @Nullable String detail) {
        outstandingReads = 0;
        started = posted;
        while (reported < posted) {
            SendEntry entry = at(reported++);
            uncovered++;
            if (entry == failing) {
                report(entry, status, detail);
            } else {
                report(entry, CompletionStatus.FLUSHED, null);
            }
        }
    }

    private void report(SendEntry entry, CompletionStatus status, @Nullable String detail) {
        Cqe cqe = owner.device.obtainCqe();
        cqe.queuePair = owner;
        cqe.id = entry.id;
        cqe.handler = entry.handler;
        cqe.opcode = entry.opcode;
        cqe.status = status;
        cqe.detail = detail;
        SendRequest request = entry.request;
        cqe.bytes = entry.opcode == Opcode.RDMA_READ && request != null ? (int) request.byteLength() : 0;
        cqe.covers = uncovered;
        uncovered = 0;
        completions.add(cqe);
    }

    /** A completion that covers {@code count} entries was polled, or the queue pair is closed. */
    void release(int count) {
        for (int i = 0; i < count; i++) {
            SendEntry entry = at(released++);
            SendRequest request = entry.request;
            if (request != null && entry.inlined == null) {
                Copies.hold(request, -1);
            }
            entry.request = null;
            entry.handler = null;
            entry.inlined = null;
        }
    }

    void releaseAll() {
        release((int) (posted - released));
    }
}
