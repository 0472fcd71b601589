package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairOptions;
import io.rpcrdma4j.verbs.QueuePairState;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A queue pair of the fabric. Package-private methods are called with the lock held. */
final class FabricQueuePair implements QueuePair {

    final FabricDevice device;
    final FabricDomain domain;
    final List<FabricWindow> windows = new ArrayList<>();
    private final FabricConnection connection;
    private final QueuePairOptions options;
    private final int number;
    private final FabricCompletionQueue sendCompletionQueue;
    private final FabricCompletionQueue receiveCompletionQueue;
    private final CompletionLane sendCompletions;
    private final CompletionLane receiveCompletions;
    private final SendQueue sends;
    private final ReadResponder responder;
    private final @Nullable FabricSharedReceiveQueue sharedReceives;
    private final ArrayDeque<ReceiveRequest> receives = new ArrayDeque<>();

    /** Receives posted and not yet given back by a polled completion. */
    private int receivesHeld;

    private QueuePairState state = QueuePairState.INIT;
    private boolean open = true;
    private int inboundReads;
    private int outboundReads;

    FabricQueuePair(
            FabricConnection connection,
            QueuePairOptions options,
            FabricDomain domain,
            FabricCompletionQueue sendQueue,
            FabricCompletionQueue receiveQueue,
            @Nullable FabricSharedReceiveQueue sharedReceives) {
        this.connection = connection;
        this.options = options;
        this.domain = domain;
        this.sharedReceives = sharedReceives;
        device = connection.device;
        number = device.fabric.nextQueuePairNumber();
        sendCompletionQueue = sendQueue;
        receiveCompletionQueue = receiveQueue;
        sendCompletions = new CompletionLane(device, sendQueue, sendQueue.home);
        receiveCompletions = new CompletionLane(device, receiveQueue, receiveQueue.home);
        sends = new SendQueue(this, options.sendDepth(), sendCompletions, connection.home);
        responder = new ReadResponder(this, connection.home);
        sendQueue.attach(this);
        receiveQueue.attach(this);
        domain.queuePairs.add(this);
        if (sharedReceives != null) {
            sharedReceives.users++;
        }
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairState state() {
        device.scheduler.lock.lock();
        try {
            return state;
        } finally {
            device.scheduler.lock.unlock();
        }
    }

    @Override
    public QueuePairOptions options() {
        return options;
    }

    boolean isOpen() {
        return open;
    }

    boolean isReady() {
        return state == QueuePairState.RTS;
    }

    boolean isInError() {
        return state == QueuePairState.ERROR;
    }

    int outboundReads() {
        return outboundReads;
    }

    Wire wire() {
        return connection.wire();
    }

    void wakeSendQueue() {
        sends.wake();
    }

    void start(int newInboundReads, int newOutboundReads) {
        inboundReads = newInboundReads;
        outboundReads = newOutboundReads;
        state = QueuePairState.RTS;
    }

    @Override
    public @Nullable SendRequest postSend(SendRequest first) {
        SendRequest request = first;
        device.scheduler.lock.lock();
        try {
            while (request != null) {
                PostStatus status =
                        strikePost(FaultPoint.POST_SEND, request.opcode(), request.id(), request.byteLength());
                if (status == PostStatus.POSTED) {
                    status = open && state != QueuePairState.INIT ? sends.admit(request) : PostStatus.INVALID_STATE;
                }
                request.setPostStatus(status);
                if (status != PostStatus.POSTED) {
                    break;
                }
                SendRequest next = request.next();
                sends.add(request);
                request = next;
            }
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
        return request;
    }

    @Override
    public @Nullable ReceiveRequest postReceive(ReceiveRequest first) {
        ReceiveRequest request = first;
        device.scheduler.lock.lock();
        try {
            while (request != null) {
                PostStatus status = strikePost(FaultPoint.POST_RECEIVE, null, request.id(), request.byteLength());
                if (status == PostStatus.POSTED) {
                    status = admit(request);
                }
                request.setPostStatus(status);
                if (status != PostStatus.POSTED) {
                    break;
                }
                ReceiveRequest next = request.next();
                Copies.hold(request, 1);
                receivesHeld++;
                if (isInError()) {
                    report(request, CompletionStatus.FLUSHED, null);
                } else {
                    receives.add(request);
                }
                request = next;
            }
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
        return request;
    }

    private PostStatus admit(ReceiveRequest request) {
        if (!open) {
            return PostStatus.INVALID_STATE;
        }
        if (sharedReceives != null || request.segmentCount() > options.receiveSegmentsMax()) {
            return PostStatus.INVALID_REQUEST;
        }
        return receivesHeld < options.receiveDepth() ? PostStatus.POSTED : PostStatus.QUEUE_FULL;
    }

    private PostStatus strikePost(FaultPoint point, @Nullable Opcode opcode, long id, long bytes) {
        if (!device.fabric.hasFaults()) {
            return PostStatus.POSTED;
        }
        Fault fault = device.fabric.consult(point, device, number, opcode, id, bytes);
        if (fault instanceof Fault.Refuse refuse) {
            return refuse.status();
        }
        if (fault != null) {
            strike(fault);
        }
        return PostStatus.POSTED;
    }

    /** A fault that concerns the whole queue pair. */
    void strike(Fault fault) {
        switch (fault) {
            case Fault.Flush _ -> fail("injected: moved to the error state");
            case Fault.Disconnect _ -> connection.disconnectLocked();
            case Fault.Drop drop -> connection.drop(drop.reason());
            case Fault.RemoveDevice remove -> device.removeLocked(remove.reason());
            case Fault.Refuse _ -> throw new AssertionError(fault);
            case Fault.Fail _ -> throw new AssertionError(fault);
            case Fault.Delay _ -> throw new AssertionError(fault);
            case Fault.Unavailable _ -> throw new AssertionError(fault);
        }
    }

    /** A Send has arrived; returns whether it was placed. */
    boolean onSend(Message message) {
        if (message.withInvalidate && !isOwnKey(message.invalidateKey)) {
            fail("peer's Send invalidates 0x" + Integer.toHexString(message.invalidateKey)
                    + ", which is not a key of this connection's windows");
            return false;
        }
        ReceiveRequest receive = sharedReceives != null ? sharedReceives.take() : receives.poll();
        if (receive == null) {
            fail("peer's Send of " + message.length + " bytes found no Receive posted");
            return false;
        }
        if (sharedReceives != null) {
            receivesHeld++;
        }
        if (message.length > receive.byteLength()) {
            return failReceive(
                    receive,
                    CompletionStatus.LOCAL_LENGTH_ERROR,
                    "peer's Send of " + message.length + " bytes exceeds the Receive of " + receive.byteLength());
        }
        String wrong = Copies.check(receive, domain, Access.LOCAL_WRITE);
        if (wrong != null) {
            return failReceive(receive, CompletionStatus.LOCAL_PROTECTION_ERROR, wrong);
        }
        SendEntry entry = message.entry;
        if (message.data != null) {
            Copies.scatter(message.data, 0, message.length, receive);
        } else if (entry != null && entry.request != null) {
            Copies.copy(entry.request, receive);
        }
        if (message.withInvalidate) {
            invalidate(message.invalidateKey);
        }
        Cqe cqe = completionOf(receive);
        cqe.bytes = (int) message.length;
        cqe.withInvalidate = message.withInvalidate;
        cqe.invalidatedKey = message.invalidateKey;
        receiveCompletions.add(cqe);
        return true;
    }

    /** An RDMA Write has arrived; returns whether it was placed. */
    boolean onWrite(Message message) {
        if (message.length == 0) {
            return true; // RFC 5041: key and address of an empty tagged message are not checked
        }
        Exposure exposure = device.keys.get(message.key);
        String wrong =
                Exposure.check(exposure, this, message.key, message.address, message.length, Access.REMOTE_WRITE);
        if (wrong != null || exposure == null || exposure.region == null) {
            fail("peer's RDMA Write refused: " + wrong);
            return false;
        }
        MemorySegment target = exposure.region.segment();
        long offset = exposure.regionOffset(message.address);
        SendEntry entry = message.entry;
        if (message.data != null) {
            MemorySegment.copy(message.data, 0, target, offset, message.length);
        } else if (entry != null && entry.request != null) {
            Copies.gather(entry.request, target, offset);
        }
        return true;
    }

    /** A Read Request has arrived; returns whether ownership of the message was taken. */
    boolean onReadRequest(Message message) {
        if (responder.add(message, inboundReads)) {
            return true;
        }
        fail("peer has more than " + inboundReads + " RDMA Reads in flight");
        return false;
    }

    /** The answer to a Read of ours has arrived. */
    void onReadResponse(Message message, @Nullable FabricQueuePair source) {
        SendEntry entry = message.entry;
        SendRequest request = entry == null ? null : entry.request;
        if (entry == null || request == null) {
            return;
        }
        if (message.data != null) {
            Copies.scatter(message.data, 0, message.length, request);
        } else if (message.length > 0) {
            if (source == null) {
                return;
            }
            Exposure exposure = source.device.keys.get(message.key);
            String wrong =
                    Exposure.check(exposure, source, message.key, message.address, message.length, Access.REMOTE_READ);
            if (wrong != null || exposure == null || exposure.region == null) {
                source.refuseRead("while it was answered: " + wrong);
                return;
            }
            Copies.scatter(exposure.region.segment(), exposure.regionOffset(message.address), message.length, request);
        }
        sends.completeRead(entry);
    }

    void completeSend(SendEntry entry) {
        if (isReady()) {
            sends.complete(entry);
        }
    }

    private boolean isOwnKey(int key) {
        Exposure exposure = device.keys.get(key);
        return exposure != null && exposure.window != null && exposure.queuePair == this;
    }

    /**
     * Ends the exposure under a key; false if it is not one of this queue pair's. One that has ended already is fine.
     */
    boolean invalidate(int key) {
        Exposure exposure = device.keys.get(key);
        if (exposure == null || exposure.window == null || exposure.queuePair != this) {
            return false;
        }
        exposure.window.unbind();
        return true;
    }

    private Cqe completionOf(ReceiveRequest receive) {
        Cqe cqe = device.obtainCqe();
        cqe.queuePair = this;
        cqe.id = receive.id();
        cqe.handler = receive.handler();
        cqe.opcode = Opcode.RECEIVE;
        cqe.receive = receive;
        return cqe;
    }

    private void report(ReceiveRequest receive, CompletionStatus status, @Nullable String detail) {
        Cqe cqe = completionOf(receive);
        cqe.status = status;
        cqe.detail = detail;
        receiveCompletions.add(cqe);
    }

    private boolean failReceive(ReceiveRequest receive, CompletionStatus status, String detail) {
        report(receive, status, detail);
        fail(detail);
        return false;
    }

    /** A fault on this side: the peer is told. */
    void fail(String reason) {
        enterError(null, CompletionStatus.FLUSHED, reason, false);
        connection.onQueuePairError(false, reason, Message.Kind.TERMINATE, false);
    }

    void failSend(SendEntry entry, CompletionStatus status, String detail) {
        enterError(entry, status, detail, false);
        connection.onQueuePairError(false, detail, Message.Kind.TERMINATE, false);
    }

    void refuseRead(String why) {
        if (isReady()) {
            String reason = "peer's RDMA Read refused: " + why;
            enterError(null, CompletionStatus.FLUSHED, reason, false);
            connection.onQueuePairError(false, reason, Message.Kind.TERMINATE, true);
        }
    }

    /** The peer or the wire ended it. */
    void end(String reason, boolean orderly, boolean readRefused) {
        SendEntry failing = readRefused ? sends.oldestRead() : null;
        enterError(failing, CompletionStatus.REMOTE_ACCESS_ERROR, reason, orderly);
        connection.onQueuePairError(orderly, reason, null, false);
    }

    /** This side ends it in the orderly way. */
    void endOrderly(String reason) {
        enterError(null, CompletionStatus.FLUSHED, reason, true);
        connection.onQueuePairError(true, reason, Message.Kind.FIN, false);
    }

    private void enterError(@Nullable SendEntry failing, CompletionStatus status, String detail, boolean orderly) {
        if (state == QueuePairState.ERROR) {
            return;
        }
        state = QueuePairState.ERROR;
        if (connection.hasWire()) {
            connection.wire().detachSource(orderly);
        }
        for (FabricWindow window : List.copyOf(windows)) {
            window.unbind();
        }
        responder.clear();
        sends.flush(failing, status, detail);
        ReceiveRequest receive = receives.poll();
        while (receive != null) {
            report(receive, CompletionStatus.FLUSHED, null);
            receive = receives.poll();
        }
    }

    /** A completion of this queue pair was polled. */
    void onPolled(Cqe cqe) {
        ReceiveRequest receive = cqe.receive;
        if (receive != null) {
            receivesHeld--;
            Copies.hold(receive, -1);
        } else {
            sends.release(cqe.covers);
        }
    }

    @Override
    public void toError() {
        device.scheduler.lock.lock();
        try {
            if (!isInError()) {
                fail("the queue pair was moved to the error state");
            }
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
    }

    @Override
    public void close() {
        device.scheduler.lock.lock();
        try {
            if (open && !isInError()) {
                fail("the queue pair was closed");
            }
            release();
        } finally {
            device.scheduler.lock.unlock();
        }
        device.scheduler.settle();
    }

    /** Frees it; it is in the error state. */
    void release() {
        if (!open) {
            return;
        }
        open = false;
        sends.releaseAll();
        sendCompletions.clear();
        receiveCompletions.clear();
        sendCompletionQueue.detach(this);
        receiveCompletionQueue.detach(this);
        domain.queuePairs.remove(this);
        if (sharedReceives != null) {
            sharedReceives.users--;
        }
    }
}
