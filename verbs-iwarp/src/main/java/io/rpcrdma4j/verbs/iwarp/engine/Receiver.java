package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.FpduCrc;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import io.rpcrdma4j.verbs.iwarp.wire.Violation;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes the byte stream apart into FPDUs, checks them and puts their payload where it belongs.
 *
 * <h2>Operation</h2>
 *
 * {@link #prepareRead} names the buffers for the next read from the network, {@link #finishRead} says how many bytes
 * came. Bytes go to a staging buffer; an FPDU that is there as a whole is checked, then copied to its place. Of one
 * whose larger part is still to come, header and destination are checked at once and the rest is read straight into
 * place, followed by the trailer and the next header. The network may cut the stream anywhere.
 *
 * <h2>Buffer ownership</h2>
 *
 * The staging buffer is borrowed while bytes wait in it. Between prepare and finish the destination's key is entered,
 * so that {@link RemoteKey#isQuiet()} tells whether bytes may still land.
 *
 * <h2>Threading</h2>
 *
 * The stream's owner.
 *
 * <h2>Errors</h2>
 *
 * {@link #process} throws what the peer did wrong; the receiver is then of no more use.
 */
final class Receiver {

    /** With at least this much of a payload still to come, it is read straight into place. */
    static final int DIRECT_MIN = 16 << 10;

    /** While long payloads come, no more than this is read ahead, so that little is copied. */
    static final int BULK_WINDOW = 8 << 10;

    private final EngineBuffers buffers;
    private final Inbound inbound;
    private final Placement placement;
    private final boolean crcOn;
    private final FpduCrc crc = new FpduCrc();
    private final byte[] header = new byte[DdpHeader.UNTAGGED_BYTES];
    private final ByteBuffer headerView = ByteBuffer.wrap(header);

    private @Nullable StagingBuffer staging;
    private int headerBytes;
    private int directRemaining;
    private boolean isDirect;
    private int trailerBytes;
    private @Nullable RemoteKey directKey;
    private int directStag;
    private boolean isBulk;
    private int missing;
    private long fpdus;

    Receiver(EngineBuffers buffers, Inbound inbound, Placement placement, boolean crcOn) {
        this.buffers = buffers;
        this.inbound = inbound;
        this.placement = placement;
        this.crcOn = crcOn;
    }

    /** How many FPDUs were taken. */
    long fpdus() {
        return fpdus;
    }

    /** Whether an FPDU has begun and is not complete. */
    boolean isInsideFpdu() {
        return isDirect || (staging != null && staging.bytes.hasRemaining());
    }

    /** The header of the FPDU under way, without length field; empty if there is none. */
    byte[] ddpHeader() {
        return headerBytes == 0 ? new byte[0] : Arrays.copyOfRange(header, Fpdu.LENGTH_BYTES, headerBytes);
    }

    /** The body of the FPDU under way, if it is an RDMA Read Request and all of it is there; else empty. */
    byte[] readRequestBody() {
        StagingBuffer s = staging;
        int whole = DdpHeader.UNTAGGED_BYTES + ReadRequest.BYTES;
        if (s == null
                || headerBytes == 0
                || DdpHeader.opcode(headerView, 0) != RdmapOpcode.READ_REQUEST
                || s.bytes.remaining() < whole) {
            return new byte[0];
        }
        var body = new byte[ReadRequest.BYTES];
        s.bytes.get(s.bytes.position() + DdpHeader.UNTAGGED_BYTES, body);
        return body;
    }

    /** The ULPDU length of the FPDU under way. */
    int ulpduLength() {
        return Fpdu.ulpduLength(headerView, 0);
    }

    private StagingBuffer staging() {
        StagingBuffer s = staging;
        if (s == null) {
            s = buffers.takeStaging();
            staging = s;
        }
        return s;
    }

    /** Takes bytes that came with the last frame of the start-up. */
    void stage(ByteBuffer first) {
        StagingBuffer s = staging();
        s.bytes.limit(s.bytes.limit() + first.remaining());
        s.bytes.put(s.bytes.limit() - first.remaining(), first, first.position(), first.remaining());
        first.position(first.limit());
    }

    /**
     * Says where to read to.
     *
     * @param into room for {@link Placement#VIEWS_MAX} + 1
     * @return how many buffers; {@link #finishRead} must follow
     */
    int prepareRead(ByteBuffer[] into) throws IwarpException {
        StagingBuffer s = staging();
        int count = 0;
        int room;
        if (isDirect && directRemaining > 0) {
            RemoteKey key = directKey;
            if (key != null && !key.tryEnter(directStag)) {
                throw new IwarpException(
                        Violation.WRITE_STAG,
                        "key " + Admission.hex(directStag) + " was invalidated while the peer wrote to it");
            }
            count = lend(into, key);
            room = placement.lentBytes() < directRemaining ? 0 : trailerBytes + DdpHeader.UNTAGGED_BYTES;
            s.clear();
        } else {
            if (!s.bytes.hasRemaining()) {
                s.clear();
            } else if (s.bytes.position() > 0) {
                compact(s);
            }
            room = isBulk ? Math.max(BULK_WINDOW, missing) : StagingBuffer.BYTES;
        }
        if (room > 0) {
            int limit = s.bytes.limit();
            s.in.limit(Math.min(StagingBuffer.BYTES, limit + room)).position(limit);
            into[count++] = s.in;
        }
        return count;
    }

    private int lend(ByteBuffer[] into, @Nullable RemoteKey entered) {
        boolean isDone = false;
        try {
            int count = placement.lend(into, directRemaining);
            isDone = true;
            return count;
        } finally {
            // Memory that was freed under us throws; the key must become quiet all the same.
            if (!isDone && entered != null) {
                entered.exit();
            }
        }
    }

    private static void compact(StagingBuffer s) {
        int bytes = s.bytes.remaining();
        s.bytes.compact().flip();
        assert s.bytes.limit() == bytes;
    }

    /** {@code bytes} bytes came, 0 or more, in order into the buffers that were named. */
    void finishRead(int bytes) {
        int left = bytes;
        if (isDirect && directRemaining > 0) {
            try {
                int placed = placement.placed(crcOn ? crc : null);
                directRemaining -= placed;
                left -= placed;
            } finally {
                RemoteKey key = directKey;
                if (key != null) {
                    key.exit();
                }
            }
        }
        ByteBuffer staged = staging().bytes;
        staged.limit(staged.limit() + left);
    }

    /** Gives the staging buffer back if nothing waits in it. */
    void rest() {
        StagingBuffer s = staging;
        if (s != null && !s.bytes.hasRemaining()) {
            s.clear();
            staging = null;
            buffers.giveStaging(s);
        }
    }

    /** Forgets what waits. */
    void discard() {
        isDirect = false;
        directRemaining = 0;
        if (staging != null) {
            staging.clear();
        }
        rest();
    }

    /** Takes all FPDUs that are complete. */
    void process() throws IwarpException {
        while (!inbound.isTerminated() && (isDirect ? finishDirect() : next())) {
            headerBytes = 0;
        }
    }

    private boolean finishDirect() throws IwarpException {
        ByteBuffer staged = staging().bytes;
        if (directRemaining > 0 || staged.remaining() < trailerBytes) {
            return false;
        }
        int at = staged.position();
        int pad = trailerBytes - Fpdu.CRC_BYTES;
        if (crcOn) {
            crc.update(staged, at, pad);
            checkCrc(staged, at + pad);
        }
        staged.position(at + trailerBytes);
        isDirect = false;
        directKey = null;
        fpdus++;
        inbound.placed(headerView);
        return true;
    }

    private void checkCrc(ByteBuffer staged, int at) throws IwarpException {
        if (staged.getInt(at) != crc.wireValue()) {
            throw new IwarpException(
                    Violation.CRC,
                    String.format(
                            "CRC of an FPDU is 0x%08x, not 0x%08x",
                            Integer.reverseBytes(staged.getInt(at)), Integer.reverseBytes(crc.wireValue())));
        }
    }

    private boolean next() throws IwarpException {
        ByteBuffer staged = staging().bytes;
        int available = staged.remaining();
        missing = 0;
        if (available < 4) {
            return false;
        }
        int at = staged.position();
        int ulpduLength = Fpdu.ulpduLength(staged, at);
        int total = Fpdu.totalBytes(ulpduLength);
        if (available >= total && crcOn) {
            crc.reset();
            crc.update(staged, at, total - Fpdu.CRC_BYTES);
            checkCrc(staged, at + total - Fpdu.CRC_BYTES);
        }
        int headerLength = checkControl(staged, at, ulpduLength);
        if (available < headerLength) {
            return false;
        }
        staged.get(at, header, 0, headerLength);
        headerBytes = headerLength;
        int payload = ulpduLength + Fpdu.LENGTH_BYTES - headerLength;
        if (available >= total) {
            fpdus++;
            isBulk = payload >= DIRECT_MIN || (isBulk && (payload == 0 || DdpHeader.isLast(headerView, 0)));
            takeStaged(staged, at, headerLength, payload, total);
            return true;
        }
        missing = total - available;
        if (payload - (available - headerLength) < DIRECT_MIN || isBounded(DdpHeader.opcode(staged, at))) {
            inbound.checkBounded(headerView, payload);
            return false;
        }
        return startDirect(staged, at, headerLength, payload, total);
    }

    private static boolean isBounded(int opcode) {
        return opcode == RdmapOpcode.READ_REQUEST || opcode == RdmapOpcode.TERMINATE;
    }

    /** Checks versions, opcode, T bit and length: what can be known from the first four bytes. */
    private int checkControl(ByteBuffer staged, int at, int ulpduLength) throws IwarpException {
        boolean tagged = DdpHeader.isTagged(staged, at);
        int opcode = DdpHeader.opcode(staged, at);
        if (ulpduLength < 2) {
            throw new IwarpException(Violation.FPDU_TOO_SHORT, "ULPDU of " + ulpduLength + " bytes has no header");
        }
        if (DdpHeader.ddpVersion(staged, at) != 1) {
            throw new IwarpException(
                    tagged ? Violation.DDP_VERSION_TAGGED : Violation.DDP_VERSION_UNTAGGED,
                    "DDP version " + DdpHeader.ddpVersion(staged, at));
        }
        if (DdpHeader.rdmapVersion(staged, at) != 1) {
            throw new IwarpException(Violation.RDMAP_VERSION, "RDMAP version " + DdpHeader.rdmapVersion(staged, at));
        }
        if (!RdmapOpcode.isKnown(opcode) || RdmapOpcode.isTagged(opcode) != tagged) {
            throw new IwarpException(
                    Violation.UNEXPECTED_OPCODE,
                    RdmapOpcode.name(opcode) + " in " + (tagged ? "a tagged" : "an untagged") + " segment");
        }
        int headerLength = tagged ? DdpHeader.TAGGED_BYTES : DdpHeader.UNTAGGED_BYTES;
        if (ulpduLength + Fpdu.LENGTH_BYTES < headerLength) {
            throw new IwarpException(
                    Violation.FPDU_TOO_SHORT,
                    RdmapOpcode.name(opcode) + " with an ULPDU of " + ulpduLength + " bytes, shorter than its header");
        }
        return headerLength;
    }

    private void takeStaged(ByteBuffer staged, int at, int headerLength, int payload, int total) throws IwarpException {
        RemoteKey key = inbound.admit(headerView, staged, at + headerLength, payload);
        try {
            if (payload > 0 && inbound.isPlaced()) {
                placement.copy(staged, at + headerLength, payload);
            }
        } finally {
            if (key != null) {
                key.exit();
            }
        }
        staged.position(at + total);
        inbound.placed(headerView);
    }

    private boolean startDirect(ByteBuffer staged, int at, int headerLength, int payload, int total)
            throws IwarpException {
        RemoteKey key;
        try {
            key = inbound.admit(headerView, staged, at + headerLength, payload);
        } catch (IwarpException e) {
            if (crcOn) {
                // Perhaps the header is what was damaged: the CRC, when it comes, knows better.
                return false;
            }
            throw e;
        }
        int there = staged.remaining() - headerLength;
        directKey = key;
        directStag = key == null ? 0 : key.stag();
        try {
            placement.copy(staged, at + headerLength, there);
        } finally {
            if (key != null) {
                key.exit();
            }
        }
        if (crcOn) {
            crc.reset();
            crc.update(staged, at, headerLength + there);
        }
        staged.position(staged.limit());
        isDirect = true;
        isBulk = true;
        directRemaining = payload - there;
        trailerBytes = total - headerLength - payload;
        return false;
    }
}
