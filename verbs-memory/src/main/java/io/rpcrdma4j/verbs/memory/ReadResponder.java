package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.Opcode;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Answers the peer's RDMA Reads, one at a time and in order. Guarded by the lock. */
final class ReadResponder extends Lane {

    private final FabricQueuePair owner;
    private final ArrayDeque<Message> requests = new ArrayDeque<>();

    ReadResponder(FabricQueuePair owner, @Nullable Worker home) {
        super(owner.device.scheduler, home);
        this.owner = owner;
    }

    /** Takes ownership of the message; returns false, and does not, if the peer may have no more Reads. */
    boolean add(Message request, int limit) {
        if (requests.size() >= limit) {
            return false;
        }
        requests.add(request);
        wake();
        return true;
    }

    void clear() {
        requests.clear();
    }

    @Override
    boolean hasWork() {
        return !requests.isEmpty();
    }

    @Override
    boolean advance() {
        Message request = requests.peek();
        if (request == null || strike(request)) {
            return false;
        }
        requests.remove();
        Exposure exposure = owner.device.keys.get(request.key);
        String wrong = request.length == 0
                ? null
                : Exposure.check(exposure, owner, request.key, request.address, request.length, Access.REMOTE_READ);
        if (wrong != null) {
            owner.refuseRead(wrong);
            return false;
        }
        request.kind = Message.Kind.READ_RESPONSE;
        request.consulted = false;
        if (request.length > 0 && owner.device.fabric.leavesOnTransmit() && exposure != null) {
            request.data = copy(exposure, request);
        }
        owner.wire().add(request);
        return false;
    }

    private static MemorySegment copy(Exposure exposure, Message request) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[(int) request.length]);
        FabricRegion region = exposure.region;
        if (region != null) {
            MemorySegment.copy(region.segment(), exposure.regionOffset(request.address), bytes, 0, request.length);
        }
        return bytes;
    }

    private boolean strike(Message request) {
        if (!owner.device.fabric.hasFaults() || request.answerConsulted) {
            return false;
        }
        request.answerConsulted = true;
        Fault fault = owner.device.fabric.consult(
                FaultPoint.READ_RESPONSE, owner.device, owner.number(), Opcode.RDMA_READ, 0, request.length);
        switch (fault) {
            case null -> {
                return false;
            }
            case Fault.Fail fail -> {
                requests.remove();
                owner.refuseRead(fail.detail());
            }
            case Fault.Delay delay -> scheduler.delay(this, delay.time().toNanos());
            default -> owner.strike(fault);
        }
        return true;
    }
}
