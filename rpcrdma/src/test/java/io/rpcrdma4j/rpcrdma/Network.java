package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.memory.ExecutionMode;
import io.rpcrdma4j.verbs.memory.MemoryFabric;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** What connects the devices of a test, and how a test waits on it; a deadline ends every wait. */
abstract class Network {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** A fabric inside this process. */
    static Network inProcess(MemoryFabric fabric) {
        return new InProcess(fabric);
    }

    /** A fabric inside this process. */
    static Network inProcess(ExecutionMode mode, long seed) {
        return inProcess(MemoryFabric.builder().mode(mode).seed(seed).build());
    }

    abstract Device openDevice(DeviceOptions options) throws IOException;

    /** Waits until something holds; it fails the test if that takes longer than twenty seconds. */
    abstract void await(String what, BooleanSupplier condition);

    /** Lets everything happen that can happen now, where the network can tell; else does nothing. */
    abstract void settle();

    private static final class InProcess extends Network {

        private final MemoryFabric fabric;

        InProcess(MemoryFabric fabric) {
            this.fabric = fabric;
        }

        @Override
        Device openDevice(DeviceOptions options) throws IOException {
            return fabric.openDevice(options);
        }

        @Override
        void await(String what, BooleanSupplier condition) {
            if (fabric.mode() == ExecutionMode.STEPPED) {
                assertThat(fabric.runUntil(condition, LIMIT)).as(what).isTrue();
                return;
            }
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!condition.getAsBoolean()) {
                assertThat(System.nanoTime() - deadline).as(what).isNegative();
                Thread.onSpinWait();
            }
        }

        @Override
        void settle() {
            if (fabric.mode() == ExecutionMode.STEPPED) {
                fabric.runUntilIdle();
            }
        }
    }
}
