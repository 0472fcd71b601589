package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.FpduCrc;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * FPDUs that are framed and not yet all accepted by the connection below, as buffers for one gathering write.
 *
 * <h2>Operation</h2>
 *
 * {@link #beginTagged} or {@link #beginUntagged}, {@link #add} for each piece of the payload, {@link #end}; again while
 * {@link #hasRoom()}. Then {@link #buffers()} are written as they are, header, payload and trailer of each FPDU
 * together, and {@link #written} says which requests are done. Headers, trailers and short pieces lie in an arena of
 * the batch; long pieces are views of registered memory.
 *
 * <h2>Buffer ownership</h2>
 *
 * Views belong to the batch until they are written or it is cut. While a peer's key is {@linkplain #enterKeys()
 * entered}, the memory behind it may be read.
 *
 * <h2>Threading</h2>
 *
 * One owner. Batches are pooled: a connection holds one only while it has something to send.
 */
public final class TransmitBatch {

    /** Most FPDUs of a batch. */
    static final int FPDUS_MAX = 64;

    /**
     * A batch with this many bytes takes no more FPDUs: what is read for the CRC should still be in the cache when
     * sent.
     */
    static final int BYTES_ENOUGH = 512 << 10;

    /** Pieces up to this length are copied. */
    static final int COPY_MAX = 2048;

    /** Most pieces of a payload. */
    static final int PIECES_MAX = 64;

    private static final int ARENA_BYTES = 32 << 10;
    private static final int BUFFERS_MAX = 512;
    private static final int FRAMING_BYTES = DdpHeader.UNTAGGED_BYTES + 3 + Fpdu.CRC_BYTES;

    private final FpduCrc crc = new FpduCrc();
    private final ByteBuffer arena = ByteBuffer.allocateDirect(ARENA_BYTES);
    private final ByteBuffer[] arenaViews = new ByteBuffer[BUFFERS_MAX / 2];
    private final ByteBuffer[] buffers = new ByteBuffer[BUFFERS_MAX];
    private final @Nullable RegisteredMemory[] owners = new RegisteredMemory[BUFFERS_MAX];
    private final long[] ownerOffsets = new long[BUFFERS_MAX];
    private final long[] ends = new long[FPDUS_MAX];
    private final long[] numbers = new long[FPDUS_MAX];
    private final @Nullable RemoteKey[] keys = new RemoteKey[FPDUS_MAX];
    private final int[] keyStags = new int[FPDUS_MAX];
    private boolean crcOn;
    private int first;
    private int count;
    private int arenaViewCount;
    private int runStart;
    private int fpduFirst;
    private int fpduCount;
    private int keyCount;
    private long framed;
    private long accepted;
    private int headerAt;
    private boolean sealed;

    public TransmitBatch() {
        for (int i = 0; i < arenaViews.length; i++) {
            arenaViews[i] = arena.duplicate();
        }
    }

    /** Makes it ready for another batch; it must be empty. */
    void reset(boolean withCrc) {
        assert isEmpty();
        crcOn = withCrc;
        arena.clear();
        first = 0;
        count = 0;
        arenaViewCount = 0;
        runStart = 0;
        fpduFirst = 0;
        fpduCount = 0;
        keyCount = 0;
        framed = 0;
        accepted = 0;
    }

    /** Whether all of it is accepted. */
    public boolean isEmpty() {
        return accepted == framed;
    }

    /** Whether any FPDU more fits, and should. */
    boolean hasRoom() {
        return fpduCount < FPDUS_MAX
                && framed < BYTES_ENOUGH
                && arena.remaining() >= FRAMING_BYTES + COPY_MAX
                && count + 2 * PIECES_MAX + 1 < BUFFERS_MAX
                && arenaViewCount + PIECES_MAX + 1 < arenaViews.length;
    }

    /** Adds raw bytes: an MPA frame. */
    void addRaw(ByteBuffer bytes) {
        framed += bytes.remaining();
        arena.put(bytes);
        closeRun();
        ends[fpduCount] = framed;
        numbers[fpduCount++] = -1;
    }

    /** Starts a tagged FPDU. */
    void beginTagged(int opcode, boolean last, int stag, long taggedOffset, int payloadBytes) {
        headerAt = arena.position();
        DdpHeader.putTagged(arena, headerAt, opcode, last, stag, taggedOffset, payloadBytes);
        begun(DdpHeader.TAGGED_BYTES);
    }

    /** Starts an untagged FPDU. */
    void beginUntagged(
            int opcode, boolean last, int invalidateStag, int queue, int sequence, int offset, int payloadBytes) {
        headerAt = arena.position();
        DdpHeader.putUntagged(arena, headerAt, opcode, last, invalidateStag, queue, sequence, offset, payloadBytes);
        begun(DdpHeader.UNTAGGED_BYTES);
    }

    private void begun(int headerBytes) {
        arena.position(headerAt + headerBytes);
        framed += headerBytes;
        if (crcOn) {
            crc.reset();
            crc.update(arena, headerAt, headerBytes);
        }
    }

    /** Adds payload from registered memory. */
    void add(RegisteredMemory memory, long offset, int bytes) {
        ByteBuffer view = memory.acquireView(offset, bytes);
        if (crcOn) {
            int start = view.position();
            crc.update(view);
            view.position(start);
        }
        framed += bytes;
        if (bytes <= COPY_MAX && arena.remaining() >= bytes + FRAMING_BYTES) {
            arena.put(view);
            memory.releaseView(view, offset);
            return;
        }
        closeRun();
        buffers[count] = view;
        owners[count] = memory;
        ownerOffsets[count++] = offset;
    }

    /** Adds payload by copying; at most {@link #COPY_MAX} bytes in all. */
    void addCopy(ByteBuffer source, int offset, int bytes) {
        int at = arena.position();
        arena.put(at, source, offset, bytes);
        arena.position(at + bytes);
        framed += bytes;
        if (crcOn) {
            crc.update(arena, at, bytes);
        }
    }

    /** Room for payload that the caller writes in place: gives where in {@link #arena()}; see {@link #added}. */
    int reserve() {
        return arena.position();
    }

    ByteBuffer arena() {
        return arena;
    }

    /** The caller has written {@code bytes} at what {@link #reserve()} gave. */
    void added(int bytes) {
        int at = arena.position();
        arena.position(at + bytes);
        framed += bytes;
        if (crcOn) {
            crc.update(arena, at, bytes);
        }
    }

    /**
     * Ends the FPDU: pad and CRC.
     *
     * @param number the send-queue request that is done when this FPDU is accepted, or -1
     */
    void end(long number) {
        int at = arena.position();
        int pad = Fpdu.padBytes(Fpdu.ulpduLength(arena, headerAt));
        for (int i = 0; i < pad; i++) {
            arena.put((byte) 0);
        }
        if (crcOn) {
            crc.update(arena, at, pad);
            arena.putInt(crc.wireValue());
        } else {
            arena.putInt(0);
        }
        framed += pad + Fpdu.CRC_BYTES;
        ends[fpduCount] = framed;
        numbers[fpduCount++] = number;
        sealed = false;
    }

    private void closeRun() {
        int end = arena.position();
        if (end > runStart) {
            ByteBuffer run = arenaViews[arenaViewCount++];
            run.limit(end).position(runStart);
            owners[count] = null;
            buffers[count++] = run;
            runStart = end;
        }
    }

    /** No more FPDUs for now: the buffers are complete. */
    void seal() {
        closeRun();
        sealed = true;
    }

    /** Remembers that the FPDU under way reads memory through a peer's key, which is entered. */
    void guard(RemoteKey key) {
        keyStags[keyCount] = key.stag();
        keys[keyCount++] = key;
    }

    /** Leaves all keys that {@link #guard} and {@link #enterKeys} entered. */
    void exitKeys() {
        for (int i = 0; i < keyCount; i++) {
            RemoteKey key = keys[i];
            if (key != null) {
                key.exit();
            }
        }
    }

    /**
     * Enters the keys again to go on with a batch that was accepted in part.
     *
     * @return false, with none entered, if one has been revoked: then the bytes must not be sent
     */
    boolean enterKeys() {
        for (int i = 0; i < keyCount; i++) {
            RemoteKey key = keys[i];
            if (key != null && !key.tryEnter(keyStags[i])) {
                while (--i >= 0) {
                    RemoteKey entered = keys[i];
                    if (entered != null) {
                        entered.exit();
                    }
                }
                return false;
            }
        }
        return true;
    }

    /** What is to be written: from {@link #first()}, {@link #count()} of them. */
    public ByteBuffer[] buffers() {
        assert sealed;
        return buffers;
    }

    /** Index of the first buffer that is not empty. */
    public int first() {
        return first;
    }

    /** How many buffers are left. */
    public int count() {
        return count - first;
    }

    /** Bytes left. */
    public long remaining() {
        return framed - accepted;
    }

    /** {@code bytes} more were accepted: gives views back and reports finished requests. */
    void written(long bytes, SendRing ring, CompletionSink sink) {
        accepted += bytes;
        while (first < count && !buffers[first].hasRemaining()) {
            giveBack(first++);
        }
        while (fpduFirst < fpduCount && ends[fpduFirst] <= accepted) {
            long number = numbers[fpduFirst++];
            if (number >= 0) {
                ring.finish(number, sink);
            }
        }
        if (isEmpty()) {
            forgetKeys();
        }
    }

    private void giveBack(int index) {
        RegisteredMemory owner = owners[index];
        if (owner != null) {
            owner.releaseView(buffers[index], ownerOffsets[index]);
            owners[index] = null;
        }
    }

    private void forgetKeys() {
        while (keyCount > 0) {
            keys[--keyCount] = null;
        }
    }

    /**
     * Cuts the batch so that it no longer refers to registered memory: keeps the rest of an FPDU of which a part was
     * accepted, as a copy, and drops the FPDUs behind it.
     *
     * @return what is left to send before anything else, maybe nothing
     */
    ByteBuffer cut() {
        boolean inside = accepted > (fpduFirst == 0 ? 0 : ends[fpduFirst - 1]);
        int keep = inside ? (int) (ends[fpduFirst] - accepted) : 0;
        ByteBuffer rest = ByteBuffer.allocate(keep);
        for (int i = first; i < count; i++) {
            ByteBuffer buffer = buffers[i];
            if (rest.hasRemaining()) {
                buffer.limit(buffer.position() + Math.min(buffer.remaining(), rest.remaining()));
                rest.put(buffer);
            }
            giveBack(i);
        }
        clear();
        return rest.flip();
    }

    /** Drops everything. */
    void discard() {
        for (int i = first; i < count; i++) {
            giveBack(i);
        }
        clear();
    }

    private void clear() {
        forgetKeys();
        first = count;
        accepted = framed;
        reset(crcOn);
    }
}
