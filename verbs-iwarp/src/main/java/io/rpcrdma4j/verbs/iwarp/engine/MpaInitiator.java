package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.iwarp.wire.EnhancedData;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.MpaFrame;
import io.rpcrdma4j.verbs.iwarp.wire.Terminate;
import io.rpcrdma4j.verbs.iwarp.wire.Violation;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The active end of the MPA start-up (RFC 5044 section 7.1, RFC 6581 section 9): sends a request of revision 2, and
 * judges the reply. <b>Threading:</b> one owner.
 */
public final class MpaInitiator {

    /** How it ended. */
    public sealed interface Outcome {

        /**
         * The peer accepted.
         *
         * @param crc whether CRCs are made and checked
         * @param inboundReads Reads of the peer that we serve at a time
         * @param outboundReads Reads of ours in flight at a time
         * @param isReadLimitKnown whether the peer told how many Reads it serves
         * @param privateData the peer's
         */
        @SuppressWarnings("ArrayRecordComponent") // compared by nobody
        record Accepted(boolean crc, int inboundReads, int outboundReads, boolean isReadLimitKnown, byte[] privateData)
                implements Outcome {}

        /**
         * The peer refused.
         *
         * @param privateData the peer's
         */
        @SuppressWarnings("ArrayRecordComponent") // compared by nobody
        record Rejected(byte[] privateData) implements Outcome {}
    }

    private final boolean crc;
    private final int inboundReads;
    private final int outboundReads;
    private final byte[] privateData;

    /**
     * @param crc whether we ask for CRCs
     * @param inboundReads Reads of the peer that we serve at a time
     * @param outboundReads Reads of ours that we want in flight
     * @param privateData the upper layer's, at most 508 bytes
     */
    public MpaInitiator(boolean crc, int inboundReads, int outboundReads, byte[] privateData) {
        this.crc = crc;
        this.inboundReads = inboundReads;
        this.outboundReads = outboundReads;
        this.privateData = privateData;
    }

    /** The request to send. */
    public ByteBuffer request() {
        var enhanced = new EnhancedData(inboundReads, outboundReads);
        var frame = new MpaFrame(MpaFrame.Kind.REQUEST, false, crc, false, 2, Optional.of(enhanced), privateData);
        ByteBuffer bytes = ByteBuffer.allocate(frame.encodedLength());
        frame.writeTo(bytes);
        return bytes.flip();
    }

    /**
     * What the peer is told when its reply can't be accepted although it is one (RFC 6581 section 9.5): a Terminate, or
     * nothing.
     */
    public ByteBuffer farewell(IwarpException why) {
        return why.violation() == Violation.MPA_INSUFFICIENT_IRD
                ? Farewell.after(
                        ByteBuffer.allocate(0), Terminate.of(why.violation().terminateCode()), crc)
                : ByteBuffer.allocate(0);
    }

    /**
     * Judges the reply.
     *
     * @param in what has come so far; the reply is taken off it when it is whole
     * @return null if more bytes are needed
     * @throws IwarpException if the peer broke the protocol
     */
    public @Nullable Outcome onBytes(ByteBuffer in) throws IwarpException {
        MpaFrame reply = MpaFrame.parse(MpaFrame.Kind.REPLY, in);
        if (reply == null) {
            return null;
        }
        if (reply.rejected()) {
            return new Outcome.Rejected(reply.privateData());
        }
        if (reply.markers()) {
            throw new IwarpException(Violation.MPA_MARKERS, "the peer demands MPA markers, which are not supported");
        }
        if (reply.enhanced().isEmpty()) {
            throw new IwarpException(
                    Violation.MPA_ENHANCED_DATA,
                    "the peer answered an enhanced request without enhanced data (revision " + reply.revision() + ")");
        }
        EnhancedData enhanced = reply.enhanced().get();
        boolean isKnown = enhanced.inboundReads() != EnhancedData.NOT_NEGOTIATED;
        if (enhanced.outboundReads() > inboundReads && enhanced.outboundReads() != EnhancedData.NOT_NEGOTIATED) {
            throw new IwarpException(
                    Violation.MPA_INSUFFICIENT_IRD,
                    "the peer wants " + enhanced.outboundReads() + " RDMA Reads at a time, more than the "
                            + inboundReads + " offered");
        }
        // An unknown limit is taken as 1.
        int served = isKnown ? enhanced.inboundReads() : 1;
        return new Outcome.Accepted(
                crc || reply.crc(), inboundReads, Math.min(outboundReads, served), isKnown, reply.privateData());
    }
}
