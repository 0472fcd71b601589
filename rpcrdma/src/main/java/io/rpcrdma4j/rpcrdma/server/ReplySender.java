package io.rpcrdma4j.rpcrdma.server;

import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpcrdma.Endpoint;
import io.rpcrdma4j.rpcrdma.InlineMessage;
import io.rpcrdma4j.rpcrdma.SendContext;
import io.rpcrdma4j.rpcrdma.TracePoint;
import io.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.rpcrdma4j.rpcrdma.wire.HeaderEncoder;
import io.rpcrdma4j.rpcrdma.wire.MessageType;
import io.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Sends one reply: decides what goes inline, into Write chunks, into the Reply chunk; builds the Writes and the Send
 * behind them and posts all as one chain. Counterpart of {@code svc_rdma_sendto.c}; one object for each call in
 * progress.
 *
 * <h2>Operation</h2>
 *
 * {@link #sendTo} for a reply, {@link #sendErrorMessage} for an RDMA_ERROR; {@link #releaseChunks} when the send
 * context is drained.
 *
 * <h2>Buffer ownership</h2>
 *
 * Both methods take ownership of the send context, whose release gives the message back. The reply's pages are released
 * when the Send has completed, in success or flushed.
 *
 * <h2>Threading</h2>
 *
 * Any thread, one at a time.
 *
 * <h2>Errors</h2>
 *
 * A reply that fits nowhere, or a chunk of the client's that is too small, is answered ERR_CHUNK and the connection
 * stays; exhausted resources end the connection, so that the client sends again.
 */
final class ReplySender {

    private final Endpoint endpoint;
    private final HeaderEncoder encoder = new HeaderEncoder();
    private final InlineMessage inline = new InlineMessage();
    private final ChunkWriter replyWriter;
    private ChunkWriter[] writers = new ChunkWriter[0];
    private int writersUsed;
    /** For each Write chunk in list order the index of the result that it holds, or -1. */
    private int[] resultOf = new int[0];

    ReplySender(Endpoint endpoint) {
        this.endpoint = endpoint;
        this.replyWriter = ChunkWriter.ofReplyChunk(endpoint);
    }

    /**
     * Sends the reply in {@code context}. Counterpart of {@code svc_rdma_sendto(9)}.
     *
     * @param message the reply; the context's release gives its pages back
     * @param header the call's header
     * @param peerInvalidates whether the client lets us invalidate its keys
     */
    void sendTo(SendContext context, XdrBuffer message, TransportHeader header, boolean peerInvalidates) {
        if (endpoint.isClosing()) {
            endpoint.sends().put(context);
            return;
        }
        ChunkLists lists = header.chunks();
        context.chainSendAlone();
        ChunkWriter.Outcome outcome = assignResults(lists, message);
        if (outcome == ChunkWriter.Outcome.DONE) {
            outcome = prepareReplyChunk(context, lists, message);
        }
        if (outcome == ChunkWriter.Outcome.DONE) {
            outcome = prepareWriteList(context, lists, message);
        }
        if (outcome == ChunkWriter.Outcome.DONE) {
            outcome = buildSend(context, header, message);
        }
        if (outcome == ChunkWriter.Outcome.DONE
                && context.entriesNeeded() > endpoint.sendQueue().depth()) {
            // It could never be posted, and a resend would fare no better.
            outcome = ChunkWriter.Outcome.CHUNK_TOO_SMALL;
        }
        switch (outcome) {
            case DONE -> postReply(context, header, peerInvalidates);
            case CHUNK_TOO_SMALL -> sendErrorMessage(context, header, TransportHeader.ERR_CHUNK);
            case EXHAUSTED, IO_ERROR -> {
                endpoint.trace(TracePoint.SEND_ERR, context.id(), 0, 0);
                endpoint.scheduleClose("a reply could not be built: " + outcome);
                endpoint.sends().put(context);
            }
        }
    }

    private void postReply(SendContext context, TransportHeader header, boolean peerInvalidates) {
        ChunkLists lists = header.chunks();
        if (peerInvalidates && lists.hasSoleHandle()) {
            context.send().sendWithInvalidate(lists.soleHandle());
        } else {
            context.send().send();
        }
        endpoint.traceSend(context);
        context.post();
    }

    /**
     * Sends an RDMA_ERROR in place of a reply; what was built is dropped. Counterpart of
     * {@code svc_rdma_send_error_msg(9)}.
     *
     * @param error {@link TransportHeader#ERR_VERS} or {@link TransportHeader#ERR_CHUNK}
     */
    void sendErrorMessage(SendContext context, TransportHeader header, int error) {
        releaseChunks();
        context.send().keepSegments(0).send();
        context.chainSendAlone();
        long capacity = context.buffer().capacity();
        encoder.reset(context.buffer().segment(), 0, capacity);
        int credits = endpoint.grant(header.credits());
        int length;
        if (error == TransportHeader.ERR_VERS) {
            endpoint.trace(TracePoint.ERR_VERS, header.xid(), header.version(), 0);
            length = encoder.encodeErrVers(header.xid(), header.version(), credits);
        } else {
            endpoint.trace(TracePoint.ERR_CHUNK, header.xid(), 0, 0);
            length = encoder.encodeErrChunk(header.xid(), header.version(), credits);
        }
        context.send().segment(context.buffer().region(), context.buffer().offset(), length);
        endpoint.traceSend(context);
        context.post();
    }

    /**
     * Gives each result payload to the next Write chunk. Counterpart of {@code svc_rdma_result_payload(9)}: with no
     * chunk left a result stays inline, an empty chunk keeps its result inline, and a result longer than its chunk is
     * refused.
     */
    private ChunkWriter.Outcome assignResults(ChunkLists lists, XdrBuffer message) {
        int chunks = lists.writeChunkCount();
        if (resultOf.length < chunks) {
            resultOf = new int[chunks];
        }
        Arrays.fill(resultOf, 0, chunks, -1);
        for (int i = 0; i < chunks && i < message.payloadCount(); i++) {
            WriteChunk chunk = lists.writeChunk(i);
            if (chunk.segmentCount() == 0) {
                continue;
            }
            if (!chunk.recordResult(message.payloadLength(i))) {
                endpoint.trace(
                        TracePoint.SMALL_WRCH_ERR, 0, message.payloadLength(i) - chunk.length(), chunk.segmentCount());
                return ChunkWriter.Outcome.CHUNK_TOO_SMALL;
            }
            resultOf[i] = i;
        }
        return ChunkWriter.Outcome.DONE;
    }

    /**
     * Builds the Writes of all results that have a Write chunk, in front of the chain. Counterpart of
     * {@code svc_rdma_prepare_write_list(9)}.
     */
    private ChunkWriter.Outcome prepareWriteList(SendContext context, ChunkLists lists, XdrBuffer message) {
        for (int i = 0; i < lists.writeChunkCount(); i++) {
            int result = resultOf[i];
            if (result < 0) {
                continue;
            }
            ChunkWriter writer = nextWriter();
            writer.start(lists.writeChunk(i));
            ChunkWriter.Outcome outcome =
                    writer.pagesWrite(message, message.payloadOffset(result), message.payloadLength(result));
            if (outcome != ChunkWriter.Outcome.DONE) {
                return outcome;
            }
            endpoint.trace(
                    TracePoint.POST_WRITE_CHUNK,
                    writer.context().id(),
                    writer.context().entries(),
                    writer.bytes());
            context.prepend(writer.context(), writer.completionHandler());
        }
        return ChunkWriter.Outcome.DONE;
    }

    /**
     * Builds the Writes of everything that no Write chunk holds into the Reply chunk, if one was offered. The length
     * that is returned for it is the sum of its Writes. Counterpart of {@code svc_rdma_prepare_reply_chunk(9)}.
     */
    private ChunkWriter.Outcome prepareReplyChunk(SendContext context, ChunkLists lists, XdrBuffer message) {
        WriteChunk chunk = lists.replyChunk();
        if (chunk == null) {
            return ChunkWriter.Outcome.DONE;
        }
        replyWriter.start(chunk);
        long at = 0;
        for (int i = 0; i < lists.writeChunkCount(); i++) {
            int result = resultOf[i];
            if (result < 0) {
                continue;
            }
            long start = message.payloadOffset(result);
            ChunkWriter.Outcome outcome = replyWriter.xbWrite(message, at, start - at);
            if (outcome != ChunkWriter.Outcome.DONE) {
                return outcome;
            }
            // The pad of a reduced item travels neither in its chunk nor here (RFC 8166 section 3.4.6.2).
            at = start + message.payloadLength(result) + message.payloadPad(result);
        }
        ChunkWriter.Outcome outcome = replyWriter.xbWrite(message, at, message.length() - at);
        if (outcome == ChunkWriter.Outcome.DONE) {
            endpoint.trace(
                    TracePoint.POST_REPLY_CHUNK,
                    replyWriter.context().id(),
                    replyWriter.context().entries(),
                    replyWriter.bytes());
            context.prepend(replyWriter.context(), replyWriter.completionHandler());
        }
        return outcome;
    }

    /** Encodes the header and gathers or pulls up the inline parts behind it. */
    private ChunkWriter.Outcome buildSend(SendContext context, TransportHeader header, XdrBuffer message) {
        ChunkLists lists = header.chunks();
        @Nullable WriteChunk reply = lists.replyChunk();
        long headerLength = HeaderEncoder.replyLength(lists);
        encoder.reset(
                context.buffer().segment(),
                0,
                Math.min(endpoint.sendLimit(), context.buffer().capacity()));
        int encoded = encoder.encodeReply(
                header.xid(),
                endpoint.grant(header.credits()),
                reply == null ? MessageType.RDMA_MSG : MessageType.RDMA_NOMSG,
                lists,
                reply == null ? 0 : replyWriter.bytes());
        if (encoded < 0) {
            return ChunkWriter.Outcome.CHUNK_TOO_SMALL;
        }
        assert encoded == headerLength;
        inline.start(context.buffer(), 0, encoded, context.send());
        if (reply == null) {
            addInlineParts(lists, message);
        }
        if (inline.checkPullUp(endpoint) == InlineMessage.Decision.TOO_LONG) {
            return ChunkWriter.Outcome.CHUNK_TOO_SMALL;
        }
        boolean built = inline.finish(endpoint);
        context.keepLinear(inline.takeLinear());
        return built ? ChunkWriter.Outcome.DONE : ChunkWriter.Outcome.EXHAUSTED;
    }

    private void addInlineParts(ChunkLists lists, XdrBuffer message) {
        long at = 0;
        for (int i = 0; i < lists.writeChunkCount(); i++) {
            int result = resultOf[i];
            if (result < 0) {
                continue;
            }
            long start = message.payloadOffset(result);
            inline.addRange(message, at, start - at);
            at = start + message.payloadLength(result) + message.payloadPad(result);
        }
        inline.addRange(message, at, message.length() - at);
    }

    /**
     * Gives back the Read/Write contexts of all chunks of this reply; called when the send context is drained, and
     * before an RDMA_ERROR takes the reply's place. Counterpart of {@code svc_rdma_write_chunk_release(9)} and
     * {@code svc_rdma_reply_chunk_release(9)}.
     */
    void releaseChunks() {
        for (int i = 0; i < writersUsed; i++) {
            writers[i].release();
        }
        writersUsed = 0;
        replyWriter.release();
    }

    private ChunkWriter nextWriter() {
        if (writersUsed == writers.length) {
            writers = Arrays.copyOf(writers, writersUsed + 1);
            writers[writersUsed] = ChunkWriter.ofWriteChunk(endpoint);
        }
        return writers[writersUsed++];
    }
}
