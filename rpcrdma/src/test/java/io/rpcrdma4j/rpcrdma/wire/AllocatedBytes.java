package io.rpcrdma4j.rpcrdma.wire;

import java.lang.reflect.Method;

/**
 * How much the current thread has allocated; by reflection, because the module under test does not read jdk.management.
 */
final class AllocatedBytes {
    private final Object threads;
    private final Method allocated;

    AllocatedBytes() {
        try {
            threads = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            allocated = Class.forName("com.sun.management.ThreadMXBean").getMethod("getCurrentThreadAllocatedBytes");
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    long now() {
        try {
            return (long) allocated.invoke(threads);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
