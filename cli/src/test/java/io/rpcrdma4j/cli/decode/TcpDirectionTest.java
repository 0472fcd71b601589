package io.rpcrdma4j.cli.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Segments in any order, more than once, in other cuts: the stream comes out the same. */
class TcpDirectionTest {
    private static final int FIRST = 0xFFFF_FFF0;

    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();

    private final TcpDirection direction = new TcpDirection(FIRST, bytes -> {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        stream.writeBytes(copy);
    });

    @ParameterizedTest
    @MethodSource("seeds")
    void shuffledRepeatedAndOverlappingSegmentsGiveTheStream(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] sent = new byte[1 + random.nextInt(5000)];
        random.nextBytes(sent);
        List<int[]> cuts = new ArrayList<>();
        for (int at = 0; at < sent.length; ) {
            int length = Math.min(1 + random.nextInt(400), sent.length - at);
            cuts.add(new int[] {at, length});
            at += length;
        }
        for (int i = random.nextInt(10); i > 0; i--) {
            int at = random.nextInt(sent.length);
            cuts.add(new int[] {at, random.nextInt(sent.length - at + 1)});
        }
        for (int i = cuts.size() - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int[] cut = cuts.get(i);
            cuts.set(i, cuts.get(j));
            cuts.set(j, cut);
        }
        for (int[] cut : cuts) {
            accept(cut[0], Arrays.copyOfRange(sent, cut[0], cut[0] + cut[1]), 0);
        }
        assertThat(stream.toByteArray()).as("seed %d", seed).isEqualTo(sent);
        assertThat(direction.hasGap()).isFalse();
        assertThat(direction.position()).isEqualTo(sent.length);
    }

    @Test
    void missingSegmentHoldsBackTheRest() {
        accept(0, new byte[] {1, 2}, 0);
        accept(4, new byte[] {5, 6}, 0);
        assertThat(stream.toByteArray()).containsExactly(1, 2);
        assertThat(direction.hasGap()).isTrue();
        accept(2, new byte[] {3, 4}, 0);
        assertThat(stream.toByteArray()).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(direction.hasGap()).isFalse();
    }

    @Test
    void bytesThatWereNotCapturedEndTheStream() {
        accept(0, new byte[] {1, 2}, 3);
        accept(5, new byte[] {6}, 0);
        assertThat(stream.toByteArray()).containsExactly(1, 2);
        assertThat(direction.hasGap()).isTrue();
    }

    @Test
    void bytesThatWereNotCapturedDoNotMatterIfTheyWereSeenBefore() {
        accept(0, new byte[] {1, 2, 3, 4}, 0);
        accept(0, new byte[] {1, 2}, 2);
        accept(4, new byte[] {5}, 0);
        assertThat(stream.toByteArray()).containsExactly(1, 2, 3, 4, 5);
        assertThat(direction.hasGap()).isFalse();
    }

    @Test
    void waitingBytesAreBounded() {
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < 17; i++) {
            accept(1 + i * block.length, block, 0);
        }
        accept(0, new byte[1], 0);
        assertThat(stream.size()).as("given up").isZero();
        assertThat(direction.hasGap()).isTrue();
    }

    private void accept(int offset, byte[] payload, int missing) {
        direction.accept(FIRST + offset, ByteBuffer.wrap(payload), missing);
    }

    static LongStream seeds() {
        Long only = Long.getLong("test.seed");
        return only != null
                ? LongStream.of(only)
                : LongStream.concat(LongStream.range(0, 100), LongStream.of(System.nanoTime()));
    }
}
