package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.iwarp.wire.EnhancedData;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.MpaFrame;
import io.rpcrdma4j.verbs.iwarp.wire.Violation;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The passive end of the MPA start-up (RFC 5044 section 7.1, RFC 6581 section 9): takes a request of revision 1 or 2
 * and answers in kind. <b>Threading:</b> one owner.
 */
public final class MpaResponder {

    /** Reads of the peer when it tells no limit. */
    private static final int READS_UNKNOWN = 1;

    /**
     * What both ends agreed on.
     *
     * @param reply to be sent before all else
     * @param crc whether CRCs are made and checked
     * @param inboundReads Reads of the peer that we serve at a time
     * @param outboundReads Reads of ours in flight at a time
     * @param rtrSend whether the peer starts with a zero-length Send that takes no Receive
     */
    public record Accepted(ByteBuffer reply, boolean crc, int inboundReads, int outboundReads, boolean rtrSend) {}

    private final MpaFrame request;

    private MpaResponder(MpaFrame request) {
        this.request = request;
    }

    /**
     * Takes the request.
     *
     * @param in what has come so far
     * @return null if more bytes are needed
     * @throws IwarpException if this is no request, or bytes come behind it: the initiator has to wait for the reply
     */
    public static @Nullable MpaResponder onBytes(ByteBuffer in) throws IwarpException {
        MpaFrame frame = MpaFrame.parse(MpaFrame.Kind.REQUEST, in);
        if (frame == null) {
            return null;
        }
        if (in.hasRemaining()) {
            throw new IwarpException(
                    Violation.MPA_EARLY_DATA, in.remaining() + " bytes behind the MPA request, before the reply");
        }
        return new MpaResponder(frame);
    }

    /** Whether the peer demands markers: then all that can be done is {@link #reject}. */
    public boolean wantsMarkers() {
        return request.markers();
    }

    /** The MPA revision of the request, and so of the reply. */
    public int revision() {
        return request.revision();
    }

    /** The upper layer's private data. */
    public byte[] privateData() {
        return request.privateData();
    }

    /** Whether the peer told how many Reads it serves. */
    public boolean isReadLimitKnown() {
        return request.enhanced()
                .map(data -> data.inboundReads() != EnhancedData.NOT_NEGOTIATED)
                .orElse(false);
    }

    /** Reads that the peer serves at a time; 1 if it does not tell. */
    public int peerInboundReads() {
        return isReadLimitKnown() ? request.enhanced().orElseThrow().inboundReads() : READS_UNKNOWN;
    }

    /** Reads that the peer wants in flight; 1 if it does not tell. */
    public int peerOutboundReads() {
        return isPeerOutboundReadsKnown() ? request.enhanced().orElseThrow().outboundReads() : READS_UNKNOWN;
    }

    private boolean isPeerOutboundReadsKnown() {
        return request.enhanced()
                .map(data -> data.outboundReads() != EnhancedData.NOT_NEGOTIATED)
                .orElse(false);
    }

    /**
     * Accepts.
     *
     * @param crc whether we ask for CRCs
     * @param offeredInbound Reads of the peer that we are ready to serve
     * @param wantedOutbound Reads of ours that we want in flight
     * @param privateData the upper layer's
     */
    public Accepted accept(boolean crc, int offeredInbound, int wantedOutbound, byte[] privateData) {
        boolean withCrc = crc || request.crc();
        int inbound = isPeerOutboundReadsKnown() ? Math.min(offeredInbound, peerOutboundReads()) : offeredInbound;
        int outbound = Math.min(wantedOutbound, peerInboundReads());
        int rtr = readyToReceive();
        if ((rtr & EnhancedData.RTR_READ) != 0) {
            inbound = Math.max(1, inbound);
        }
        int told = inbound;
        Optional<EnhancedData> enhanced = request.enhanced().map(data -> new EnhancedData(told, outbound, rtr));
        var frame = new MpaFrame(MpaFrame.Kind.REPLY, false, withCrc, false, request.revision(), enhanced, privateData);
        return new Accepted(bytes(frame), withCrc, inbound, outbound, (rtr & EnhancedData.RTR_SEND) != 0);
    }

    /** RFC 6581 §9.2: a request for a peer-to-peer start is answered with the one message that is to come first. */
    private int readyToReceive() {
        EnhancedData data = request.enhanced().orElse(null);
        if (data == null || !data.has(EnhancedData.PEER_TO_PEER)) {
            return 0;
        }
        if (data.has(EnhancedData.RTR_WRITE)) {
            return EnhancedData.PEER_TO_PEER | EnhancedData.RTR_WRITE;
        }
        if (data.has(EnhancedData.RTR_READ)) {
            return EnhancedData.PEER_TO_PEER | EnhancedData.RTR_READ;
        }
        // With none offered, a Write is proposed, as siw does: the initiator ends it if it can't.
        return EnhancedData.PEER_TO_PEER
                | (data.has(EnhancedData.RTR_SEND) ? EnhancedData.RTR_SEND : EnhancedData.RTR_WRITE);
    }

    /** The reply that refuses. */
    public ByteBuffer reject(byte[] privateData) {
        Optional<EnhancedData> enhanced =
                request.enhanced().map(data -> new EnhancedData(data.outboundReads(), data.inboundReads()));
        return bytes(new MpaFrame(
                MpaFrame.Kind.REPLY, false, request.crc(), true, request.revision(), enhanced, privateData));
    }

    private static ByteBuffer bytes(MpaFrame frame) {
        ByteBuffer bytes = ByteBuffer.allocate(frame.encodedLength());
        frame.writeTo(bytes);
        return bytes.flip();
    }
}
