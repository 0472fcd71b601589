package io.rpcrdma4j.rpc.memory;

/**
 * A configured ceiling was reached: no memory, context or slot could be taken. The caller may try again later.
 *
 * <p>Unchecked, because it can surface wherever a message is written; a server that lets it through from a handler
 * answers {@code SYSTEM_ERR}. Carries no stack trace.
 */
public final class RpcResourceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one.
     *
     * @param message what was wanted, the limit, and how much is in use
     */
    public RpcResourceException(String message) {
        super(message, null, false, false);
    }
}
