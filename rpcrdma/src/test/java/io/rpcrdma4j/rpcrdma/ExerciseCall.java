package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A call of {@link ExerciseProgram} that records its end. */
final class ExerciseCall extends ClientCall {

    private final XdrEncoder encoder;
    private final XdrDecoder<?> decoder;
    private volatile @Nullable Object result;
    private volatile @Nullable RpcException failure;
    private volatile int ends;

    ExerciseCall(int procedure, XdrEncoder encoder, XdrDecoder<?> decoder) {
        super(ExerciseProgram.PROGRAM, ExerciseProgram.VERSION);
        this.encoder = encoder;
        this.decoder = decoder;
        procedure(procedure);
    }

    static ExerciseCall ofNull() {
        return new ExerciseCall(ExerciseProgram.NULL, writer -> {}, reader -> "null");
    }

    static ExerciseCall generate(int length, int seed, PayloadBuffer sink) {
        var call = new ExerciseCall(
                ExerciseProgram.GENERATE,
                writer -> {
                    writer.writeInt(length);
                    writer.writeInt(seed);
                },
                reader -> reader.readPayload(Integer.MAX_VALUE).toArray(ValueLayout.JAVA_BYTE));
        call.sink(sink, 0, length);
        return call;
    }

    static ExerciseCall checksum(PayloadBuffer payload, int length, int echoed) {
        return new ExerciseCall(
                ExerciseProgram.CHECKSUM,
                writer -> {
                    writer.payload(payload, 0, length);
                    writer.writeInt(echoed);
                },
                reader -> reader.readInt() + ":" + reader.readInt());
    }

    static ExerciseCall text(int length, int seed) {
        var call = new ExerciseCall(
                ExerciseProgram.TEXT,
                writer -> {
                    writer.writeInt(length);
                    writer.writeInt(seed);
                },
                reader -> reader.readOpaque(Integer.MAX_VALUE));
        call.replyBytesMax(64 + length);
        return call;
    }

    static ExerciseCall longCall(byte[] text) {
        return new ExerciseCall(ExerciseProgram.LONG_CALL, writer -> writer.writeOpaque(text), XdrReader::readInt);
    }

    @Override
    protected void encodeArguments(XdrWriter writer) {
        encoder.encode(writer);
    }

    @Override
    protected void decodeResults(XdrReader reader) throws XdrException {
        result = decoder.decode(reader);
        reader.finish();
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time ends the call
    protected void onDone(@Nullable RpcException newFailure) {
        failure = newFailure;
        ends++;
    }

    int ends() {
        return ends;
    }

    boolean isDone() {
        return ends > 0;
    }

    @Nullable
    RpcException failure() {
        return failure;
    }

    Object result() {
        RpcException problem = failure;
        Object value = result;
        if (problem != null || value == null) {
            throw new AssertionError("the call failed", problem);
        }
        return value;
    }

    static int checksumOf(byte[] bytes) {
        return ExerciseProgram.checksum(MemorySegment.ofArray(bytes));
    }
}
