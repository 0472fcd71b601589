package io.rpcrdma4j.verbs.memory;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** One direction of a connection: messages arrive in the order in which they were sent. Guarded by the lock. */
final class Wire extends Lane {

    /** Send-queue requests start only while fewer messages are on the way: what a TCP window does. */
    private static final int MESSAGES_MAX = 256;

    private final FabricConnection from;
    private final FabricConnection to;
    private final ArrayDeque<Message> messages = new ArrayDeque<>();
    private final ArrayDeque<Message> free = new ArrayDeque<>();

    Wire(FabricConnection from, FabricConnection to, @Nullable Worker home) {
        super(from.device.scheduler, home);
        this.from = from;
        this.to = to;
    }

    boolean isFull() {
        return messages.size() >= MESSAGES_MAX;
    }

    Message obtain() {
        Message message = free.poll();
        return message == null ? new Message() : message;
    }

    void recycle(Message message) {
        message.clear();
        free.add(message);
    }

    /** Takes ownership of the message. */
    void add(Message message) {
        messages.add(message);
        wake();
    }

    void addEnd(Message.Kind kind, String reason, boolean readRefused) {
        Message message = obtain();
        message.kind = kind;
        message.reason = reason;
        message.readRefused = readRefused;
        add(message);
    }

    /**
     * Called before the sender's requests are flushed: messages still in the sender's memory leave it now or are lost.
     * With one that is lost goes all that was sent behind it: a stream ends, it has no holes.
     */
    void detachSource(boolean orderly) {
        boolean lost = false;
        for (Iterator<Message> i = messages.iterator(); i.hasNext(); ) {
            Message message = i.next();
            boolean ofSender = message.kind == Message.Kind.SEND || message.kind == Message.Kind.WRITE;
            SendEntry entry = message.entry;
            boolean inMemory = ofSender && entry != null && entry.request != null;
            lost |= inMemory && !orderly && !from.device.fabric.leavesOnTransmit();
            if (lost) {
                i.remove();
                recycle(message);
            } else if (inMemory && entry != null && entry.request != null) {
                message.data = Copies.gather(entry.request);
                message.entry = null;
            }
        }
    }

    /** The connection broke: nothing arrives any more. */
    void cut() {
        messages.forEach(this::recycle);
        messages.clear();
    }

    @Override
    boolean hasWork() {
        return !messages.isEmpty();
    }

    @Override
    boolean advance() {
        Message message = messages.peek();
        if (message == null || strike(message)) {
            return false;
        }
        messages.remove();
        if (deliver(message)) {
            recycle(message);
        }
        FabricQueuePair sender = from.queuePair();
        if (sender != null) {
            sender.wakeSendQueue();
        }
        return false;
    }

    private boolean strike(Message message) {
        if (message.consulted || !to.device.fabric.hasFaults()) {
            return false;
        }
        message.consulted = true;
        FabricQueuePair receiver = to.queuePair();
        if (receiver == null) {
            return false;
        }
        Fault fault =
                to.device.fabric.consult(FaultPoint.DELIVER, to.device, receiver.number(), null, 0, message.length);
        if (fault == null) {
            return false;
        }
        if (fault instanceof Fault.Delay delay) {
            scheduler.delay(this, delay.time().toNanos());
        } else {
            receiver.strike(fault);
        }
        return true;
    }

    /** Returns whether the message is done with. */
    private boolean deliver(Message message) {
        switch (message.kind) {
            case ACCEPT -> to.onAccepted(message);
            case REJECT -> to.onRejected(message);
            case FIN -> to.onEnd(message, true);
            case TERMINATE -> to.onEnd(message, false);
            case SEND, WRITE, READ_REQUEST, READ_RESPONSE -> {
                FabricQueuePair receiver = to.queuePair();
                if (receiver == null || !receiver.isReady()) {
                    return true;
                }
                return deliver(message, receiver);
            }
        }
        return true;
    }

    private boolean deliver(Message message, FabricQueuePair receiver) {
        SendEntry entry = message.entry;
        switch (message.kind) {
            case READ_REQUEST -> {
                return !receiver.onReadRequest(message);
            }
            case READ_RESPONSE -> receiver.onReadResponse(message, from.queuePair());
            default -> {
                boolean placed =
                        message.kind == Message.Kind.SEND ? receiver.onSend(message) : receiver.onWrite(message);
                FabricQueuePair sender = from.queuePair();
                if (placed && entry != null && sender != null) {
                    sender.completeSend(entry);
                }
            }
        }
        return true;
    }
}
