package io.rpcrdma4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFolderTest {
    @Test
    void eachDirectoryHasAFolderWhereTheXdgSpecificationSaysSo() {
        Path data = Path.of("/srv/data");
        Path folder = StateFolder.of(data, Map.of(), "/users/me");
        assertThat(folder.getParent()).isEqualTo(Path.of("/users/me/.local/state/rpcrdma4j"));
        assertThat(folder.getFileName().toString()).matches("data-[0-9a-f]{12}");
        assertThat(StateFolder.of(data, Map.of("XDG_STATE_HOME", "/var/state"), "/users/me")
                        .getParent())
                .isEqualTo(Path.of("/var/state/rpcrdma4j"));
        assertThat(StateFolder.of(data, Map.of("XDG_STATE_HOME", "relative"), "/users/me"))
                .isEqualTo(folder);
        assertThat(StateFolder.of(Path.of("/other/data"), Map.of(), "/users/me"))
                .isNotEqualTo(folder);
        assertThat(StateFolder.of(Path.of("/"), Map.of(), "/users/me")
                        .getFileName()
                        .toString())
                .startsWith("root-");
    }

    @Test
    void aDirectoryHasOneFolderByWhateverPath(@TempDir Path directory) throws Exception {
        assertThat(StateFolder.of(directory.resolve("..").resolve(directory.getFileName())))
                .isEqualTo(StateFolder.of(directory));
        assertThatThrownBy(() -> StateFolder.of(directory.resolve("missing"))).isInstanceOf(NoSuchFileException.class);
    }
}
