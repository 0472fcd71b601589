package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.xdr.XdrException;

/**
 * A remote program (RFC 5531 §7): a number, a range of versions, and procedures. Stateless towards the transport;
 * called from several threads at once.
 */
public interface RpcProgram {

    /** The program's number, an unsigned 32-bit value. */
    int program();

    /** The lowest version served. */
    int lowestVersion();

    /** The highest version served; all versions between are served too. */
    int highestVersion();

    /**
     * Whether this procedure may block or run long. If so it runs on the dispatcher's executor, else on the thread that
     * received it, where it holds up every other connection of that thread. By default only procedure 0 does not block.
     */
    default boolean mayBlock(int version, int procedure) {
        return procedure != 0;
    }

    /**
     * Whether calls with this auth flavor are served; others are answered AUTH_BADCRED. By default AUTH_NONE and
     * AUTH_SYS are.
     */
    default boolean acceptsFlavor(int flavor) {
        return flavor == RpcConstants.AUTH_NONE || flavor == RpcConstants.AUTH_SYS;
    }

    /**
     * Serves a call of one of the program's versions. It ends in exactly one of {@link RpcServerCall#reply},
     * {@link RpcServerCall#fail}, {@link RpcServerCall#rejectAuth} and {@link RpcServerCall#drop}, now or later, on any
     * thread. A procedure that does not exist is answered {@code fail(PROC_UNAVAIL)}. Arguments are read to their end,
     * {@link io.rpcrdma4j.rpc.xdr.XdrReader#finish()} included, before anything is done.
     *
     * @param call owned by the program until it is answered
     * @throws XdrException if the arguments are malformed; if the call is not answered yet, GARBAGE_ARGS is
     */
    void call(RpcServerCall call) throws XdrException;
}
