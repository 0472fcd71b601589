package io.rpcrdma4j.rpcrdma;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Builds the bytes of a message by hand, well-formed or not: a transport header (RFC 8166 section 4) and what follows
 * it. It shares no code with the codec under test.
 */
final class RawMessage {

    static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    static final int MSG = 0;
    static final int NOMSG = 1;
    static final int MSGP = 2;
    static final int DONE = 3;
    static final int ERROR = 4;

    /** {@code accept_stat} values of RFC 5531. */
    static final int SUCCESS = 0;

    static final int PROC_UNAVAIL = 3;
    static final int GARBAGE_ARGS = 4;

    private final byte[] fixed;
    private final List<byte[]> reads = new ArrayList<>();
    private final List<byte[]> writes = new ArrayList<>();
    private byte[] reply = words(0);

    private RawMessage(byte[] fixed) {
        this.fixed = fixed;
    }

    /** A header of the four fixed words. */
    static RawMessage header(int xid, long version, long credits, long type) {
        return new RawMessage(words(xid, version, credits, type));
    }

    /** An RDMA_MSG that asks for, or grants, 32 credits. */
    static RawMessage msg(int xid) {
        return header(xid, 1, 32, MSG);
    }

    /** An RDMA_NOMSG that asks for, or grants, 32 credits. */
    static RawMessage nomsg(int xid) {
        return header(xid, 1, 32, NOMSG);
    }

    /** Adds an entry to the Read list. */
    RawMessage read(long position, int handle, long length, long address) {
        reads.add(join(words(1, position), segment(handle, length, address)));
        return this;
    }

    /** Adds an entry to the Read list: the first bytes of some memory. */
    RawMessage read(long position, RawEnd.Exposed memory, long length) {
        return read(position, memory.key(), length, memory.address());
    }

    /** Adds a chunk to the Write list. */
    RawMessage writeChunk(byte[]... segments) {
        writes.add(join(words(1, segments.length), join(segments)));
        return this;
    }

    /** Sets the Reply chunk. */
    RawMessage replyChunk(byte[]... segments) {
        reply = join(words(1, segments.length), join(segments));
        return this;
    }

    /** One segment: handle, length, offset. */
    static byte[] segment(int handle, long length, long address) {
        return words(handle, length, address >>> 32, address);
    }

    /** One segment: the first bytes of some memory. */
    static byte[] segment(RawEnd.Exposed memory, long length) {
        return segment(memory.key(), length, memory.address());
    }

    /** One segment: some bytes of some memory. */
    static byte[] segment(RawEnd.Exposed memory, long from, long length) {
        return segment(memory.key(), length, memory.address() + from);
    }

    /** The whole message: header, lists, and what comes behind them. */
    byte[] with(byte[]... payload) {
        return join(
                fixed,
                join(reads.toArray(byte[][]::new)),
                words(0),
                join(writes.toArray(byte[][]::new)),
                words(0),
                reply,
                join(payload));
    }

    // RPC.

    /** A call of the exercise program with AUTH_NONE: 40 bytes and the arguments. */
    static byte[] call(int xid, int procedure, byte[]... arguments) {
        return join(
                words(xid, 0, 2, ExerciseProgram.PROGRAM, ExerciseProgram.VERSION, procedure, 0, 0, 0, 0),
                join(arguments));
    }

    /** An accepted reply with AUTH_NONE: 24 bytes and the results. */
    static byte[] accepted(int xid, int status, byte[]... results) {
        return join(words(xid, 1, 0, 0, 0, status), join(results));
    }

    /** Variable-length opaque data: length word, bytes, pad. */
    static byte[] opaque(byte[] bytes) {
        return join(words(bytes.length), bytes, new byte[-bytes.length & 3]);
    }

    // Bytes.

    /** 32-bit big-endian words. */
    static byte[] words(long... words) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * words.length);
        for (long word : words) {
            buffer.putInt((int) word);
        }
        return buffer.array();
    }

    static byte[] join(byte[]... parts) {
        ByteBuffer buffer = ByteBuffer.allocate(
                Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (byte[] part : parts) {
            buffer.put(part);
        }
        return buffer.array();
    }

    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
    }

    /** Bytes of value 0xA5, what nobody wrote to. */
    static byte[] untouched(int count) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, (byte) 0xA5);
        return bytes;
    }
}
