package io.rpcrdma4j.verbs.memory;

/** When the work of a {@link MemoryFabric} is done, and by whom. */
public enum ExecutionMode {

    /**
     * Inside the call that causes it, on the calling thread: a post returns after the message was placed, both
     * completions were reported and the listeners of armed queues were called, unless another thread is at it. Time is
     * virtual.
     */
    SYNCHRONOUS,

    /**
     * Only inside {@link MemoryFabric#step()} and its relatives, one action a step; a seed chooses which of the
     * possible actions goes next. Time is virtual. The same seed and the same calls give the same run.
     */
    STEPPED,

    /** On the event threads of the devices, one for each completion vector. Time is real. */
    THREADED
}
