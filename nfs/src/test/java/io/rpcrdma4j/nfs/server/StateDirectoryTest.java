package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateDirectoryTest {
    @TempDir
    Path scratch;

    @Test
    void itIsMadeForItsOwnerOnlyAndKeepsItsKey() throws Exception {
        Path path = scratch.resolve("a/b/state");
        byte[] key;
        try (StateDirectory state = StateDirectory.open(path)) {
            key = state.key("x");
            assertThat(key).hasSize(32).isNotEqualTo(state.key("y"));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path.resolve("key"))))
                .isEqualTo("rw-------");
        try (StateDirectory state = StateDirectory.open(path)) {
            assertThat(state.key("x")).isEqualTo(key);
        }
        try (StateDirectory other = StateDirectory.open(scratch.resolve("other"))) {
            assertThat(other.key("x")).isNotEqualTo(key);
        }
    }

    @Test
    void othersMayNotLookIntoIt() throws Exception {
        for (String mode : new String[] {"rwxr-xr-x", "rwx--x---", "rwx-----x"}) {
            Path path = Files.createDirectory(scratch.resolve(mode));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
            assertThatThrownBy(() -> StateDirectory.open(path)).hasMessageContaining("chmod 700");
        }
    }

    @Test
    void twoServersDoNotShareIt() throws Exception {
        Path path = scratch.resolve("state");
        try (StateDirectory state = StateDirectory.open(path)) {
            assertThat(state.path()).isEqualTo(path.toRealPath());
            assertThatThrownBy(() -> StateDirectory.open(path)).hasMessageContaining("in use by another server");
        }
        StateDirectory.open(path).close();
    }

    @Test
    void aKeyOfAnotherLengthIsAnError() throws Exception {
        Path path = scratch.resolve("state");
        StateDirectory.open(path).close();
        Files.write(path.resolve("key"), new byte[31]);
        assertThatThrownBy(() -> StateDirectory.open(path)).hasMessageContaining("31 bytes");
    }

    @Test
    void aTemporaryOneIsDeleted() throws Exception {
        Path path;
        try (StateDirectory state = StateDirectory.temporary()) {
            path = state.path();
            assertThat(path.resolve("key")).exists();
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void aSymbolicLinkIntoTheExportIsSeenThrough() throws Exception {
        Path export = Files.createDirectory(scratch.resolve("export"));
        Files.createSymbolicLink(scratch.resolve("link"), export);
        try (StateDirectory state = StateDirectory.open(scratch.resolve("link/state"))) {
            assertThatThrownBy(() -> state.requireOutside(export)).hasMessageContaining("inside the exported");
        }
        try (StateDirectory state = StateDirectory.open(scratch.resolve("export2"))) {
            state.requireOutside(export);
        }
    }
}
