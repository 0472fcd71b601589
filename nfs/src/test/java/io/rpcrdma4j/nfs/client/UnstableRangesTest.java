package io.rpcrdma4j.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnstableRangesTest {
    @Test
    void neighboursUnderOneVerifierAreOneRange() {
        UnstableRanges ranges = new UnstableRanges();
        ranges.add(0, 10, 1);
        ranges.add(10, 5, 1);
        ranges.add(15, 5, 2);
        ranges.add(30, 5, 2);
        assertThat(ranges.bytes()).isEqualTo(25);
        assertThat(ranges.takeLost(3))
                .containsExactly(
                        new UnstableRanges.Range(0, 15, 1),
                        new UnstableRanges.Range(15, 20, 2),
                        new UnstableRanges.Range(30, 35, 2));
        assertThat(ranges.isEmpty()).isTrue();
        assertThat(ranges.bytes()).isZero();
    }

    @Test
    void whatWasCommittedUnderItsOwnVerifierIsNotLost() {
        UnstableRanges ranges = new UnstableRanges();
        ranges.add(0, 10, 1);
        ranges.add(10, 10, 2);
        ranges.add(20, 10, 1);
        assertThat(ranges.takeLost(1)).containsExactly(new UnstableRanges.Range(10, 20, 2));
        ranges.add(0, 1, 1);
        assertThat(ranges.takeLost(1)).isEmpty();
    }
}
