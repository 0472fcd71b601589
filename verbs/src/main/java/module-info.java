import org.jspecify.annotations.NullMarked;

/**
 * The verbs API: devices, protection domains, memory regions, completion queues and queue pairs, and the provider
 * interface that implementations stand behind.
 *
 * <p>It holds no protocol and does no input or output. Providers are found with {@link java.util.ServiceLoader}.
 */
@NullMarked
module io.rpcrdma4j.verbs {
    requires static org.jspecify;

    exports io.rpcrdma4j.verbs;

    uses io.rpcrdma4j.verbs.VerbsProvider;
}
