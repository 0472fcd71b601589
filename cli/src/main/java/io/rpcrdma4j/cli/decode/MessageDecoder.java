package io.rpcrdma4j.cli.decode;

import io.rpcrdma4j.rpcrdma.wire.CallOutcome;
import io.rpcrdma4j.rpcrdma.wire.Chunk;
import io.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.rpcrdma4j.rpcrdma.wire.HeaderEncoder;
import io.rpcrdma4j.rpcrdma.wire.HeaderLimits;
import io.rpcrdma4j.rpcrdma.wire.MessageDirection;
import io.rpcrdma4j.rpcrdma.wire.MessageType;
import io.rpcrdma4j.rpcrdma.wire.ReadChunk;
import io.rpcrdma4j.rpcrdma.wire.ReplyOutcome;
import io.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Decodes the RPC-over-RDMA messages of one connection and writes a line for each.
 *
 * <p>The RPC program of a reply is that of the call with its XID in the other direction. The RPC header of a Long Call
 * travels in RDMA Read Responses: {@link RpcCalls} follows them, and the line waits for it.
 *
 * <p><b>Threading:</b> confined.
 */
final class MessageDecoder {
    private static final int RPC_CALL_BYTES = 24;

    private final Report report;
    private final boolean check;
    private final TransportHeader header = new TransportHeader();
    private final HeaderEncoder encoder = new HeaderEncoder();

    MessageDecoder(Report report, boolean check) {
        this.report = report;
        this.check = check;
    }

    /**
     * Decodes one message.
     *
     * @param where packet and flow, the start of the line
     * @param message the bytes of the Send; borrowed until return
     * @param invalidated what the Send says about invalidation, the end of the line; may be empty
     * @param sent calls of the sender
     * @param received calls of the other side, which a reply answers
     */
    void decode(String where, ByteBuffer message, String invalidated, RpcCalls sent, RpcCalls received) {
        MemorySegment bytes = MemorySegment.ofBuffer(message);
        long length = bytes.byteSize();
        boolean isReply = MessageDirection.peek(bytes, length) == MessageDirection.REPLY;
        boolean sound = isReply
                ? header.parseReply(bytes, length, HeaderLimits.NONE) == ReplyOutcome.ACCEPT
                : header.parseCall(bytes, length, HeaderLimits.NONE) == CallOutcome.ACCEPT;
        if (!sound) {
            report.countMalformed();
            report.line(where + " malformed " + (isReply ? "reply" : "call") + ": " + header.faultText() + invalidated);
            return;
        }
        report.countMessage(header.type(), !isReply, header.chunks());
        if (check) {
            checkHeader(where, bytes);
        }
        String start = start(where);
        String end = end(length) + invalidated;
        if (header.type() == MessageType.RDMA_ERROR) {
            report.line(start + " " + received.find(header.xid()) + errorText() + end);
        } else if (isReply) {
            received.endLongCall(header.xid());
            report.line(start + " reply " + received.find(header.xid()) + end);
        } else {
            call(bytes, start, end, sent);
        }
    }

    private void call(MemorySegment bytes, String start, String end, RpcCalls sent) {
        ReadChunk callChunk = header.chunks().callChunk();
        if (callChunk != null) {
            sent.addLongCall(header.xid(), callChunk, report.openLine(start + " call ", end));
            return;
        }
        ByteBuffer payload =
                bytes.asSlice(header.headerLength(), header.inlineLength()).asByteBuffer();
        String description = describeCall(payload, header.xid());
        sent.add(header.xid(), description);
        report.line(start + " call " + description + end);
    }

    /** What an RPC call asks for (RFC 5531 section 9), from its first bytes. */
    static String describeCall(ByteBuffer payload, int xid) {
        if (payload.remaining() < RPC_CALL_BYTES) {
            return "RPC-header-of-" + payload.remaining() + "-bytes";
        }
        int at = payload.position();
        String oddities = "";
        if (payload.getInt(at) != xid) {
            oddities += String.format(" payload-xid=0x%08x", payload.getInt(at));
        }
        if (payload.getInt(at + 4) != 0) {
            oddities += " message-type=" + Integer.toUnsignedString(payload.getInt(at + 4));
        }
        if (payload.getInt(at + 8) != 2) {
            oddities += " rpc-version=" + Integer.toUnsignedString(payload.getInt(at + 8));
        }
        String described = RpcPrograms.describe(
                Integer.toUnsignedLong(payload.getInt(at + 12)),
                Integer.toUnsignedLong(payload.getInt(at + 16)),
                Integer.toUnsignedLong(payload.getInt(at + 20)));
        return described + oddities;
    }

    private String start(String where) {
        return String.format("%s xid=0x%08x credits=%d %s", where, header.xid(), header.credits(), header.type());
    }

    private String errorText() {
        String version = header.version() == TransportHeader.VERSION ? "" : " version=" + header.version();
        if (header.errorCode() == TransportHeader.ERR_VERS) {
            return version + " ERR_VERS low=" + header.lowVersion() + " high=" + header.highVersion();
        }
        if (header.errorCode() == TransportHeader.ERR_CHUNK) {
            return version + " ERR_CHUNK";
        }
        return version + " error=" + header.errorCode();
    }

    private String end(long length) {
        StringBuilder text = new StringBuilder();
        appendReads(text, header.chunks());
        for (int i = 0; i < header.chunks().writeChunkCount(); i++) {
            appendChunk(text.append(" W"), header.chunks().writeChunk(i));
        }
        WriteChunk reply = header.chunks().replyChunk();
        if (reply != null) {
            appendChunk(text.append(" P"), reply);
        } else if (header.chunks().hasEmptyReplyChunk()) {
            text.append(" P[]");
        }
        if (header.type() == MessageType.RDMA_MSG) {
            text.append(" inline=").append(header.inlineLength());
        } else if (length > header.headerLength()) {
            text.append(" trailing=").append(length - header.headerLength());
        }
        return text.toString();
    }

    /** The Read list in wire order; neighbours of one position in one pair of brackets. */
    private static void appendReads(StringBuilder text, ChunkLists chunks) {
        int count = chunks.readSegmentCount();
        for (int i = 0; i < count; i++) {
            long position = chunks.readSegmentPosition(i);
            if (i == 0 || chunks.readSegmentPosition(i - 1) != position) {
                text.append(i == 0 ? "" : "]").append(" R@").append(position).append('[');
            } else {
                text.append(' ');
            }
            appendSegment(text, chunks.readSegmentHandle(i), chunks.readSegmentLength(i), chunks.readSegmentOffset(i));
        }
        text.append(count == 0 ? "" : "]");
    }

    private static void appendChunk(StringBuilder text, Chunk chunk) {
        text.append('[');
        for (int i = 0; i < chunk.segmentCount(); i++) {
            text.append(i == 0 ? "" : " ");
            appendSegment(text, chunk.handle(i), chunk.segmentLength(i), chunk.offset(i));
        }
        text.append(']');
    }

    private static void appendSegment(StringBuilder text, int handle, long length, long offset) {
        text.append(length).append(String.format("@0x%08x:0x%016x", handle, offset));
    }

    private void checkHeader(String where, MemorySegment bytes) {
        MemorySegment again = MemorySegment.ofArray(new byte[(int) header.headerLength()]);
        int length = encoder.reset(again, 0, again.byteSize()).encodeReceived(header);
        report.countCheckedHeader();
        if (length != header.headerLength()) {
            report.difference(
                    where + ": header of " + header.headerLength() + " bytes does not encode to the same length");
            return;
        }
        long at = again.mismatch(bytes.asSlice(0, length));
        if (at >= 0) {
            report.difference(where + ": header differs at byte " + at + " when encoded again");
        }
    }
}
