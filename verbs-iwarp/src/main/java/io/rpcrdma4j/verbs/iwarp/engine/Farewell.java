package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.FpduCrc;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import io.rpcrdma4j.verbs.iwarp.wire.Terminate;
import io.rpcrdma4j.verbs.iwarp.wire.TerminateCode;
import io.rpcrdma4j.verbs.iwarp.wire.Violation;
import java.nio.ByteBuffer;

/** Makes the Terminate that ends a stream (RFC 5040 section 4.8). */
final class Farewell {

    private static final int LAYER_RDMAP = 0;
    private static final int LAYER_MPA = 2;
    private static final byte[] NONE = {};

    private Farewell() {}

    /** For what is wrong with the FPDU that is being received: it is told, unless the fault lies below DDP. */
    static Terminate forReceived(Violation violation, Receiver receiver) {
        TerminateCode code = violation.terminateCode();
        byte[] header = receiver.ddpHeader();
        if (code.layer() == LAYER_MPA || header.length == 0) {
            return Terminate.of(code);
        }
        byte[] body = code.layer() == LAYER_RDMAP ? receiver.readRequestBody() : NONE;
        return Terminate.of(code, receiver.ulpduLength(), header, body);
    }

    /** For what is wrong with the Read that is being answered: what is left of it is told. */
    static Terminate forResponse(Violation violation, InboundReads reads) {
        ByteBuffer header = ByteBuffer.allocate(DdpHeader.UNTAGGED_BYTES);
        DdpHeader.putUntagged(
                header,
                0,
                RdmapOpcode.READ_REQUEST,
                true,
                0,
                DdpHeader.QUEUE_READ_REQUEST,
                reads.messageSequenceNumber(),
                0,
                ReadRequest.BYTES);
        var bytes = new byte[DdpHeader.UNTAGGED_BYTES - Fpdu.LENGTH_BYTES];
        header.get(Fpdu.LENGTH_BYTES, bytes);
        return Terminate.of(violation.terminateCode(), Fpdu.ulpduLength(header, 0), bytes, reads.rest());
    }

    /** The last bytes of a stream: the rest of an FPDU that is half sent, then the Terminate. */
    static ByteBuffer after(ByteBuffer rest, Terminate terminate, boolean crc) {
        ByteBuffer body = ByteBuffer.allocate(terminate.encodedLength());
        terminate.writeTo(body);
        var header = new DdpHeader.Untagged(RdmapOpcode.TERMINATE, true, 0, DdpHeader.QUEUE_TERMINATE, 1, 0);
        var fpdu = new Fpdu(header, body.flip(), 0);
        ByteBuffer all = ByteBuffer.allocateDirect(rest.remaining() + fpdu.encodedLength());
        all.put(rest);
        int at = all.position();
        fpdu.writeTo(all);
        if (crc) {
            int end = all.position() - Fpdu.CRC_BYTES;
            all.putInt(end, FpduCrc.of(all.duplicate().limit(end).position(at)));
        }
        return all.flip();
    }
}
