package io.rpcrdma4j.rpcrdma.wire;

import static io.rpcrdma4j.rpcrdma.wire.Messages.bytes;
import static io.rpcrdma4j.rpcrdma.wire.Messages.filled;
import static io.rpcrdma4j.rpcrdma.wire.Messages.hex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Private data as Linux 6.1 sends it, and as it must not be misread. */
class ConnectionParametersTest {
    private static final String LINUX_CLIENT = "f6ab0e18 01 01 03 03";
    private static final String LINUX_SERVER = "f6ab0e18 01 00 03 03";

    @Test
    void linuxClientAllowsRemoteInvalidationAndTakesFourKibibytes() {
        assertThat(parse(LINUX_CLIENT)).isEqualTo(new ConnectionParameters(4096, 4096, true));
        assertThat(parse(LINUX_SERVER)).isEqualTo(new ConnectionParameters(4096, 4096, false));
    }

    @Test
    void encodesWhatLinuxSends() {
        MemorySegment target = filled(12);
        new ConnectionParameters(4096, 4096, true).encode(target, 2);
        assertThat(bytes(target, 0, 12)).isEqualTo(hex("a5a5" + LINUX_CLIENT + "a5a5"));
    }

    @Test
    void everySizeCodeSurvivesARoundTrip() {
        MemorySegment target = filled(8);
        for (int size = 1024; size <= 262144; size += 1024) {
            ConnectionParameters sent = new ConnectionParameters(size, 262144 + 1024 - size, (size & 1024) != 0);
            sent.encode(target, 0);
            assertThat(ConnectionParameters.parse(target)).isEqualTo(sent);
        }
    }

    @Test
    void blockIsFoundAtEveryOffset() {
        for (int before = 0; before < 40; before++) {
            assertThat(parse("f6ab0e".repeat(before) + LINUX_CLIENT + "00"))
                    .as("%d bytes in front", 3 * before)
                    .isEqualTo(new ConnectionParameters(4096, 4096, true));
        }
    }

    @Test
    void reservedFlagsAreIgnored() {
        assertThat(parse("f6ab0e18 01 fe 00 ff")).isEqualTo(new ConnectionParameters(1024, 262144, false));
        assertThat(parse("f6ab0e18 01 ff ff 00")).isEqualTo(new ConnectionParameters(262144, 1024, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "f6",
                "f6ab0e18010103",
                "f6ab0e1802010303",
                "f6ab0e1800010303",
                "f6ab0e1901010303",
                "180eabf601010303"
            })
    void anythingElseCountsAsAbsent(String text) {
        assertThat(parse(text)).isEqualTo(new ConnectionParameters(1024, 1024, false));
    }

    @Test
    void blockOfAnotherVersionDoesNotHideOneOfOurs() {
        assertThat(parse("f6ab0e18 02 00 00 00" + LINUX_CLIENT)).isEqualTo(new ConnectionParameters(4096, 4096, true));
    }

    @Test
    void thresholdIsWhatOneSideSendsAndTheOtherTakes() {
        ConnectionParameters client = new ConnectionParameters(8192, 4096, true);
        ConnectionParameters server = new ConnectionParameters(16384, 2048, false);
        assertThat(client.inlineThresholdTo(server)).isEqualTo(2048);
        assertThat(server.inlineThresholdTo(client)).isEqualTo(4096);
        assertThat(client.inlineThresholdTo(ConnectionParameters.ABSENT)).isEqualTo(1024);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1023, 1025, 263168, -1024})
    void sizesThatHaveNoCodeAreRefused(int size) {
        assertThatThrownBy(() -> new ConnectionParameters(size, 4096, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sendBytes " + size);
        assertThatThrownBy(() -> new ConnectionParameters(4096, size, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("receiveBytes " + size);
    }

    private static ConnectionParameters parse(String text) {
        return ConnectionParameters.parse(MemorySegment.ofArray(hex(text)));
    }
}
