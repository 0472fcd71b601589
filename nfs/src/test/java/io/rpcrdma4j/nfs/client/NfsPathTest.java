package io.rpcrdma4j.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.nfs.wire.FileName;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NfsPathTest {
    @Test
    void pathsAreNamesBetweenSlashes() {
        NfsPath path = NfsPath.of("/a//b/./c/../d");
        assertThat(path).hasToString("/a/b/d").isEqualTo(NfsPath.of("a/b/d/"));
        assertThat(path.nameCount()).isEqualTo(3);
        assertThat(path.name(1)).isEqualTo(FileName.of("b"));
        assertThat(path.lastName()).isEqualTo(FileName.of("d"));
        assertThat(path.parent()).isEqualTo(NfsPath.of("a/b"));
        assertThat(path.skip(1)).isEqualTo(NfsPath.of("b/d"));
        assertThat(path.skip(3)).isEqualTo(NfsPath.ROOT);
        assertThat(path.startsWith(NfsPath.of("a/b"))).isTrue();
        assertThat(path.startsWith(NfsPath.of("a/bb"))).isFalse();
        assertThat(NfsPath.of("a").startsWith(path)).isFalse();
        assertThat(NfsPath.of("a").resolve(NfsPath.of("b/d"))).isEqualTo(path).hasSameHashCodeAs(path);
    }

    @Test
    void theRootHasNoNameAndNothingIsAboveIt() {
        assertThat(NfsPath.of("/../..")).isEqualTo(NfsPath.ROOT).hasToString("/");
        assertThat(NfsPath.ROOT.parent()).isEqualTo(NfsPath.ROOT);
        assertThat(NfsPath.ROOT.isRoot()).isTrue();
        assertThatThrownBy(NfsPath.ROOT::lastName).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void bytesThatAreNotTextAreShownEscapedSoThatATerminalIsSafe() {
        byte[] name = {'a', '%', 0x1b, '[', (byte) 0xff, (byte) 0xc3, (byte) 0xa9, (byte) 0xc3, 0x7f, '\n'};
        assertThat(NfsPath.printable(FileName.of(name))).isEqualTo("a%25%1B[%FFé%C3%7F%0A");
        assertThat(NfsPath.printable(FileName.of("\u202e\u0085\ud83d\ude00"))).isEqualTo("%E2%80%AE%C2%85\ud83d\ude00");
    }

    @Test
    void everyNameSurvivesBeingShownAndReadAgain() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 2000; i++) {
            byte[] name = Seeds.bytes(random, 1 + random.nextInt(12));
            for (int k = 0; k < name.length; k++) {
                if (name[k] == 0 || name[k] == '/' || name[k] == '.') {
                    name[k] = 'x';
                }
            }
            NfsPath path = NfsPath.ROOT.child("d").child(FileName.of(name)).child("e");
            assertThat(NfsPath.parseEscaped(path.toString())).isEqualTo(path);
        }
    }
}
