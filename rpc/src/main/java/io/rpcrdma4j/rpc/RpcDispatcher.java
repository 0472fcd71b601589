package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrOverflowException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes each call to its program, and answers those that have none.
 *
 * <h2>Operation</h2>
 *
 * {@link #dispatch} decodes the header and picks the program. Procedures that do not block run on the calling thread;
 * those that may ({@link RpcProgram#mayBlock}) are handed to the executor. How many calls can wait there is bounded by
 * the transports: each connection has a limit of calls in progress (on RDMA its credits), and is not read from when it
 * is reached. So the executor needs no bound of its own and must not refuse work while it is open.
 *
 * <table>
 * <caption>What is answered without a program (RFC 5531 §9)</caption>
 * <tr><th>call</th><th>answer</th></tr>
 * <tr><td>shorter than a header, or not a call</td><td>none; the transport is told</td></tr>
 * <tr><td>RPC version other than 2</td><td>RPC_MISMATCH 2, 2</td></tr>
 * <tr><td>credential that cannot be decoded, or of a flavor that the program does not take</td>
 * <td>AUTH_BADCRED</td></tr>
 * <tr><td>verifier that cannot be decoded or does not go with the flavor</td><td>AUTH_BADVERF</td></tr>
 * <tr><td>unknown program</td><td>PROG_UNAVAIL</td></tr>
 * <tr><td>version that is not served</td><td>PROG_MISMATCH with the range that is</td></tr>
 * <tr><td>the program throws {@link XdrException}</td><td>GARBAGE_ARGS</td></tr>
 * <tr><td>the program throws {@link XdrOverflowException}</td>
 * <td>what the transport has for it, else SYSTEM_ERR</td></tr>
 * <tr><td>the program throws anything else</td><td>SYSTEM_ERR, and one line in the log</td></tr>
 * </table>
 *
 * <h2>Threading</h2>
 *
 * Immutable; used by all transports and threads at once.
 */
public final class RpcDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(RpcDispatcher.class);

    private final RpcProgram[] programs;
    private final Executor executor;

    private RpcDispatcher(Builder builder) {
        programs = builder.programs.toArray(RpcProgram[]::new);
        executor = builder.executor;
    }

    /** Starts to set up a dispatcher. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Serves a call that was just begun. When this returns, the call may be answered, or be so later.
     *
     * @param call opened by its transport and not answered
     */
    public void dispatch(RpcServerCall call) {
        RpcCallHeader header = call.header();
        RpcCallHeader.Result result;
        try {
            result = header.parse(call.arguments());
        } catch (XdrException e) {
            call.failMalformed("a call's header is truncated: " + e.getMessage());
            return;
        }
        try {
            switch (result) {
                case OK -> dispatchTo(call, header);
                case NOT_A_CALL -> call.failMalformed("a message that is not a call");
                case RPC_MISMATCH -> call.failRpcMismatch();
                case BAD_CREDENTIAL -> call.rejectAuth(AuthStatus.AUTH_BADCRED);
                case BAD_VERIFIER -> call.rejectAuth(AuthStatus.AUTH_BADVERF);
            }
        } catch (RpcResourceException e) {
            // Not even the answer's head could be had. The caller will time out and try again.
            LOG.warn("No answer to {}: {}", describe(call), e.getMessage());
            call.drop();
        }
    }

    private void dispatchTo(RpcServerCall call, RpcCallHeader header) {
        int number = header.program();
        int version = header.version();
        boolean known = false;
        for (RpcProgram program : programs) {
            if (program.program() != number) {
                continue;
            }
            known = true;
            if (Integer.compareUnsigned(version, program.lowestVersion()) >= 0
                    && Integer.compareUnsigned(version, program.highestVersion()) <= 0) {
                start(program, call, header);
                return;
            }
        }
        if (known) {
            mismatch(call, number);
        } else {
            call.fail(AcceptStatus.PROG_UNAVAIL);
        }
    }

    private void start(RpcProgram program, RpcServerCall call, RpcCallHeader header) {
        if (!program.acceptsFlavor(header.credential().flavor())) {
            call.rejectAuth(AuthStatus.AUTH_BADCRED);
        } else if (program.mayBlock(header.version(), header.procedure())) {
            call.target = program;
            try {
                executor.execute(call.onExecutor);
            } catch (RejectedExecutionException e) {
                // Only an executor that was shut down refuses. The caller comes back by another connection.
                LOG.warn("No thread for {}: {}", describe(call), e.getMessage());
                RpcConnection connection = call.connection();
                call.drop();
                connection.close();
            }
        } else {
            run(program, call);
        }
    }

    private void mismatch(RpcServerCall call, int number) {
        int low = -1;
        int high = 0;
        for (RpcProgram program : programs) {
            if (program.program() == number) {
                low = Integer.compareUnsigned(program.lowestVersion(), low) < 0 ? program.lowestVersion() : low;
                high = Integer.compareUnsigned(program.highestVersion(), high) > 0 ? program.highestVersion() : high;
            }
        }
        call.progMismatch(low, high);
    }

    /** Runs a program and turns whatever it throws into an answer, unless it gave one before. */
    static void run(RpcProgram program, RpcServerCall call) {
        // Taken before: once the call is answered, the object may be another call.
        int ticket = call.ticket();
        int xid = call.xid();
        int procedure = call.procedure();
        try {
            program.call(call);
        } catch (XdrException e) {
            LOG.debug("Arguments of program {} procedure {}: {}", program.program(), procedure, e.getMessage());
            answer(call, ticket, AcceptStatus.GARBAGE_ARGS);
        } catch (XdrOverflowException e) {
            LOG.debug("Results of program {} procedure {}: {}", program.program(), procedure, e.getMessage());
            answer(call, ticket, AcceptStatus.SUCCESS);
        } catch (RuntimeException | Error e) {
            LOG.error(
                    "Program {} procedure {} (xid 0x{}) failed: {}",
                    program.program(),
                    procedure,
                    Integer.toHexString(xid),
                    e.toString());
            LOG.debug("Where it failed", e);
            answer(call, ticket, AcceptStatus.SYSTEM_ERR);
        }
    }

    /** Answers with a failure; SUCCESS stands for results that were too long. */
    private static void answer(RpcServerCall call, int ticket, AcceptStatus status) {
        try {
            if (status == AcceptStatus.SUCCESS) {
                call.failTooLongIfUnanswered(ticket);
            } else {
                call.failIfUnanswered(ticket, status);
            }
        } catch (RpcResourceException e) {
            LOG.warn("No answer to {}: {}", describe(call), e.getMessage());
            call.discard();
        }
    }

    private static String describe(RpcServerCall call) {
        return "xid 0x" + Integer.toHexString(call.xid()) + " from "
                + call.connection().remoteAddress();
    }

    /** Sets up a dispatcher. */
    public static final class Builder {
        private final List<RpcProgram> programs = new ArrayList<>();
        private Executor executor = Runnable::run;

        private Builder() {}

        /**
         * Adds a program. Several may have one number if their versions differ.
         *
         * @throws IllegalArgumentException if its versions overlap with those of one that was added before
         */
        public Builder program(RpcProgram program) {
            for (RpcProgram other : programs) {
                if (other.program() == program.program()
                        && Integer.compareUnsigned(program.lowestVersion(), other.highestVersion()) <= 0
                        && Integer.compareUnsigned(other.lowestVersion(), program.highestVersion()) <= 0) {
                    throw new IllegalArgumentException("program " + program.program() + " is there twice");
                }
            }
            programs.add(program);
            return this;
        }

        /**
         * Sets where procedures run that may block. Without it they run on the thread that received the call.
         *
         * @param blocking takes as many tasks as all connections together may have calls in progress; is the caller's
         */
        public Builder executor(Executor blocking) {
            executor = Objects.requireNonNull(blocking);
            return this;
        }

        /** The dispatcher. */
        public RpcDispatcher build() {
            return new RpcDispatcher(this);
        }
    }
}
