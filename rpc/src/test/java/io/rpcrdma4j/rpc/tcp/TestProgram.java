package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.AcceptStatus;
import io.rpcrdma4j.rpc.RpcProgram;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A program with a procedure for everything that the tests of the transport need. */
final class TestProgram implements RpcProgram {
    static final int PROGRAM = 0x2000_0001;
    static final int VERSION = 1;

    static final int NULL = 0;
    /** Sends its argument back by copy. */
    static final int ECHO = 1;
    /** Sends its argument back as a payload. */
    static final int ECHO_PAYLOAD = 2;
    /** Is answered by the test. */
    static final int HOLD = 3;
    /** Sends as many bytes as it is told to. */
    static final int SOURCE = 4;

    /** Gets no answer. */
    static final int DROP = 5;

    /** Calls of {@link #HOLD} that wait for the test. */
    final LinkedBlockingQueue<RpcServerCall> held = new LinkedBlockingQueue<>();

    final AtomicInteger served = new AtomicInteger();

    @Override
    public int program() {
        return PROGRAM;
    }

    @Override
    public int lowestVersion() {
        return VERSION;
    }

    @Override
    public int highestVersion() {
        return VERSION;
    }

    @Override
    public boolean mayBlock(int version, int procedure) {
        return procedure == ECHO;
    }

    @Override
    public void call(RpcServerCall call) throws XdrException {
        served.incrementAndGet();
        XdrReader arguments = call.arguments();
        switch (call.procedure()) {
            case NULL -> {
                arguments.finish();
                call.success();
                call.reply();
            }
            case ECHO -> {
                MemorySegment data = arguments.readPayload(Integer.MAX_VALUE);
                arguments.finish();
                call.success().writeOpaque(data, 0, (int) data.byteSize());
                call.reply();
            }
            case ECHO_PAYLOAD -> {
                MemorySegment data = arguments.readPayload(Integer.MAX_VALUE);
                arguments.finish();
                PayloadBuffer copy = call.memory().allocate(data.byteSize());
                MemorySegment.copy(data, 0, copy.segment(), 0, data.byteSize());
                call.success().payload(copy, 0, (int) data.byteSize());
                call.reply();
            }
            case HOLD -> held.add(call);
            case SOURCE -> {
                int length = arguments.readInt();
                arguments.finish();
                call.success().payload(call.memory().allocate(length), 0, length);
                call.reply();
            }
            case DROP -> call.drop();
            default -> call.fail(AcceptStatus.PROC_UNAVAIL);
        }
    }
}
