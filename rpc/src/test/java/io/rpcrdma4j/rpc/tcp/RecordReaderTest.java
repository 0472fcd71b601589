package io.rpcrdma4j.rpc.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.Hex;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordReaderTest {
    private static final int MAX = 1 << 20;

    private final NativeAllocator memory = new NativeAllocator();
    private final RecordReader reader = new RecordReader(memory, MAX);

    @AfterEach
    void nothingIsLeftOut() {
        reader.close();
        assertThat(memory.outstanding()).isZero();
        memory.close();
    }

    @Test
    void aRecordOfOneFragment() throws RecordException {
        assertThat(records(Hex.bytes("80000005 0102030405"), 100)).containsExactly("01020304 05");
    }

    @Test
    void aRecordOfManyFragmentsIsTheSameMessage() throws RecordException {
        assertThat(records(Hex.bytes("00000001 01 00000000 00000002 0203 80000002 0405 80000001 06"), 1))
                .containsExactly("01020304 05", "06");
        assertThat(records(Hex.bytes("00000003 010203 80000000"), 3))
                .as("ended by an empty fragment")
                .containsExactly("010203");
    }

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpc.Seeds#stream")
    void anySplitIntoFragmentsAndReadsGivesTheSameRecords(long seed) throws RecordException {
        SplittableRandom random = new SplittableRandom(seed);
        List<byte[]> expected = new ArrayList<>();
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (int i = random.nextInt(1, 6); i > 0; i--) {
            byte[] record = new byte
                    [random.nextBoolean()
                            ? random.nextInt(1, 50)
                            : random.nextInt(1, random.nextInt(20) == 0 ? 300_000 : 20_000)];
            random.nextBytes(record);
            expected.add(record);
            int most = random.nextBoolean() ? record.length : Math.max(1, record.length / 20);
            writeFragments(stream, record, random, most);
        }
        int readMax = random.nextBoolean() ? 7 : 100_000;
        List<byte[]> got = recordBytes(stream.toByteArray(), readMax);
        assertThat(got).hasSameSizeAs(expected);
        for (int i = 0; i < got.size(); i++) {
            assertThat(Arrays.equals(got.get(i), expected.get(i)))
                    .as("record " + i)
                    .isTrue();
        }
    }

    @Test
    void aRecordBeyondTheLimitIsRefusedAtItsHeader() {
        for (String header : new String[] {
            "7fffffff", "ffffffff", "80100001", "00100001", "000ffff0" + "00".repeat(0xffff0) + "80000011"
        }) {
            RecordReader one = new RecordReader(memory, MAX);
            assertThatThrownBy(() -> feed(one, Hex.bytes(header)))
                    .isInstanceOf(RecordException.class)
                    .hasMessageContaining("1048576");
            one.close();
        }
    }

    @Test
    void aRecordOfTheLimitIsAccepted() throws RecordException {
        byte[] stream = new byte[4 + MAX];
        ByteBuffer.wrap(stream).putInt(0x8000_0000 | MAX);
        assertThat(recordBytes(stream, 65536)).hasSize(1);
    }

    @Test
    void emptyRecordsAndEndlessEmptyFragmentsAreRefused() {
        assertThatThrownBy(() -> feed(reader, Hex.bytes("80000000"))).isInstanceOf(RecordException.class);
        assertThatThrownBy(() -> feed(reader, new byte[4 * (RecordReader.EMPTY_FRAGMENTS_MAX + 1)]))
                .isInstanceOf(RecordException.class);
    }

    @Test
    void anAnnouncementAloneGetsLittleMemory() throws RecordException {
        feed(reader, Hex.bytes("80100000 01"));
        assertThat(memory.totalBytes()).isEqualTo(RecordReader.FIRST_BYTES);
    }

    @Test
    void whenMemoryIsShortNothingIsLostAndItGoesOnLater() throws RecordException {
        NativeAllocator small = new NativeAllocator(RecordReader.FIRST_BYTES + 512);
        PayloadBuffer hog = small.allocate(RecordReader.FIRST_BYTES);
        RecordReader one = new RecordReader(small, MAX);
        MemorySegment stream = Hex.segment("80000401" + "ab".repeat(0x401));
        assertThatThrownBy(() -> one.consume(stream, 0, stream.byteSize())).isInstanceOf(RpcResourceException.class);
        assertThat(one.consumed()).isEqualTo(4);
        hog.release();
        one.consume(stream, 4, stream.byteSize() - 4);
        assertThat(one.isComplete()).isTrue();
        one.take().release();
        small.close();
    }

    private void feed(RecordReader target, byte[] bytes) throws RecordException {
        target.consume(MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    private static void writeFragments(
            ByteArrayOutputStream stream, byte[] record, SplittableRandom random, int fragmentMax) {
        for (int at = 0; at < record.length; ) {
            int n = Math.min(record.length - at, random.nextInt(0, fragmentMax + 1));
            boolean last = at + n == record.length && random.nextBoolean();
            stream.writeBytes(
                    ByteBuffer.allocate(4).putInt(n | (last ? 0x8000_0000 : 0)).array());
            stream.write(record, at, n);
            at += n;
            if (at == record.length && !last) {
                stream.writeBytes(Hex.bytes("80000000"));
            }
        }
    }

    private List<String> records(byte[] stream, int readMax) throws RecordException {
        return recordBytes(stream, readMax).stream().map(Hex::of).toList();
    }

    /** Feeds a stream in pieces, some of them straight into the record, and returns the records. */
    private List<byte[]> recordBytes(byte[] stream, int readMax) throws RecordException {
        List<byte[]> records = new ArrayList<>();
        MemorySegment source = MemorySegment.ofArray(stream);
        SplittableRandom random = new SplittableRandom(readMax);
        long at = 0;
        while (at < stream.length) {
            int direct = reader.directRoom();
            if (direct > 0 && random.nextBoolean()) {
                int n = Math.min(direct, random.nextInt(1, readMax + 1));
                MemorySegment.copy(source, at, reader.directTarget(), reader.directOffset(), n);
                reader.directAdded(n);
                at += n;
            } else {
                at += reader.consume(source, at, Math.min(stream.length - at, random.nextInt(1, readMax + 1)));
            }
            if (reader.isComplete()) {
                int length = reader.recordLength();
                PayloadBuffer record = reader.take();
                records.add(record.segment().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
                record.release();
            }
        }
        assertThat(reader.isMidRecord()).isFalse();
        return records;
    }
}
