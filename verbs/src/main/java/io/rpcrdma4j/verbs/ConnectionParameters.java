package io.rpcrdma4j.verbs;

import java.util.HexFormat;

/**
 * What the two ends tell each other when they connect. Given by us, it is our wish; given by an event, it is what
 * holds, seen from our side.
 *
 * @param inboundReads RDMA Reads of the peer that we serve at a time (IRD, {@code responder_resources})
 * @param outboundReads RDMA Reads of ours in flight at a time (ORD, {@code initiator_depth})
 * @param privateData the upper layer's private data; treated as immutable
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; copying it would only hide its small size
public record ConnectionParameters(int inboundReads, int outboundReads, byte[] privateData) {

    public ConnectionParameters {
        if (inboundReads < 0 || outboundReads < 0) {
            throw new IllegalArgumentException(
                    "read limits are not negative: inbound " + inboundReads + ", outbound " + outboundReads);
        }
    }

    @Override
    public String toString() {
        return "inboundReads " + inboundReads + ", outboundReads " + outboundReads + ", privateData "
                + HexFormat.of().formatHex(privateData);
    }
}
