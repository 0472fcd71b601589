package io.rpcrdma4j.rpc.xdr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random messages: words, opaque data and payloads in any order, in heads of any size, with parts of it taken back.
 * Whatever the fragments, the bytes are those of a plain encoder; the payloads are where their marks say; and a reader
 * gets everything back, with any of the payloads moved into chunks.
 */
class MessagePropertyTest {
    private final NativeAllocator memory = new NativeAllocator();
    private final XdrBuffer buffer = new XdrBuffer();
    private final XdrWriter writer = new XdrWriter(buffer);
    private final List<Item> items = new ArrayList<>();

    private sealed interface Item {}

    private record Word(int value) implements Item {}

    private record Wide(long value) implements Item {}

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Bytes(byte[] value) implements Item {}

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Payload(byte[] value) implements Item {}

    @AfterEach
    void nothingIsLeftOut() {
        buffer.releaseAll();
        assertThat(memory.outstanding()).isZero();
        memory.close();
    }

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpc.Seeds#stream")
    void theMessageIsThatOfAPlainEncoder(long seed) throws XdrException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 5; round++) {
            writeRandom(random);
            XdrBuffer message = writer.finish();
            byte[] expected = plain();
            assertThat(message.length()).isEqualTo(expected.length);
            assertThat(message.toByteArray()).isEqualTo(expected);
            checkFragments(message);
            checkPayloads(message, expected);
            checkRanges(message, expected, random);
            readBack(expected, message, random);
            buffer.releaseAll();
            items.clear();
        }
    }

    private void writeRandom(SplittableRandom random) {
        int capacity = 4 * random.nextInt(3, 200);
        PayloadBuffer head = memory.allocate(capacity + 8L);
        head.segment().fill((byte) 0xa5);
        if (random.nextBoolean()) {
            writer.startOwned(memory, head, Long.MAX_VALUE);
        } else {
            buffer.own(head);
            writer.start(memory, head, random.nextInt(8), capacity, Long.MAX_VALUE);
        }
        int count = random.nextInt(40);
        List<Long> positions = new ArrayList<>();
        while (items.size() < count) {
            positions.add(writer.position());
            Item item = randomItem(random);
            items.add(item);
            write(item, random);
            if (random.nextInt(30) == 0) {
                // Take the last few back.
                int keep = random.nextInt(Math.max(0, items.size() - 6), items.size());
                writer.truncate(positions.get(keep));
                items.subList(keep, items.size()).clear();
                positions.subList(keep, positions.size()).clear();
            }
        }
    }

    private static Item randomItem(SplittableRandom random) {
        int kind = random.nextInt(6);
        int most = random.nextInt(10) == 0 ? 40_000 : 60;
        byte[] bytes = new byte[random.nextInt(most)];
        random.nextBytes(bytes);
        return switch (kind) {
            case 0, 1 -> new Word(random.nextInt());
            case 2 -> new Wide(random.nextLong());
            case 3, 4 -> new Bytes(bytes);
            default -> new Payload(bytes);
        };
    }

    private void write(Item item, SplittableRandom random) {
        switch (item) {
            case Word(var value) -> {
                if (random.nextBoolean()) {
                    writer.writeInt(value);
                } else {
                    writer.patchInt(writer.reserveInt(), value);
                }
            }
            case Wide(var value) -> writer.writeLong(value);
            case Bytes(var value) -> {
                if (random.nextBoolean()) {
                    writer.writeOpaque(value);
                } else {
                    writer.writeOpaque(MemorySegment.ofArray(value), 0, value.length);
                }
            }
            case Payload(var value) -> writePayload(value, random);
        }
    }

    private void writePayload(byte[] value, SplittableRandom random) {
        if (random.nextBoolean()) {
            PayloadBuffer page = memory.allocate(value.length + 5L);
            MemorySegment.copy(value, 0, page.segment(), ValueLayout.JAVA_BYTE, 3, value.length);
            writer.payload(page, 3, value.length);
            return;
        }
        writer.beginPayload();
        int done = 0;
        while (done < value.length) {
            int n = Math.min(value.length - done, random.nextInt(20_000));
            PayloadBuffer page = memory.allocate(n);
            MemorySegment.copy(value, done, page.segment(), ValueLayout.JAVA_BYTE, 0, n);
            writer.payloadPage(page, 0, n);
            done += n;
        }
        writer.endPayload();
    }

    private byte[] plain() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Item item : items) {
            switch (item) {
                case Word(var value) -> out.writeBytes(word(value));
                case Wide(var value) ->
                    out.writeBytes(ByteBuffer.allocate(8).putLong(value).array());
                case Bytes(var value) -> plainOpaque(out, value);
                case Payload(var value) -> plainOpaque(out, value);
            }
        }
        return out.toByteArray();
    }

    private static void plainOpaque(ByteArrayOutputStream out, byte[] value) {
        out.writeBytes(word(value.length));
        out.writeBytes(value);
        out.writeBytes(new byte[-value.length & 3]);
    }

    private static byte[] word(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    /** Fragments follow each other without a gap. */
    private static void checkFragments(XdrBuffer message) {
        long position = 0;
        for (int i = 0; i < message.fragmentCount(); i++) {
            assertThat(message.fragmentStart(i)).isEqualTo(position);
            assertThat(message.fragmentBuffer(i).segment()).isSameAs(message.fragmentSegment(i));
            position += message.fragmentLength(i);
        }
        assertThat(position).isEqualTo(message.length());
    }

    /** Marks, fragments and pads agree, and the rest is what a transport sends inline. */
    private void checkPayloads(XdrBuffer message, byte[] expected) {
        List<byte[]> payloads = new ArrayList<>();
        for (Item item : items) {
            if (item instanceof Payload(var value) && value.length > 0) {
                payloads.add(value);
            }
        }
        assertThat(message.payloadCount()).isEqualTo(payloads.size());
        long sum = 0;
        int marked = 0;
        for (int i = 0; i < payloads.size(); i++) {
            int length = message.payloadLength(i);
            int offset = (int) message.payloadOffset(i);
            assertThat(ByteBuffer.wrap(expected, offset, length)).isEqualTo(ByteBuffer.wrap(payloads.get(i)));
            int first = message.payloadFragment(i);
            int behind = first + message.payloadFragmentCount(i);
            assertThat(message.fragmentStart(first)).isEqualTo(offset);
            assertThat(message.fragmentStart(behind)).isEqualTo(offset + length);
            assertThat(message.payloadPad(i)).isEqualTo(-length & 3);
            assertThat(message.fragmentLength(behind))
                    .as("the pad opens the fragment behind")
                    .isGreaterThanOrEqualTo(message.payloadPad(i));
            sum += length;
            marked += message.payloadFragmentCount(i);
        }
        assertThat(message.payloadBytes()).isEqualTo(sum);
        int payloadFragments = 0;
        for (int i = 0; i < message.fragmentCount(); i++) {
            payloadFragments += message.isPayload(i) ? 1 : 0;
        }
        assertThat(payloadFragments).isEqualTo(marked);
    }

    private static void checkRanges(XdrBuffer message, byte[] expected, SplittableRandom random) {
        for (int i = 0; i < 10; i++) {
            int from = random.nextInt(expected.length + 1);
            int length = random.nextInt(expected.length - from + 1);
            byte[] range = new byte[length + 2];
            message.copyTo(from, MemorySegment.ofArray(range), 1, length);
            assertThat(ByteBuffer.wrap(range, 1, length)).isEqualTo(ByteBuffer.wrap(expected, from, length));
        }
        byte[] target = new byte[expected.length + 8];
        assertThatThrownBy(() -> message.copyTo(1, MemorySegment.ofArray(target), 0, expected.length))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** Moves some payloads out of the message, as RFC 8166 does, and reads it. */
    private void readBack(byte[] expected, XdrBuffer message, SplittableRandom random) throws XdrException {
        ByteArrayOutputStream inline = new ByteArrayOutputStream();
        Chunks chunks = new Chunks();
        int at = 0;
        for (int i = 0; i < message.payloadCount(); i++) {
            if (random.nextBoolean()) {
                int offset = (int) message.payloadOffset(i);
                int length = message.payloadLength(i);
                inline.write(expected, at, offset - at);
                chunks.add(offset, MemorySegment.ofArray(expected).asSlice(offset, length));
                at = offset + length + message.payloadPad(i);
            }
        }
        inline.write(expected, at, expected.length - at);
        byte[] bytes = inline.toByteArray();
        XdrReader reader = new XdrReader();
        reader.start(MemorySegment.ofArray(bytes), 0, bytes.length, chunks);
        read(reader);
        assertThat(reader.position()).isEqualTo(expected.length);
        reader.finish();
        for (int i = 0; i < 5 && bytes.length > 0; i++) {
            int length = random.nextInt(bytes.length);
            chunks.claimed = 0;
            reader.start(MemorySegment.ofArray(bytes), 0, length, chunks);
            assertThatThrownBy(() -> read(reader)).isInstanceOf(XdrException.class);
        }
    }

    private void read(XdrReader reader) throws XdrException {
        for (Item item : items) {
            switch (item) {
                case Word(var value) -> assertThat(reader.readInt()).isEqualTo(value);
                case Wide(var value) -> assertThat(reader.readLong()).isEqualTo(value);
                case Bytes(var value) ->
                    assertThat(reader.readOpaque(value.length)).isEqualTo(value);
                case Payload(var value) ->
                    assertThat(reader.readPayload(value.length).toArray(ValueLayout.JAVA_BYTE))
                            .isEqualTo(value);
            }
        }
    }

    private static final class Chunks implements ChunkClaims {
        private final List<Long> positions = new ArrayList<>();
        private final List<MemorySegment> memory = new ArrayList<>();
        private int claimed;

        void add(long position, MemorySegment chunk) {
            positions.add(position);
            memory.add(chunk);
        }

        @Override
        public @Nullable MemorySegment claim(long position, long length) {
            int index = positions.indexOf(position);
            if (index < 0) {
                return null;
            }
            claimed++;
            assertThat(memory.get(index).byteSize()).isEqualTo(length);
            return memory.get(index);
        }

        @Override
        public void finish() {
            assertThat(claimed).isEqualTo(positions.size());
        }
    }
}
