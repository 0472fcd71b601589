package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.ConnectRequestHandler;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceEvent;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.ListenOptions;
import io.rpcrdma4j.verbs.Listener;
import io.rpcrdma4j.verbs.Opcode;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A network in this process: devices opened on the same fabric reach each other by address.
 *
 * <h2>Operation</h2>
 *
 * <pre>{@code
 * var fabric = MemoryFabric.builder().mode(ExecutionMode.STEPPED).seed(7).build();
 * Device server = fabric.openDevice(DeviceOptions.defaults());
 * Device client = fabric.openDevice(DeviceOptions.defaults());
 * // ... listen, connect, post ...
 * fabric.runUntilIdle();
 * }</pre>
 *
 * The semantics are those of an iWARP device, {@link io.rpcrdma4j.verbs.TransportType#IWARP}. {@link ExecutionMode}
 * says when things happen, {@link SendCompletion} when a Send completes, a {@link FaultPlan} what goes wrong.
 *
 * <h2>Threading</h2>
 *
 * Any thread. One lock guards the fabric; it is not held while the program is called. An exception that a listener
 * throws is thrown by {@link #step()} in {@link ExecutionMode#STEPPED}, and otherwise given to the uncaught-exception
 * handler of the thread. {@code close} of an object waits for a listener of it that is just being called, unless the
 * caller is itself called by the fabric.
 */
public final class MemoryFabric {

    private static final int FIRST_FREE_PORT = 49_152;

    private final Scheduler scheduler;
    private final SendCompletion sendCompletion;
    private final @Nullable SecureRandom secureRandom;
    private final Map<InetSocketAddress, FabricListener> listeners = new HashMap<>();
    private final List<FabricDevice> devices = new ArrayList<>();
    private FaultPlan faults;
    private int nextQueuePairNumber = 1;
    private int nextDeviceNumber;

    private MemoryFabric(Builder builder) {
        scheduler = new Scheduler(builder.mode, builder.seed);
        sendCompletion = builder.sendCompletion();
        faults = builder.faults;
        secureRandom = builder.mode == ExecutionMode.STEPPED ? null : new SecureRandom();
    }

    /** What a fabric is to be like; by default {@link ExecutionMode#THREADED}, without faults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Opens a device on this fabric; {@link MemoryProvider} has the properties. */
    public Device openDevice(DeviceOptions options) throws IOException {
        FabricDevice device;
        scheduler.lock.lock();
        try {
            String name = options.deviceName().isEmpty() ? "memory" + nextDeviceNumber++ : options.deviceName();
            device = new FabricDevice(this, options, name);
            devices.add(device);
        } finally {
            scheduler.lock.unlock();
        }
        device.start();
        return device;
    }

    /** The mode it was made with. */
    public ExecutionMode mode() {
        return scheduler.mode;
    }

    /** The fabric's time in nanoseconds: virtual, from 0, except in {@link ExecutionMode#THREADED}. */
    public long nanoTime() {
        scheduler.lock.lock();
        try {
            return scheduler.nanoTime();
        } finally {
            scheduler.lock.unlock();
        }
    }

    /** Replaces the fault plan. */
    public void setFaults(FaultPlan plan) {
        scheduler.lock.lock();
        try {
            faults = plan;
        } finally {
            scheduler.lock.unlock();
        }
    }

    /**
     * Takes one step, in {@link ExecutionMode#STEPPED}: one action of one of the lanes that have one.
     *
     * @return false if there was nothing to do at this time
     */
    public boolean step() {
        requireMode(scheduler.mode == ExecutionMode.STEPPED, "only a stepped fabric is stepped");
        return scheduler.step();
    }

    /**
     * Steps until nothing is left to do at this time.
     *
     * @return how many steps it took
     * @throws IllegalStateException after a million steps: something goes round in circles
     */
    public int runUntilIdle() {
        int steps = 0;
        while (step()) {
            if (++steps == 1_000_000) {
                throw new IllegalStateException("not idle after " + steps + " steps");
            }
        }
        return steps;
    }

    /**
     * Steps, and lets time pass when there is nothing to do, until something holds.
     *
     * @param limit how much time may pass
     * @return whether it holds; false if the limit was reached or nothing is left that could happen
     */
    public boolean runUntil(BooleanSupplier condition, Duration limit) {
        long end = nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (!step()) {
                long wait = scheduler.nanosToNextTimer();
                if (wait < 0 || wait > end - nanoTime()) {
                    return false;
                }
                scheduler.advance(wait);
            }
        }
        return true;
    }

    /**
     * Lets virtual time pass; what becomes due happens in the next steps, or at once in
     * {@link ExecutionMode#SYNCHRONOUS}.
     */
    public void advance(Duration time) {
        requireMode(scheduler.mode != ExecutionMode.THREADED, "real time can't be moved");
        scheduler.advance(time.toNanos());
        scheduler.settle();
    }

    /** How many steps were taken. */
    public long steps() {
        return scheduler.steps();
    }

    /** A hash over all choices of the scheduler so far: equal for equal runs. */
    public long fingerprint() {
        return scheduler.fingerprint();
    }

    /**
     * Makes an executor whose tasks are run one at a time, in order, by the scheduler: a thread of the simulated
     * program. Not in {@link ExecutionMode#THREADED}.
     */
    public Executor newSerialExecutor() {
        requireMode(scheduler.mode != ExecutionMode.THREADED, "a threaded fabric runs no tasks");
        var lane = new CallLane(scheduler, null);
        return task -> {
            scheduler.lock.lock();
            try {
                lane.add(task);
            } finally {
                scheduler.lock.unlock();
            }
            scheduler.settle();
        };
    }

    /** Has {@code task} run by {@code executor} when the time has come. Not in {@link ExecutionMode#THREADED}. */
    public void schedule(Duration delay, Executor executor, Runnable task) {
        requireMode(scheduler.mode != ExecutionMode.THREADED, "a threaded fabric runs no tasks");
        scheduler.lock.lock();
        try {
            var lane = new CallLane(scheduler, null);
            TimerQueue.Timer _ = scheduler.at(
                    scheduler.nanoTime() + delay.toNanos(), null, () -> lane.add(() -> executor.execute(task)));
        } finally {
            scheduler.lock.unlock();
        }
    }

    /** Takes a device away, as if it had been pulled out. */
    public void removeDevice(Device device, String reason) {
        FabricDevice target = own(device);
        scheduler.lock.lock();
        try {
            target.removeLocked(reason);
        } finally {
            scheduler.lock.unlock();
        }
        scheduler.settle();
    }

    /** Breaks all established connections of a device, at both ends and without a word on the wire. */
    public void dropConnections(Device device, String reason) {
        FabricDevice target = own(device);
        scheduler.lock.lock();
        try {
            for (FabricConnection connection : List.copyOf(target.connections)) {
                connection.drop(reason);
            }
        } finally {
            scheduler.lock.unlock();
        }
        scheduler.settle();
    }

    /** Tells the listeners of a device that an address has changed. */
    public void changeAddress(Device device, InetAddress address) {
        FabricDevice target = own(device);
        scheduler.lock.lock();
        try {
            target.emit(new DeviceEvent.AddressChanged(address));
        } finally {
            scheduler.lock.unlock();
        }
        scheduler.settle();
    }

    private FabricDevice own(Device device) {
        if (device instanceof FabricDevice own && own.fabric == this) {
            return own;
        }
        throw new IllegalArgumentException("not a device of this fabric");
    }

    private static void requireMode(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }

    Scheduler scheduler() {
        return scheduler;
    }

    boolean hasFaults() {
        return !faults.equals(FaultPlan.NONE);
    }

    /** With the lock held: asks the plan. */
    @Nullable
    Fault consult(
            FaultPoint point, FabricDevice device, int queuePairNumber, @Nullable Opcode opcode, long id, long amount) {
        Fault fault = faults.decide(new FaultSite(
                point,
                device,
                queuePairNumber,
                opcode,
                id,
                amount,
                device.nextOccurrence(point),
                scheduler.nanoTime()));
        if (fault != null && !point.accepts(fault)) {
            throw new IllegalStateException(fault + " can't happen at " + point);
        }
        return fault;
    }

    /** With the lock held: whether this message's bytes leave the sender's memory now. */
    boolean leavesOnTransmit() {
        return switch (sendCompletion) {
            case ON_TRANSMIT -> true;
            case ON_DELIVERY -> false;
            case RANDOM -> scheduler.random.nextBoolean();
        };
    }

    int nextKey() {
        return secureRandom == null ? scheduler.random.nextInt() : secureRandom.nextInt();
    }

    /** With the lock held: an address space as large as 64 bits, so that nobody takes addresses for offsets. */
    long nextAddress(long bytes) {
        long address;
        do {
            address = (secureRandom == null ? scheduler.random.nextLong() : secureRandom.nextLong()) & -4096L;
        } while (Long.compareUnsigned(address + bytes, address) < 0);
        return address;
    }

    int nextQueuePairNumber() {
        return nextQueuePairNumber++;
    }

    /** With the lock held. */
    Listener bind(FabricDevice device, InetSocketAddress wanted, ListenOptions options, ConnectRequestHandler handler)
            throws IOException {
        InetSocketAddress address = wanted;
        if (wanted.getPort() == 0) {
            int port = FIRST_FREE_PORT;
            do {
                if (port > 65_535) {
                    throw new BindException("listen on " + wanted + ": no port is free");
                }
                address = new InetSocketAddress(wanted.getAddress(), port++);
            } while (find(address) != null);
        } else if (listeners.containsKey(canonical(wanted))) {
            throw new BindException("listen on " + wanted + ": address in use");
        }
        var listener = new FabricListener(device, address, options, handler);
        listeners.put(canonical(address), listener);
        device.listeners.add(listener);
        return listener;
    }

    void unbind(InetSocketAddress address) {
        listeners.remove(canonical(address));
    }

    /** With the lock held: who listens there, if only on the wildcard address. */
    @Nullable
    FabricListener find(InetSocketAddress address) {
        FabricListener exact = listeners.get(canonical(address));
        return exact != null ? exact : listeners.get(new InetSocketAddress(address.getPort()));
    }

    /** The wildcard addresses of both families are one. */
    private static InetSocketAddress canonical(InetSocketAddress address) {
        return address.getAddress().isAnyLocalAddress() ? new InetSocketAddress(address.getPort()) : address;
    }

    void forget(FabricDevice device) {
        devices.remove(device);
    }

    /** What a fabric is to be like. */
    public static final class Builder {

        private ExecutionMode mode = ExecutionMode.THREADED;
        private @Nullable SendCompletion sendCompletion;
        private long seed;
        private FaultPlan faults = FaultPlan.NONE;

        private Builder() {}

        /** When things happen. */
        public Builder mode(ExecutionMode newMode) {
            mode = newMode;
            return this;
        }

        /** The seed of all choices. */
        public Builder seed(long newSeed) {
            seed = newSeed;
            return this;
        }

        /**
         * When Sends and Writes complete; by default {@link SendCompletion#RANDOM} if stepped, else
         * {@link SendCompletion#ON_DELIVERY}, which copies the bytes once.
         */
        public Builder sendCompletion(SendCompletion when) {
            sendCompletion = when;
            return this;
        }

        /** What goes wrong. */
        public Builder faults(FaultPlan plan) {
            faults = plan;
            return this;
        }

        /** Makes the fabric. */
        public MemoryFabric build() {
            return new MemoryFabric(this);
        }

        private SendCompletion sendCompletion() {
            if (sendCompletion != null) {
                return sendCompletion;
            }
            return mode == ExecutionMode.STEPPED ? SendCompletion.RANDOM : SendCompletion.ON_DELIVERY;
        }
    }
}
