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
    /** payload a, int, payload b -> checksum of a, the int, checksum of b. */
    public static final int TWO_PAYLOADS = 9;
    /** offset, length, seed -> a payload of that length that begins at that offset of its buffer. */
    public static final int GENERATE_AT = 10;
    /** never answered, dropped at once. */
    public static final int DROP = 11;
    /** payload -> the same payload, by reference to the argument, when {@link #answerParked} is called. */
    public static final int PARK_ECHO = 12;
    /** length, seed, page bytes -> a payload of that length in pages of its own. */
    public static final int GENERATE_PAGES = 13;
    /** nothing -> how many bytes the reply may have. */
    public static final int LIMIT = 14;
    /** never answered: dropped when {@link #answerParked} is called. */
    public static final int DROP_LATER = 15;

    public final AtomicInteger calls = new AtomicInteger();
    private final ArrayDeque<Runnable> parked = new ArrayDeque<>();

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
                park(call, call::success);
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
            case TWO_PAYLOADS -> {
                MemorySegment first = arguments.readPayload(Integer.MAX_VALUE);
                int between = arguments.readInt();
                MemorySegment second = arguments.readPayload(Integer.MAX_VALUE);
                arguments.finish();
                XdrWriter results = call.success();
                results.writeInt(checksum(first));
                results.writeInt(between);
                results.writeInt(checksum(second));
            }
            case GENERATE_AT -> {
                int offset = arguments.readInt();
                int length = arguments.readInt();
                int seed = arguments.readInt();
                arguments.finish();
                PayloadBuffer buffer = call.memory().allocate((long) offset + length);
                fill(buffer.segment().asSlice(offset), length, seed);
                call.success().payload(buffer, offset, length);
            }
            case GENERATE_PAGES -> {
                int length = arguments.readInt();
                int seed = arguments.readInt();
                int pageBytes = arguments.readInt();
                arguments.finish();
                writePages(call, call.success(), bytes(length, seed), pageBytes);
            }
            case LIMIT -> {
                arguments.finish();
                call.success().writeLong(call.replyLimit());
            }
            case DROP_LATER -> {
                arguments.finish();
                calls.incrementAndGet();
                synchronized (parked) {
                    parked.add(call::drop);
                }
                return;
            }
            case DROP -> {
                arguments.finish();
                calls.incrementAndGet();
                call.drop();
                return;
            }
            case PARK_ECHO -> {
                MemorySegment payload = arguments.readPayload(Integer.MAX_VALUE);
                arguments.finish();
                calls.incrementAndGet();
                park(call, () -> call.success().writeOpaque(payload, 0, (int) payload.byteSize()));
                return;
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

    private static void writePages(RpcServerCall call, XdrWriter results, byte[] bytes, int pageBytes) {
        results.beginPayload();
        for (int at = 0; at < bytes.length; at += pageBytes) {
            int length = Math.min(pageBytes, bytes.length - at);
            PayloadBuffer page = call.memory().allocate(length);
            MemorySegment.copy(bytes, at, page.segment(), ValueLayout.JAVA_BYTE, 0, length);
            results.payloadPage(page, 0, length);
        }
        results.endPayload();
    }

    private void park(RpcServerCall call, Runnable results) {
        synchronized (parked) {
            parked.add(() -> {
                results.run();
                call.reply();
            });
        }
    }

    /** Answers the calls that are parked. */
    public int answerParked() {
        int count = 0;
        while (true) {
            Runnable answer;
            synchronized (parked) {
                answer = parked.poll();
            }
            if (answer == null) {
                return count;
            }
            answer.run();
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
