package io.rpcrdma4j.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.AuthSys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalUserTest {
    @Test
    void theEffectiveIdsCount() {
        LocalUser user = LocalUser.parse(
                List.of("Name:\tjava", "Uid:\t1000\t1001\t1002\t1003", "Gid:\t20\t21\t22\t23", "Groups:\t4 24 27 "));
        assertThat(user.uid()).isEqualTo(1001);
        assertThat(user.gid()).isEqualTo(21);
        assertThat(user.groups()).containsExactly(4, 24, 27);
        assertThat(LocalUser.parse(List.of("Uid:\t0\t0\t0\t0", "Gid:\t0\t0\t0\t0", "Groups:\t "))
                        .groups())
                .isEmpty();
        assertThatThrownBy(() -> LocalUser.parse(List.of("Name:\tjava"))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void filesOfThisProcessBelongToIt(@TempDir Path directory) throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(LocalUser.find().uid()).isEqualTo((long) (int) Files.getAttribute(file, "unix:uid"));
        assertThat(((AuthSys) LocalUser.credential()).uid())
                .isEqualTo(LocalUser.find().uid());
    }
}
