package io.rpcrdma4j.verbs.iwarp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import io.rpcrdma4j.verbs.iwarp.wire.Terminate;
import io.rpcrdma4j.verbs.iwarp.wire.TerminateCode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A stream under test, with the network, the clock and the application in the hands of the test. What the peer sends is
 * given as FPDUs or raw bytes, what we send is taken apart into FPDUs, whose CRCs are checked.
 */
final class Script implements CompletionSink, EngineBuffers {

    /** A reported completion. */
    record Done(
            Opcode opcode,
            long id,
            CompletionStatus status,
            int bytes,
            int key,
            int entries,
            @Nullable String detail) {}

    static final int DEPTH = 64;

    final TestDomain domain = new TestDomain();
    private final SplittableRandom random = new SplittableRandom(5040);
    final KeyTable keys = new KeyTable(random::nextInt);
    final SendRing ring;
    final ReceiveRing receives;
    final Stream stream;
    final ArrayDeque<Done> completions = new ArrayDeque<>();
    private final ByteBuffer[] readBuffers = new ByteBuffer[Stream.READ_BUFFERS_MAX];
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private boolean crc = true;
    private long now = 1_000_000_000L;
    private int cut = Integer.MAX_VALUE;
    private int writeMax = Integer.MAX_VALUE;
    private int sendSequence = 1;
    private int readSequence = 1;
    private int buffersOut;

    Script() {
        this(false);
    }

    Script(boolean allSignaled) {
        ring = new SendRing(DEPTH, 16, 4, 64, allSignaled);
        receives = new ReceiveRing(DEPTH, 16);
        stream = new Stream(ring, receives, false, domain, keys, this, this);
    }

    // ---- set-up

    /** An initiator with CRC, IRD and ORD 4 and FPDUs of at most {@code ulpduBytesMax}. */
    static Script initiator(int ulpduBytesMax) {
        var script = new Script();
        script.open(new StreamSettings(true, true, 4, 4, ulpduBytesMax));
        return script;
    }

    static Script initiator() {
        return initiator(1442);
    }

    static Script initiatorWithoutCrc() {
        var script = new Script();
        script.open(new StreamSettings(true, false, 4, 4, 1442));
        return script;
    }

    static Script responder() {
        var script = new Script();
        script.open(new StreamSettings(false, true, 4, 4, 1442));
        return script;
    }

    Script open(StreamSettings settings) {
        crc = settings.crc();
        stream.open(settings, ByteBuffer.allocate(0), ByteBuffer.allocate(0), now);
        return this;
    }

    /** From now on the network delivers at most so many bytes at a time. */
    Script cutInto(int bytes) {
        cut = bytes;
        return this;
    }

    /** From now on the network takes at most so many bytes at a time, once a write. */
    Script takes(int bytes) {
        writeMax = bytes;
        return this;
    }

    RemoteKey expose(TestDomain.Memory memory, long offset, long length, int rights) {
        var key = new RemoteKey(true);
        key.describe(memory, domain, stream, offset, length, rights);
        assertThat(keys.insert(key)).isTrue();
        return key;
    }

    // ---- the application

    void post(SendRequest request) {
        assertThat(ring.post(request)).as("refused: %s", request.postStatus()).isNull();
        stream.flushPosted();
    }

    void receive(long id, TestDomain.Memory memory, long offset, int length) {
        var request = new ReceiveRequest(1).identity(id, null).segment(memory, offset, length);
        assertThat(receives.post(request)).isNull();
        stream.flushPosted();
    }

    // ---- the peer

    static DdpHeader.Untagged sendHeader(int sequence, int offset, boolean last) {
        return new DdpHeader.Untagged(RdmapOpcode.SEND, last, 0, 0, sequence, offset);
    }

    /** A whole Send of the peer, with the next number. */
    Script peerSends(byte[] message) {
        return peerSends(new DdpHeader.Untagged(RdmapOpcode.SEND, true, 0, 0, sendSequence++, 0), message);
    }

    Script peerInvalidates(int stag, byte[] message) {
        return peerSends(
                new DdpHeader.Untagged(RdmapOpcode.SEND_WITH_INVALIDATE, true, stag, 0, sendSequence++, 0), message);
    }

    Script peerWrites(int stag, long offset, byte[] bytes) {
        return peerSends(new DdpHeader.Tagged(RdmapOpcode.WRITE, true, stag, offset), bytes);
    }

    Script peerResponds(int stag, long offset, byte[] bytes, boolean last) {
        return peerSends(new DdpHeader.Tagged(RdmapOpcode.READ_RESPONSE, last, stag, offset), bytes);
    }

    Script peerReads(ReadRequest request) {
        ByteBuffer body = ByteBuffer.allocate(ReadRequest.BYTES);
        request.writeTo(body);
        return peerSends(new DdpHeader.Untagged(RdmapOpcode.READ_REQUEST, true, 0, 1, readSequence++, 0), body.array());
    }

    Script peerTerminates(String hex) {
        return peerSends(
                new DdpHeader.Untagged(RdmapOpcode.TERMINATE, true, 0, 2, 1, 0),
                HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    Script peerSends(DdpHeader header, byte[] payload) {
        return peerSendsRaw(bytes(header, payload));
    }

    /** The FPDU, with a right CRC or, if off, none. */
    byte[] bytes(DdpHeader header, byte[] payload) {
        Fpdu fpdu = new Fpdu(header, ByteBuffer.wrap(payload), 0);
        ByteBuffer out = ByteBuffer.allocate(fpdu.encodedLength());
        (crc ? fpdu.withCrc() : fpdu).writeTo(out);
        return out.array();
    }

    Script peerSendsRaw(byte[] bytes) {
        int at = 0;
        while (at < bytes.length) {
            int count = stream.prepareRead(readBuffers, now);
            if (count == 0) {
                return this;
            }
            int moved = 0;
            try {
                moved = deliver(bytes, at, count);
            } finally {
                stream.finishRead(moved, now);
            }
            at += moved;
        }
        return this;
    }

    private int deliver(byte[] bytes, int at, int count) {
        int left = Math.min(cut, bytes.length - at);
        int moved = 0;
        for (int i = 0; i < count && left > 0; i++) {
            int piece = Math.min(left, readBuffers[i].remaining());
            readBuffers[i].put(bytes, at + moved, piece);
            moved += piece;
            left -= piece;
        }
        return moved;
    }

    void peerCloses() {
        if (stream.prepareRead(readBuffers, now) > 0) {
            stream.finishRead(-1, now);
        }
    }

    void passes(Duration time) {
        now += time.toNanos();
        if (now >= stream.nextDeadline()) {
            stream.onTimeout(now);
        }
    }

    // ---- what we send

    /** Lets one write happen; gives how many bytes the network took, or -1 if there was nothing to write. */
    int writeOnce() {
        if (!stream.prepareWrite(now)) {
            return -1;
        }
        int left = writeMax;
        int moved = 0;
        ByteBuffer[] buffers = stream.writeBuffers();
        for (int i = stream.writeFirst(); i < stream.writeFirst() + stream.writeCount() && left > 0; i++) {
            int piece = Math.min(left, buffers[i].remaining());
            var copy = new byte[piece];
            buffers[i].get(copy);
            sent.writeBytes(copy);
            moved += piece;
            left -= piece;
        }
        stream.finishWrite(moved, now);
        return moved;
    }

    /** Lets us write until there is nothing more. */
    byte[] drain() {
        for (int i = 0; i < 1_000_000 && writeOnce() >= 0; i++) {
            // The loop's end is what counts.
        }
        byte[] all = sent.toByteArray();
        sent.reset();
        return all;
    }

    /** Lets us write, and takes it apart. */
    List<Fpdu> sends() throws IwarpException {
        ByteBuffer all = ByteBuffer.wrap(drain());
        var fpdus = new ArrayList<Fpdu>();
        while (all.hasRemaining()) {
            Fpdu fpdu = Objects.requireNonNull(Fpdu.parse(all), "half an FPDU was sent");
            assertThat(fpdu.crc()).as("CRC").isEqualTo(crc ? fpdu.expectedCrc() : 0);
            fpdus.add(fpdu);
        }
        return fpdus;
    }

    void expectNothingSent() throws IwarpException {
        assertThat(sends()).isEmpty();
    }

    Fpdu expectOne() throws IwarpException {
        List<Fpdu> all = sends();
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    /** We end the stream with this error, and tell why. */
    Terminate expectTerminate(TerminateCode code) throws IwarpException {
        List<Fpdu> all = sends();
        assertThat(all).as("FPDUs, the last a Terminate").isNotEmpty();
        Fpdu last = all.getLast();
        assertThat(last.header())
                .isEqualTo(new DdpHeader.Untagged(RdmapOpcode.TERMINATE, true, 0, DdpHeader.QUEUE_TERMINATE, 1, 0));
        Terminate terminate = Terminate.parse(last.payload());
        assertThat(terminate.knownCode()).isEqualTo(code);
        assertThat(stream.isFailed()).isTrue();
        assertThat(stream.isOrderly()).isFalse();
        assertThat(stream.wantsShutdown()).isTrue();
        return terminate;
    }

    static byte[] payload(Fpdu fpdu) {
        var bytes = new byte[fpdu.payload().remaining()];
        fpdu.payload().get(fpdu.payload().position(), bytes);
        return bytes;
    }

    // ---- what is reported

    Done expectCompletion(Opcode opcode, long id, CompletionStatus status) {
        Done done = completions.poll();
        assertThat(done).as("a completion").isNotNull();
        Done found = Objects.requireNonNull(done);
        assertThat(found.opcode()).as(found.toString()).isEqualTo(opcode);
        assertThat(found.id()).as(found.toString()).isEqualTo(id);
        assertThat(found.status()).as(found.toString()).isEqualTo(status);
        return found;
    }

    void expectNoCompletion() {
        assertThat(completions).isEmpty();
    }

    String reason() {
        return String.valueOf(stream.reason());
    }

    @Override
    public void sendCompleted(
            SendRequest request, CompletionStatus status, int bytes, int entries, @Nullable String detail) {
        completions.add(new Done(request.opcode(), request.id(), status, bytes, 0, entries, detail));
    }

    @Override
    public void receiveCompleted(
            ReceiveRequest request,
            CompletionStatus status,
            int bytes,
            boolean isInvalidated,
            int invalidatedKey,
            @Nullable String detail) {
        completions.add(new Done(Opcode.RECEIVE, request.id(), status, bytes, invalidatedKey, 0, detail));
    }

    // ---- buffers

    /** Buffers that the stream holds now. */
    int buffersOut() {
        return buffersOut;
    }

    @Override
    public StagingBuffer takeStaging() {
        buffersOut++;
        return new StagingBuffer();
    }

    @Override
    public void giveStaging(StagingBuffer staging) {
        buffersOut--;
    }

    @Override
    public TransmitBatch takeBatch() {
        buffersOut++;
        return new TransmitBatch();
    }

    @Override
    public void giveBatch(TransmitBatch batch) {
        assertThat(batch.isEmpty()).isTrue();
        buffersOut--;
    }

    /** Some bytes, the same for the same arguments. */
    static byte[] pattern(int length, long seed) {
        var bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }
}
