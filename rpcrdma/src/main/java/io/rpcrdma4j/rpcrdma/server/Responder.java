package io.rpcrdma4j.rpcrdma.server;

import io.rpcrdma4j.rpc.RpcConnection;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpcrdma.Endpoint;
import io.rpcrdma4j.rpcrdma.ReceiveContext;
import io.rpcrdma4j.rpcrdma.SendContext;
import io.rpcrdma4j.rpcrdma.TracePoint;
import io.rpcrdma4j.rpcrdma.wire.CallOutcome;
import io.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.rpcrdma4j.rpcrdma.wire.HeaderFault;
import io.rpcrdma4j.rpcrdma.wire.HeaderLimits;
import io.rpcrdma4j.rpcrdma.wire.MessageDirection;
import io.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side of a connection that answers calls: parses, pulls chunks, dispatches, replies. Counterpart of
 * {@code svc_rdma_recvfrom(9)} and of the queues around it.
 *
 * <h2>Operation</h2>
 *
 * A message becomes a {@link ServerCall} as soon as there is a send context for its answer; until then it waits, and
 * with it the client's credit. Calls with chunks come back when their Reads are done, and are served before new
 * messages.
 *
 * <h2>Buffer ownership</h2>
 *
 * It owns waiting messages; a call owns its own.
 *
 * <h2>Threading</h2>
 *
 * The endpoint's running thread.
 *
 * <h2>Errors</h2>
 *
 * What {@link HeaderFault} says: dropped, ERR_VERS or ERR_CHUNK, and one line in the log; the connection stays.
 */
final class Responder implements Endpoint.MessageRole {

    static final ValueLayout.OfInt XDR_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final Logger LOG = LoggerFactory.getLogger(Responder.class);

    /** Refusals logged at a higher level, for each connection; the rest of a peer's nonsense is for debugging. */
    private static final int REFUSALS_LOGGED = 3;

    private final Endpoint endpoint;
    private final RpcDispatcher dispatcher;
    private final ServerConnection connection;
    private final HeaderLimits limits;
    private final FailedReads failedReads;
    private final boolean peerInvalidates;
    private final ArrayDeque<ReceiveContext> waiting = new ArrayDeque<>();
    private final ArrayDeque<ServerCall> readsDone = new ArrayDeque<>();
    private final ArrayDeque<ServerCall> freeCalls = new ArrayDeque<>();
    private int refusals;

    Responder(Endpoint endpoint, RdmaRpcServer server, ServerConnection connection, boolean peerInvalidates) {
        this.endpoint = endpoint;
        this.dispatcher = server.dispatcher();
        this.limits = server.limits();
        this.failedReads = server.failedReads();
        this.connection = connection;
        this.peerInvalidates = peerInvalidates;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    RpcDispatcher dispatcher() {
        return dispatcher;
    }

    RpcConnection connection() {
        return connection;
    }

    boolean peerInvalidates() {
        return peerInvalidates;
    }

    @Override
    public void onMessage(ReceiveContext message) {
        CallOutcome outcome = message.header().parseCall(message.message(), message.length(), limits);
        TransportHeader header = message.header();
        if (outcome == CallOutcome.ACCEPT && isInlineReply(message)) {
            // RFC 8167: to be matched with a call of ours; there is none.
            endpoint.trace(
                    TracePoint.DECODE_DROP_ERR,
                    Integer.toUnsignedLong(header.xid()),
                    header.typeCode(),
                    header.version());
            logRefusal(header.xid(), "a reply to no call");
            message.release();
            return;
        }
        if (outcome == CallOutcome.ACCEPT) {
            endpoint.trace(
                    TracePoint.DECODE_RQST, Integer.toUnsignedLong(header.xid()), header.typeCode(), header.credits());
        } else {
            traceFault(header);
        }
        if (outcome == CallOutcome.DISCARD) {
            logRefusal(header.xid(), header.faultText());
            message.release();
            return;
        }
        waiting.addLast(message);
    }

    private static boolean isInlineReply(ReceiveContext message) {
        TransportHeader header = message.header();
        return MessageDirection.ofInline(message.message(), header.headerLength(), header.inlineLength())
                == MessageDirection.REPLY;
    }

    @Override
    public void onWork() {
        ServerCall call = readsDone.pollFirst();
        while (call != null) {
            serveAfterReads(call);
            call = readsDone.pollFirst();
        }
        while (!waiting.isEmpty()) {
            SendContext context = endpoint.sends().get();
            if (context == null) {
                return;
            }
            start(waiting.removeFirst(), context);
        }
    }

    private void start(ReceiveContext message, SendContext context) {
        ServerCall call = freeCalls.pollFirst();
        if (call == null) {
            call = new ServerCall(this);
        }
        call.start(message, context);
        TransportHeader header = message.header();
        HeaderFault fault = header.fault();
        if (fault != null) {
            logRefusal(header.xid(), header.faultText());
            call.refuse(
                    fault.callOutcome() == CallOutcome.ERR_VERS ? TransportHeader.ERR_VERS : TransportHeader.ERR_CHUNK);
            return;
        }
        ChunkLists lists = header.chunks();
        if (lists.callChunk() == null && lists.readChunkCount() == 0) {
            call.serve();
            return;
        }
        if (failedReads.isHopeless(connection.remoteAddress().getAddress(), header.xid())) {
            logRefusal(header.xid(), "its Read chunks can't be read");
            call.refuse(TransportHeader.ERR_CHUNK);
            return;
        }
        switch (call.pull()) {
            case POSTED -> {}
            case WHOLE -> serveWhole(call);
            case MALFORMED -> {
                logRefusal(header.xid(), "its Read chunks need more work requests than the send queue has");
                call.refuse(TransportHeader.ERR_CHUNK);
            }
            case EXHAUSTED -> {
                endpoint.scheduleClose("no memory to pull a call");
                call.abandon();
            }
        }
    }

    private void serveAfterReads(ServerCall call) {
        TransportHeader header = call.transportHeader();
        call.finishReads();
        endpoint.trace(TracePoint.READ_FINISHED, Integer.toUnsignedLong(header.xid()), 0, 0);
        failedReads.succeeded(connection.remoteAddress().getAddress(), header.xid());
        serveWhole(call);
    }

    private void serveWhole(ServerCall call) {
        if (call.isXidConsistent()) {
            call.serve();
        } else {
            logRefusal(call.transportHeader().xid(), "the xid in its position-zero chunk differs");
            call.refuse(TransportHeader.ERR_CHUNK);
        }
    }

    /** Called by a completion: only queues. */
    void onReadsDone(ServerCall call) {
        readsDone.addLast(call);
    }

    /** Called by a completion, or when the Reads could not be posted: the call is lost, the client sends it again. */
    void onReadsFailed(ServerCall call, boolean accessFailure) {
        if (accessFailure) {
            failedReads.failed(
                    connection.remoteAddress().getAddress(),
                    call.transportHeader().xid());
        }
        call.abandon();
    }

    /** Called by the drain, on the endpoint's thread. */
    void onCallFinished(ServerCall call) {
        freeCalls.addFirst(call);
    }

    @Override
    public void onClosing(String reason) {
        connection.onClosing(reason);
    }

    @Override
    public void onClosed() {
        ReceiveContext message = waiting.pollFirst();
        while (message != null) {
            message.release();
            message = waiting.pollFirst();
        }
        connection.onClosed();
    }

    void logRefusal(int xid, String reason) {
        if (refusals++ < REFUSALS_LOGGED) {
            LOG.info("{}: message 0x{} refused: {}", connection, Integer.toHexString(xid), reason);
        } else {
            LOG.debug("{}: message 0x{} refused: {}", connection, Integer.toHexString(xid), reason);
        }
    }

    private void traceFault(TransportHeader header) {
        HeaderFault fault = header.fault();
        if (fault == null) {
            return;
        }
        TracePoint point = switch (fault) {
            case FIXED_WORDS_TRUNCATED -> TracePoint.DECODE_SHORT_ERR;
            case BAD_VERSION -> TracePoint.DECODE_BADVERS_ERR;
            case ERROR_AT_RESPONDER, DONE_FORBIDDEN -> TracePoint.DECODE_DROP_ERR;
            case MSGP_FORBIDDEN, UNKNOWN_TYPE -> TracePoint.DECODE_BADPROC_ERR;
            default -> TracePoint.DECODE_PARSE_ERR;
        };
        endpoint.trace(point, Integer.toUnsignedLong(header.xid()), header.typeCode(), header.version());
    }
}
