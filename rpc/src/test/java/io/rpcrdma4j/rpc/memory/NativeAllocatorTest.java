package io.rpcrdma4j.rpc.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NativeAllocatorTest {

    @Test
    void buffersAreAtLeastAsLongAsAskedForAndReused() {
        try (NativeAllocator memory = new NativeAllocator()) {
            for (long bytes : new long[] {0, 1, 511, 512, 513, 4096, 4097, 1 << 20, (1 << 20) + 1}) {
                PayloadBuffer buffer = memory.allocate(bytes);
                MemorySegment segment = buffer.segment();
                assertThat(segment.byteSize()).isBetween(bytes, Math.max(512, 2 * bytes));
                assertThat(buffer.segment()).isSameAs(segment);
                buffer.release();
                assertThat(memory.allocate(bytes)).isSameAs(buffer);
                buffer.release();
            }
            assertThatThrownBy(() -> memory.allocate(-1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> memory.allocate(NativeAllocator.LARGEST_BYTES + 1))
                    .isInstanceOf(RpcResourceException.class);
        }
    }

    @Test
    void aSecondReleaseIsAnError() {
        try (NativeAllocator memory = new NativeAllocator()) {
            PayloadBuffer buffer = memory.allocate(1);
            buffer.release();
            assertThatThrownBy(buffer::release).isInstanceOf(IllegalStateException.class);
            PayloadBuffer foreign = memory.register(buffer.segment(), () -> {});
            foreign.release();
            assertThatThrownBy(foreign::release).isInstanceOf(IllegalStateException.class);
            assertThat(memory.outstanding()).isZero();
        }
    }

    @Test
    void theCeilingHoldsAndIdleBuffersGiveWay() {
        try (NativeAllocator memory = new NativeAllocator(8192)) {
            PayloadBuffer first = memory.allocate(4096);
            PayloadBuffer second = memory.allocate(4096);
            assertThatThrownBy(() -> memory.allocate(1))
                    .isInstanceOf(RpcResourceException.class)
                    .hasMessageContaining("8192");
            second.release();
            PayloadBuffer small = memory.allocate(1);
            assertThat(memory.totalBytes()).isEqualTo(4096 + 512);
            small.release();
            first.release();
            PayloadBuffer all = memory.allocate(8192);
            assertThat(memory.totalBytes()).isEqualTo(8192);
            all.release();
            assertThatThrownBy(() -> memory.allocate(8193)).isInstanceOf(RpcResourceException.class);
        }
    }

    @Test
    void whatIsOutAtTheEndLivesUntilItIsReleased() {
        NativeAllocator memory = new NativeAllocator();
        memory.allocate(100).release();
        PayloadBuffer buffer = memory.allocate(5000);
        memory.close();
        memory.close();
        assertThat(memory.totalBytes()).isEqualTo(8192);
        buffer.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        buffer.release();
        assertThat(memory.totalBytes()).isZero();
        assertThat(buffer.segment().scope().isAlive()).isFalse();
        assertThatThrownBy(() -> memory.allocate(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRegistrationRunsItsActionOnceAtTheEnd() {
        try (NativeAllocator memory = new NativeAllocator();
                Arena arena = Arena.ofShared()) {
            MemorySegment own = arena.allocate(100);
            int[] released = new int[1];
            PayloadBuffer buffer = memory.register(own, () -> released[0]++);
            assertThat(buffer.segment()).isSameAs(own);
            assertThat(memory.outstanding()).isEqualTo(1);
            assertThat(released[0]).isZero();
            buffer.release();
            assertThat(released[0]).isEqualTo(1);
            assertThat(memory.outstanding()).isZero();
            MemorySegment heap = MemorySegment.ofArray(new byte[1]);
            assertThatThrownBy(() -> memory.register(heap, () -> {})).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpc.Seeds#few")
    void noTwoBuffersOverlapAndTheSumsAreRight(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try (NativeAllocator memory = new NativeAllocator(1 << 20)) {
            List<PayloadBuffer> out = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                if (out.isEmpty() || random.nextInt(5) < 3) {
                    try {
                        PayloadBuffer buffer = memory.allocate(random.nextInt(1 << random.nextInt(5, 19)));
                        buffer.segment().fill((byte) out.size());
                        out.add(buffer);
                    } catch (RpcResourceException e) {
                        assertThat(memory.outstanding()).isEqualTo(out.size());
                    }
                } else {
                    out.remove(random.nextInt(out.size())).release();
                    for (int k = 0; k < out.size(); k++) {
                        out.get(k).segment().fill((byte) k);
                    }
                }
                assertThat(memory.totalBytes()).isLessThanOrEqualTo(1 << 20);
            }
            for (int k = 0; k < out.size(); k++) {
                PayloadBuffer buffer = out.get(k);
                MemorySegment segment = buffer.segment();
                assertThat(segment.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) k);
                assertThat(segment.get(ValueLayout.JAVA_BYTE, segment.byteSize() - 1))
                        .isEqualTo((byte) k);
                buffer.release();
            }
            assertThat(memory.outstanding()).isZero();
        }
    }
}
