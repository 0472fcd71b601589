package io.rpcrdma4j.verbs.memory;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The way of the completions of one work queue to the completion queue: straight, except that in
 * {@link ExecutionMode#STEPPED} each takes a step of its own, so that completions of different queues come in any
 * order.
 */
final class CompletionLane extends Lane {

    private final FabricDevice device;
    private final FabricCompletionQueue target;
    private final ArrayDeque<Cqe> waiting = new ArrayDeque<>();

    CompletionLane(FabricDevice device, FabricCompletionQueue target, @Nullable Worker home) {
        super(device.scheduler, home);
        this.device = device;
        this.target = target;
    }

    /** With the lock held. Takes ownership of {@code entry}. */
    void add(Cqe entry) {
        FabricQueuePair from = entry.queuePair;
        if (device.fabric.hasFaults() && from != null) {
            Fault fault = device.fabric.consult(
                    FaultPoint.COMPLETE, device, from.number(), entry.opcode, entry.id, entry.bytes);
            if (fault instanceof Fault.Delay delay) {
                scheduler.delay(this, delay.time().toNanos());
            }
        }
        boolean straight =
                scheduler.mode != ExecutionMode.STEPPED && waiting.isEmpty() && notBeforeNanos <= scheduler.nanoTime();
        if (straight) {
            target.push(entry);
        } else {
            waiting.add(entry);
            wake();
        }
    }

    /** With the lock held: forgets what is on the way. */
    void clear() {
        waiting.forEach(device::discard);
        waiting.clear();
    }

    @Override
    boolean hasWork() {
        return !waiting.isEmpty();
    }

    @Override
    boolean advance() {
        Cqe entry = waiting.poll();
        if (entry != null) {
            target.push(entry);
        }
        return false;
    }
}
