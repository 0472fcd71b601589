package io.rpcrdma4j.cli.decode;

import io.rpcrdma4j.rpcrdma.wire.ReadChunk;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The RPC calls that one side of a connection sent: what each asked for, and, for Long Calls, the RDMA Reads that fetch
 * them.
 *
 * <p>Keeps the last {@link #CALLS_MAX} calls, {@link #LONG_CALLS_MAX} Long Calls whose bytes have not been seen, and
 * {@link #READS_MAX} outstanding RDMA Reads.
 *
 * <p><b>Threading:</b> confined.
 */
final class RpcCalls {
    static final int CALLS_MAX = 65_536;
    static final int LONG_CALLS_MAX = 256;
    static final int READS_MAX = 16_384;

    /** XID, message type, RPC version, program, version, procedure (RFC 5531 section 9). */
    private static final int HEAD_BYTES = 24;

    private static final String UNKNOWN = "?";

    private final Report report;
    private final Map<Integer, String> descriptions = new LinkedHashMap<>();
    private final List<LongCall> longCalls = new ArrayList<>();

    /**
     * RDMA Reads of the other side, oldest first: Responses come in the order of the Requests (RFC 5040 section 5.5).
     */
    private final Deque<Read> reads = new ArrayDeque<>();

    /** A call in a position-zero Read chunk, until its first bytes have come by. */
    private static final class LongCall {
        final int xid;
        final Report.Line line;
        final int[] handles;
        final long[] offsets;
        final long[] lengths;
        final byte[] head = new byte[HEAD_BYTES];
        int known;

        LongCall(int xid, ReadChunk chunk, Report.Line line) {
            this.xid = xid;
            this.line = line;
            int count = chunk.segmentCount();
            handles = new int[count];
            offsets = new long[count];
            lengths = new long[count];
            for (int i = 0; i < count; i++) {
                handles[i] = chunk.handle(i);
                offsets[i] = chunk.offset(i);
                lengths[i] = chunk.segmentLength(i);
            }
        }

        /** Offset in the call of the byte at this place in the sender's memory; -1 if it is not part of the call. */
        long find(int handle, long offset) {
            long before = 0;
            for (int i = 0; i < handles.length; i++) {
                long inside = offset - offsets[i];
                if (handles[i] == handle && inside >= 0 && inside < lengths[i]) {
                    return before + inside;
                }
                before += lengths[i];
            }
            return -1;
        }
    }

    /** One RDMA Read; {@code call} is null if it does not fetch a Long Call. */
    private static final class Read {
        final @Nullable LongCall call;
        long at;

        Read(@Nullable LongCall call, long at) {
            this.call = call;
            this.at = at;
        }
    }

    RpcCalls(Report report) {
        this.report = report;
    }

    void add(int xid, String description) {
        descriptions.remove(xid);
        descriptions.put(xid, description);
        if (descriptions.size() > CALLS_MAX) {
            descriptions.remove(descriptions.keySet().iterator().next());
        }
    }

    /** What the call with this XID asked for; a question mark if that call was not seen. */
    String find(int xid) {
        return descriptions.getOrDefault(xid, UNKNOWN);
    }

    void addLongCall(int xid, ReadChunk chunk, Report.Line line) {
        if (longCalls.size() == LONG_CALLS_MAX) {
            report.resolve(longCalls.removeFirst().line, UNKNOWN);
        }
        longCalls.add(new LongCall(xid, chunk, line));
    }

    /** The call has been answered: what has not been seen of it will not come any more. */
    void endLongCall(int xid) {
        for (LongCall call : longCalls) {
            if (call.xid == xid) {
                report.resolve(call.line, UNKNOWN);
                longCalls.remove(call);
                return;
            }
        }
    }

    /** An RDMA Read Request of the other side for this place in the sender's memory. */
    void onReadRequest(int handle, long offset) {
        if (reads.size() == READS_MAX) {
            reads.remove();
        }
        for (LongCall call : longCalls) {
            long at = call.find(handle, offset);
            if (at >= 0) {
                reads.add(new Read(call, at));
                return;
            }
        }
        reads.add(new Read(null, 0));
    }

    /** A segment of the sender's RDMA Read Response to the oldest Request; false if there is none. */
    boolean onReadResponse(ByteBuffer payload, boolean last) {
        Read read = reads.peek();
        if (read == null) {
            return false;
        }
        LongCall call = read.call;
        if (call != null && longCalls.contains(call)) {
            fill(call, read.at, payload);
        }
        read.at += payload.remaining();
        if (last) {
            reads.remove();
        }
        return true;
    }

    private void fill(LongCall call, long at, ByteBuffer payload) {
        if (at != call.known) {
            return;
        }
        int bytes = Math.min(HEAD_BYTES - call.known, payload.remaining());
        payload.get(payload.position(), call.head, call.known, bytes);
        call.known += bytes;
        if (call.known == HEAD_BYTES) {
            String description = MessageDecoder.describeCall(ByteBuffer.wrap(call.head), call.xid);
            add(call.xid, description);
            longCalls.remove(call);
            report.resolve(call.line, description);
        }
    }
}
