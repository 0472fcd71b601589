package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpc.AcceptStatus;
import io.rpcrdma4j.rpc.RpcProgram;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** A program whose procedures move data in each way that RPC-over-RDMA has. */
final class ExerciseProgram implements RpcProgram {

    public static final int PROGRAM = 0x2000_0001;
    public static final int VERSION = 1;

    public static final int NULL = 0;
    /** payload -> the same payload. */
    public static final int ECHO = 1;
    /** length, seed -> a payload of that length. */
    public static final int GENERATE = 2;
    /** payload, int -> checksum of the payload, the int. */
    public static final int CHECKSUM = 3;
    /** length, seed -> opaque bytes that are no payload. */
    public static final int TEXT = 4;
    /** opaque bytes that are no payload -> checksum. */
    public static final int LONG_CALL = 5;
    /** never answered until {@link #answerParked}. */
    public static final int PARK = 6;
    /** length a, length b -> payload a, int, payload b. */
    public static final int TWO_RESULTS = 7;
    /** payload -> the same payload, by reference to the argument. */
    public static final int ECHO_ARGUMENT = 8;

    public final AtomicInteger calls = new AtomicInteger();
    private final ArrayDeque<RpcServerCall> parked = new ArrayDeque<>();

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
        return false;
    }

    @Override
    public void call(RpcServerCall call) throws XdrException {
        XdrReader arguments = call.arguments();
        switch (call.procedure()) {
            case NULL -> {
                arguments.finish();
                call.success();
            }
            case ECHO -> {
                MemorySegment payload = arguments.readPayload(Integer.MAX_VALUE);
                arguments.finish();
                PayloadBuffer copy = call.memory().allocate(payload.byteSize());
                MemorySegment.copy(payload, 0, copy.segment(), 0, payload.byteSize());
                call.success().payload(copy, 0, (int) payload.byteSize());
            }
            case GENERATE -> {
                int length = arguments.readInt();
                int seed = arguments.readInt();
                arguments.finish();
                writeGenerated(call, call.success(), length, seed);
            }
            case CHECKSUM -> {
                MemorySegment payload = arguments.readPayload(Integer.MAX_VALUE);
                int echoed = arguments.readInt();
                arguments.finish();
                XdrWriter results = call.success();
                results.writeInt(checksum(payload));
                results.writeInt(echoed);
            }
            case TEXT -> {
                int length = arguments.readInt();
                int seed = arguments.readInt();
                arguments.finish();
                call.success().writeOpaque(bytes(length, seed));
            }
            case LONG_CALL -> {
                byte[] text = arguments.readOpaque(Integer.MAX_VALUE);
                arguments.finish();
                call.success().writeInt(checksum(MemorySegment.ofArray(text)));
            }
            case PARK -> {
                arguments.finish();
                calls.incrementAndGet();
                synchronized (parked) {
                    parked.add(call);
                }
                return;
            }
            case TWO_RESULTS -> {
                int first = arguments.readInt();
                int second = arguments.readInt();
                arguments.finish();
                XdrWriter results = call.success();
                writeGenerated(call, results, first, 1);
                results.writeInt(42);
                writeGenerated(call, results, second, 2);
            }
            case ECHO_ARGUMENT -> {
                MemorySegment payload = arguments.readPayload(Integer.MAX_VALUE);
                arguments.finish();
                call.success().writeOpaque(payload, 0, (int) payload.byteSize());
            }
            default -> {
                call.fail(AcceptStatus.PROC_UNAVAIL);
                return;
            }
        }
        calls.incrementAndGet();
        call.reply();
    }

    private static void writeGenerated(RpcServerCall call, XdrWriter results, int length, int seed) {
        PayloadBuffer buffer = call.memory().allocate(length);
        fill(buffer.segment(), length, seed);
        results.payload(buffer, 0, length);
    }

    /** Answers the calls that are parked. */
    public int answerParked() {
        int count = 0;
        while (true) {
            RpcServerCall call;
            synchronized (parked) {
                call = parked.poll();
            }
            if (call == null) {
                return count;
            }
            call.success();
            call.reply();
            count++;
        }
    }

    /** How many calls are parked. */
    public int parked() {
        synchronized (parked) {
            return parked.size();
        }
    }

    /** Bytes that depend on position and seed. */
    public static void fill(MemorySegment segment, int length, int seed) {
        for (int i = 0; i < length; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (seed + i * 31 + (i >> 8)));
        }
    }

    public static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        fill(MemorySegment.ofArray(bytes), length, seed);
        return bytes;
    }

    public static int checksum(MemorySegment segment) {
        int sum = 1;
        for (long i = 0; i < segment.byteSize(); i++) {
            sum = sum * 31 + segment.get(ValueLayout.JAVA_BYTE, i);
        }
        return sum;
    }
}
