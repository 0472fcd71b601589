package io.rpcrdma4j.rpc.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.Hex;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordWriterTest {
    private final NativeAllocator memory = new NativeAllocator();
    private final RecordWriter writer = new RecordWriter();
    private final RecordWriter.Scratch scratch = new RecordWriter.Scratch();

    @AfterEach
    void nothingIsLeftOut() {
        assertThat(memory.outstanding()).isZero();
        memory.close();
    }

    @Test
    void smallRecordsAreWrittenTogether() throws IOException {
        Sink sink = new Sink(new SplittableRandom(1), Integer.MAX_VALUE);
        for (int i = 1; i <= 3; i++) {
            Message record = new Message();
            record.writer.writeInt(i);
            add(record);
        }
        writer.flush(sink, scratch);
        assertThat(Hex.of(sink.bytes.toByteArray())).isEqualTo("80000004 00000001 80000004 00000002 80000004 00000003");
        assertThat(sink.calls).isEqualTo(1);
        assertThat(writer.isEmpty()).isTrue();
        assertThat(writer.queuedBytes()).isZero();
    }

    @Test
    void aLargePayloadGoesWithWhatIsAroundIt() throws IOException {
        Sink sink = new Sink(new SplittableRandom(1), Integer.MAX_VALUE);
        Message record = new Message();
        record.writer.writeInt(1);
        record.writer.payload(memory.allocate(100_001), 0, 100_001);
        record.writer.writeInt(2);
        add(record);
        writer.flush(sink, scratch);
        assertThat(sink.bytes.size()).isEqualTo(4 + 4 + 4 + 100_004 + 4);
        assertThat(sink.calls).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpc.Seeds#stream")
    void theStreamIsIntactHoweverFewBytesTheChannelTakes(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        // From a trickle, where a header takes several writes, to all at once.
        int most = new int[] {1, 3, 50, 20_000, Integer.MAX_VALUE - 1}[random.nextInt(5)];
        Sink sink = new Sink(random.split(), most);
        int records = random.nextInt(1, 8);
        int written = 0;
        for (int i = 0; i < records; i++) {
            Message record = randomMessage(random, most < 100 ? 300 : 60_000);
            add(record);
            byte[] bytes = record.message().toByteArray();
            expected.writeBytes(
                    ByteBuffer.allocate(4).putInt(bytes.length | 0x8000_0000).array());
            expected.writeBytes(bytes);
            written += (int) writer.flush(sink, scratch);
            assertThat(writer.queuedBytes()).isEqualTo(expected.size() - written);
        }
        while (!writer.isEmpty()) {
            writer.flush(sink, scratch);
        }
        assertThat(sink.bytes.toByteArray()).isEqualTo(expected.toByteArray());
        assertThat(writer.queuedBytes()).isZero();
    }

    @Test
    void aRecordCanBeTakenOutOnlyBeforeItIsBegun() throws IOException {
        Message first = new Message();
        first.writer.writeInt(1);
        add(first);
        Message second = new Message();
        second.writer.writeInt(2);
        add(second);
        assertThat(writer.remove(second)).isTrue();
        second.onDropped();
        writer.flush(new Sink(new SplittableRandom(0), 1), scratch);
        while (writer.writtenOf(first) == 0) {
            writer.flush(new Sink(new SplittableRandom(0), 1), scratch);
        }
        assertThat(writer.remove(first)).isFalse();
        CopiedRecord copy = new CopiedRecord(first.message(), memory);
        writer.replaceFirst(copy);
        first.onDropped();
        Sink sink = new Sink(new SplittableRandom(0), Integer.MAX_VALUE);
        writer.flush(sink, scratch);
        assertThat(Hex.of(sink.bytes.toByteArray())).endsWith("01");
        assertThat(writer.isEmpty()).isTrue();
    }

    @Test
    void whatIsDroppedIsTold() throws IOException {
        Message record = new Message();
        record.writer.payload(memory.allocate(20_000), 0, 20_000);
        add(record);
        writer.flush(new Sink(new SplittableRandom(3), 100), scratch);
        writer.dropAll();
        assertThat(writer.isEmpty()).isTrue();
        assertThat(writer.queuedBytes()).isZero();
        assertThat(record.dropped).isTrue();
    }

    private void add(Message record) {
        record.writer.finish();
        writer.add(record);
    }

    private Message randomMessage(SplittableRandom random, int bytesMax) {
        Message record = new Message();
        record.writer.writeInt(random.nextInt());
        for (int i = random.nextInt(5); i > 0; i--) {
            int length = random.nextInt(bytesMax);
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                PayloadBuffer data = memory.allocate(length);
                data.segment().copyFrom(MemorySegment.ofArray(bytes));
                record.writer.payload(data, 0, length);
            } else {
                record.writer.writeOpaque(bytes);
            }
        }
        return record;
    }

    private final class Message implements OutgoingRecord {
        private final XdrBuffer buffer = new XdrBuffer();
        private final XdrWriter writer = new XdrWriter(buffer);
        private final PayloadBuffer head = memory.allocate(512);
        private boolean dropped;

        Message() {
            writer.start(memory, head, MARK_BYTES, 508, Integer.MAX_VALUE);
        }

        @Override
        public XdrBuffer message() {
            return buffer;
        }

        @Override
        public void onWritten() {
            buffer.releaseAll();
            head.release();
        }

        @Override
        public void onDropped() {
            dropped = true;
            onWritten();
        }
    }

    /** Takes a random number of bytes at each write, often none. */
    private static final class Sink implements GatheringByteChannel {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final SplittableRandom random;
        private final int most;
        private int calls;

        Sink(SplittableRandom random, int most) {
            this.random = random;
            this.most = most;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            calls++;
            int left = take();
            long total = 0;
            for (int i = offset; i < offset + length; i++) {
                int n = Math.min(left, sources[i].remaining());
                byte[] part = new byte[n];
                sources[i].get(part);
                bytes.writeBytes(part);
                left -= n;
                total += n;
            }
            return total;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public int write(ByteBuffer source) {
            return (int) write(new ByteBuffer[] {source}, 0, 1);
        }

        private int take() {
            return most == Integer.MAX_VALUE ? most : random.nextInt(most + 1);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
