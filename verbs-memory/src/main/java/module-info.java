import org.jspecify.annotations.NullMarked;

/**
 * A verbs provider inside one process: exact completion, flush and protection semantics, with a seeded scheduler and
 * fault injection for tests.
 */
@NullMarked
module io.rpcrdma4j.verbs.memory {
    requires static org.jspecify;
    requires transitive io.rpcrdma4j.verbs;

    exports io.rpcrdma4j.verbs.memory;

    provides io.rpcrdma4j.verbs.VerbsProvider with
            io.rpcrdma4j.verbs.memory.MemoryProvider;
}
