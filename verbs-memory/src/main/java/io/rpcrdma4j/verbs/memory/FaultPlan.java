package io.rpcrdma4j.verbs.memory;

import org.jspecify.annotations.Nullable;

/**
 * Decides what goes wrong in a {@link MemoryFabric}. {@link FaultScript} is one that a test writes down.
 *
 * <p><b>Threading:</b> called with the fabric's lock held, so one call at a time; it must not call the fabric and must
 * be quick. In {@link ExecutionMode#STEPPED} the order of the calls is the same for the same seed.
 */
@FunctionalInterface
public interface FaultPlan {

    /** Nothing goes wrong. */
    FaultPlan NONE = site -> null;

    /**
     * Decides about one moment.
     *
     * @param site valid only during the call
     * @return null to go on; else what happens, which {@link FaultPoint#accepts} must admit
     */
    @Nullable
    Fault decide(FaultSite site);
}
