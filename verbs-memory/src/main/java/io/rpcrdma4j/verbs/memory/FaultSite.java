package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.Opcode;
import org.jspecify.annotations.Nullable;

/** Where and when a {@link FaultPlan} is asked. */
public final class FaultSite {

    private final FaultPoint point;
    private final Device device;
    private final int queuePairNumber;
    private final @Nullable Opcode opcode;
    private final long requestId;
    private final long amount;
    private final long occurrence;
    private final long nanoTime;

    FaultSite(
            FaultPoint point,
            Device device,
            int queuePairNumber,
            @Nullable Opcode opcode,
            long requestId,
            long amount,
            long occurrence,
            long nanoTime) {
        this.point = point;
        this.device = device;
        this.queuePairNumber = queuePairNumber;
        this.opcode = opcode;
        this.requestId = requestId;
        this.amount = amount;
        this.occurrence = occurrence;
        this.nanoTime = nanoTime;
    }

    /** The kind of moment. */
    public FaultPoint point() {
        return point;
    }

    /** The device on whose side it is. */
    public Device device() {
        return device;
    }

    /** The queue pair, or 0 if there is none (yet). */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /** The operation of the request or message; null if there is none. */
    public @Nullable Opcode opcode() {
        return opcode;
    }

    /** The id of the request, at POST_SEND, POST_RECEIVE, TRANSMIT and COMPLETE; else 0. */
    public long requestId() {
        return requestId;
    }

    /** Bytes of the request, message or registration, or entries of the queue to be made. */
    public long amount() {
        return amount;
    }

    /** How often this device came to this point, this time included: 1 or more. */
    public long occurrence() {
        return occurrence;
    }

    /** The fabric's time. */
    public long nanoTime() {
        return nanoTime;
    }

    @Override
    public String toString() {
        return point + " #" + occurrence + " on " + device.attributes().name() + ", queue pair " + queuePairNumber
                + ", " + opcode + " id " + requestId + ", amount " + amount;
    }
}
