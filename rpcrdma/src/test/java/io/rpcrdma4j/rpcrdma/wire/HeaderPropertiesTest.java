package io.rpcrdma4j.rpcrdma.wire;

import static io.rpcrdma4j.rpcrdma.wire.Messages.bytes;
import static io.rpcrdma4j.rpcrdma.wire.Messages.filled;
import static io.rpcrdma4j.rpcrdma.wire.Messages.words;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every header: random ones, shortened ones, corrupted ones. */
class HeaderPropertiesTest {
    private static final int ROOM = 8192;

    /** All three lists, two data chunks (one of two segments), a body of 60 bytes. */
    private static final byte[] RICH = Messages.join(
            words(0x11223344, 1, 128, 0),
            words(1, 40, 0x501, 8, 0x11223344, 0x1000, 1, 40, 0x502, 1, 0x11223344, 0x2000),
            words(1, 56, 0x503, 5, 0x11223344, 0x3000, 0),
            words(1, 2, 0x601, 4096, 0x11223344, 0x4000, 0x602, 4, 0x11223344, 0x5000, 1, 0, 0),
            words(1, 1, 0x701, 65536, 0x11223344, 0x6000),
            words(0x11223344, 0, 2, 100003, 3, 7, 0, 0, 0, 0, 9, 5, 0, 0, 0));

    private final TransportHeader header = new TransportHeader();
    private final HeaderEncoder encoder = new HeaderEncoder();

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpcrdma.wire.Messages#seeds")
    void whatIsEncodedAsACallIsParsedAgain(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ChunkLists lists = new ChunkLists();
        for (int round = 0; round < 20; round++) {
            int xid = random.nextInt();
            long credits = random.nextLong(1L << 32);
            fill(random, lists);
            boolean isLong = lists.callChunk() != null;
            MessageType type = isLong ? MessageType.RDMA_NOMSG : MessageType.RDMA_MSG;
            MemorySegment message = filled(ROOM);
            int length = encoder.reset(message, 0, ROOM).encodeCall(xid, credits, type, lists);
            assertThat(length).isEqualTo((int) HeaderEncoder.callLength(lists));
            int inline = isLong ? 0 : 2000;
            message.set(ValueLayout.JAVA_INT_UNALIGNED, length, Integer.reverseBytes(xid));

            CallOutcome outcome = header.parseCall(message, length + inline, HeaderLimits.NONE);
            assertThat(outcome).as(header.faultText()).isEqualTo(CallOutcome.ACCEPT);
            assertThat(header.xid()).isEqualTo(xid);
            assertThat(header.credits()).isEqualTo(credits);
            assertThat(header.headerLength()).isEqualTo(length);
            assertThat(header.inlineLength()).isEqualTo(inline);
            sameLists(header.chunks(), lists);

            MemorySegment again = filled(ROOM);
            assertThat(encoder.reset(again, 0, ROOM).encodeReceived(header)).isEqualTo(length);
            assertThat(bytes(again, 0, length)).isEqualTo(bytes(message, 0, length));
        }
    }

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpcrdma.wire.Messages#seeds")
    void whatIsEncodedAsAReplyReturnsTheChunksOfTheCall(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ChunkLists call = new ChunkLists();
        for (int round = 0; round < 20; round++) {
            fill(random, call);
            for (int i = 0; i < call.writeChunkCount(); i++) {
                long room = call.writeChunk(i).length();
                assertThat(call.writeChunk(i).recordResult(random.nextLong(room + 1)))
                        .isTrue();
            }
            WriteChunk reply = call.replyChunk();
            boolean isLong = reply != null && reply.length() > 0 && random.nextBoolean();
            long replyBytes = isLong && reply != null ? 1 + random.nextLong(reply.length()) : 0;
            MessageType type = isLong ? MessageType.RDMA_NOMSG : MessageType.RDMA_MSG;
            MemorySegment message = filled(ROOM);
            int length = encoder.reset(message, 0, ROOM).encodeReply(round, 64, type, call, replyBytes);
            assertThat(length).isEqualTo((int) HeaderEncoder.replyLength(call));
            message.set(ValueLayout.JAVA_INT_UNALIGNED, length, Integer.reverseBytes(round));

            ReplyOutcome outcome = header.parseReply(message, length + (isLong ? 0 : 24), HeaderLimits.NONE);
            assertThat(outcome).as(header.faultText()).isEqualTo(ReplyOutcome.ACCEPT);
            assertThat(header.chunks().writeChunkCount()).isEqualTo(call.writeChunkCount());
            for (int i = 0; i < call.writeChunkCount(); i++) {
                assertThat(header.chunks().writeChunk(i).returns(call.writeChunk(i)))
                        .isTrue();
                assertThat(header.chunks().writeChunk(i).length())
                        .isEqualTo(call.writeChunk(i).resultLength());
            }
            WriteChunk returned = header.chunks().replyChunk();
            assertThat(returned == null).isEqualTo(reply == null);
            if (returned != null && reply != null) {
                assertThat(returned.returns(reply)).isTrue();
                assertThat(returned.length()).isEqualTo(replyBytes);
            }
        }
    }

    @Test
    void everyTruncationOfTheHeaderIsRefused() {
        MemorySegment message = MemorySegment.ofArray(RICH);
        assertThat(header.parseCall(message, RICH.length, HeaderLimits.DEFAULT)).isEqualTo(CallOutcome.ACCEPT);
        long headerLength = header.headerLength();
        assertThat(headerLength).isEqualTo(RICH.length - 60);
        for (int length = 0; length < headerLength + 4; length++) {
            CallOutcome outcome = header.parseCall(message, length, HeaderLimits.DEFAULT);
            assertThat(outcome)
                    .as("%d bytes", length)
                    .isEqualTo(length < 16 ? CallOutcome.DISCARD : CallOutcome.ERR_CHUNK);
            // A copy without the rest, so that a read past the length would be out of bounds.
            MemorySegment cut = MemorySegment.ofArray(Arrays.copyOf(RICH, length));
            assertThat(header.parseCall(cut, length, HeaderLimits.DEFAULT)).isEqualTo(outcome);
            header.parseReply(cut, length, HeaderLimits.DEFAULT);
            MessageDirection.peek(cut, length);
        }
    }

    @Test
    void everyCorruptedBitIsRefusedOrSeen() {
        for (int bit = 0; bit < RICH.length * 8; bit++) {
            byte[] corrupted = RICH.clone();
            corrupted[bit / 8] ^= (byte) (0x80 >>> (bit % 8));
            MemorySegment message = MemorySegment.ofArray(corrupted);
            header.parseReply(message, corrupted.length, HeaderLimits.DEFAULT);
            if (header.parseCall(message, corrupted.length, HeaderLimits.DEFAULT) == CallOutcome.ACCEPT) {
                MemorySegment again = filled(RICH.length);
                int length = encoder.reset(again, 0, RICH.length).encodeReceived(header);
                assertThat(bytes(again, 0, length)).as("bit %d", bit).isEqualTo(Arrays.copyOf(corrupted, (int)
                        header.headerLength()));
            } else {
                assertThat(header.faultText()).as("bit %d", bit).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpcrdma.wire.Messages#seeds")
    void randomWordsNeverThrow(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] interesting = {0, 0, 0, 1, 1, 1, 2, 3, 4, 16, 40, 0x7FFF_FFFF, 0x8000_0000L, 0xFFFF_FFFFL};
        for (int round = 0; round < 100; round++) {
            long[] picked = new long[random.nextInt(40)];
            for (int i = 0; i < picked.length; i++) {
                picked[i] = interesting[random.nextInt(interesting.length)];
            }
            byte[] message = Arrays.copyOf(words(picked), random.nextInt(picked.length * 4 + 1));
            MemorySegment segment = MemorySegment.ofArray(message);
            HeaderLimits limits = random.nextBoolean() ? HeaderLimits.DEFAULT : HeaderLimits.NONE;
            header.parseCall(segment, message.length, limits);
            header.parseReply(segment, message.length, limits);
            MessageDirection.peek(segment, message.length);
        }
    }

    @Test
    void longestHeaderOfReversedEntriesIsParsedInBoundedTime() {
        ChunkLists lists = new ChunkLists();
        int count = 10_000;
        for (int i = count; i > 0; i--) {
            lists.addReadSegment(4L * i, i, 1, 0);
        }
        assertThat(lists.readChunkCount()).isEqualTo(count);
        assertThat(lists.readChunk(0).position()).isEqualTo(4);
        assertThat(lists.readChunk(count - 1).handle(0)).isEqualTo(count);
        assertThat(lists.readSegmentHandle(0)).isEqualTo(count);
    }

    @Test
    void parsingAndEncodingAllocateNothingOnceWarm() {
        MemorySegment message = MemorySegment.ofArray(RICH);
        MemorySegment target = filled(ROOM);
        AllocatedBytes allocatedBytes = new AllocatedBytes();
        long sum = 0;
        for (int i = 0; i < 20_000; i++) {
            sum += parseAndAnswer(message, target);
        }
        long before = allocatedBytes.now();
        for (int i = 0; i < 10_000; i++) {
            sum += parseAndAnswer(message, target);
        }
        long allocated = allocatedBytes.now() - before;
        assertThat(sum).isPositive();
        assertThat(allocated).as("bytes for 10,000 messages").isLessThan(10_000);
    }

    private int parseAndAnswer(MemorySegment message, MemorySegment target) {
        CallOutcome outcome = header.parseCall(message, RICH.length, HeaderLimits.DEFAULT);
        header.chunks().writeChunk(0).recordResult(4097);
        return (outcome == CallOutcome.ACCEPT ? 1 : 0)
                + encoder.reset(target, 0, ROOM)
                        .encodeReply(header.xid(), 64, MessageType.RDMA_MSG, header.chunks(), 0);
    }

    /** Random lists whose positions fit a reduced message of 2000 bytes, in random wire order. */
    private static void fill(SplittableRandom random, ChunkLists lists) {
        lists.clear();
        if (random.nextInt(4) == 0) {
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                lists.addReadSegment(0, random.nextInt(), 1000 + random.nextInt(1000), random.nextLong() >>> 1);
            }
        }
        long position = 4;
        for (int chunk = random.nextInt(4); chunk > 0; chunk--) {
            position += 4L * (1 + random.nextInt(50));
            long total = 0;
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                long length = random.nextInt(0, 3000);
                lists.addReadSegment(position, random.nextInt(), length, random.nextLong() >>> 1);
                total += length;
            }
            position += WireWords.padded(total);
        }
        for (int chunk = random.nextInt(4); chunk > 0; chunk--) {
            lists.startWriteChunk();
            addSegments(random, lists, random.nextInt(5));
        }
        if (random.nextBoolean()) {
            lists.startReplyChunk();
            addSegments(random, lists, random.nextInt(5));
        }
    }

    private static void addSegments(SplittableRandom random, ChunkLists lists, int count) {
        for (int i = 0; i < count; i++) {
            lists.addWriteSegment(random.nextInt(), random.nextLong(1L << 32), random.nextLong() >>> 1);
        }
    }

    private static void sameLists(ChunkLists parsed, ChunkLists sent) {
        assertThat(parsed.readSegmentCount()).isEqualTo(sent.readSegmentCount());
        for (int i = 0; i < sent.readSegmentCount(); i++) {
            assertThat(parsed.readSegmentPosition(i)).isEqualTo(sent.readSegmentPosition(i));
            assertThat(parsed.readSegmentHandle(i)).isEqualTo(sent.readSegmentHandle(i));
            assertThat(parsed.readSegmentLength(i)).isEqualTo(sent.readSegmentLength(i));
            assertThat(parsed.readSegmentOffset(i)).isEqualTo(sent.readSegmentOffset(i));
        }
        assertThat(parsed.writeChunkCount()).isEqualTo(sent.writeChunkCount());
        for (int i = 0; i < sent.writeChunkCount(); i++) {
            sameSegments(parsed.writeChunk(i), sent.writeChunk(i));
        }
        assertThat(parsed.hasEmptyReplyChunk()).isEqualTo(sent.hasEmptyReplyChunk());
        WriteChunk reply = sent.replyChunk();
        WriteChunk parsedReply = parsed.replyChunk();
        assertThat(parsedReply == null).isEqualTo(reply == null);
        if (reply != null && parsedReply != null) {
            sameSegments(parsedReply, reply);
        }
        assertThat(parsed.hasSoleHandle()).isEqualTo(sent.hasSoleHandle());
    }

    private static void sameSegments(Chunk parsed, Chunk sent) {
        assertThat(parsed.length()).isEqualTo(sent.length());
        assertThat(parsed.segmentCount()).isEqualTo(sent.segmentCount());
        for (int i = 0; i < sent.segmentCount(); i++) {
            assertThat(parsed.handle(i)).isEqualTo(sent.handle(i));
            assertThat(parsed.segmentLength(i)).isEqualTo(sent.segmentLength(i));
            assertThat(parsed.offset(i)).isEqualTo(sent.offset(i));
        }
    }
}
