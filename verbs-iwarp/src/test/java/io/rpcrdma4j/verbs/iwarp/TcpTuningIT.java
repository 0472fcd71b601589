package io.rpcrdma4j.verbs.iwarp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Socket options, looked up in the kernel. */
class TcpTuningIT {

    private static NativeSockets sockets() {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "Linux only");
        NativeSockets sockets = NativeSockets.instance();
        assertThat(sockets).as("native access").isNotNull();
        return Objects.requireNonNull(sockets);
    }

    private static String congestionOf(Pair.End end) {
        NativeSockets sockets = sockets();
        InetSocketAddress local = Objects.requireNonNull(end.connection.localAddress());
        int descriptor = sockets.descriptorOf(local, end.connection.remoteAddress());
        assertThat(descriptor).isPositive();
        return sockets.congestion(descriptor);
    }

    @Test
    void onThisHostBbrIsReplacedAndAllElseIsLeft() throws Exception {
        String system = NativeSockets.systemCongestion();
        String expected = system.equals("bbr") ? "reno" : system;
        try (Pair pair = new Pair(Map.of()).accept()) {
            assertThat(congestionOf(pair.client)).isEqualTo(expected);
            assertThat(congestionOf(pair.server)).isEqualTo(expected);
        }
    }

    @Test
    void theSystemsChoiceCanBeKept() throws Exception {
        try (Pair pair = new Pair(Map.of(Settings.CONGESTION, "system")).accept()) {
            assertThat(congestionOf(pair.client)).isEqualTo(NativeSockets.systemCongestion());
            assertThat(congestionOf(pair.server)).isEqualTo(NativeSockets.systemCongestion());
        }
    }

    @Test
    void aNamedCongestionControlIsSet() throws Exception {
        try (Pair pair = new Pair(Map.of(Settings.CONGESTION, "reno")).accept()) {
            assertThat(congestionOf(pair.client)).isEqualTo("reno");
            assertThat(congestionOf(pair.server)).isEqualTo("reno");
        }
    }

    @Test
    void aCongestionControlThatIsNotThereIsNoReasonToFail() throws Exception {
        try (Pair pair = new Pair(Map.of(Settings.CONGESTION, "no-such-thing")).accept()) {
            assertThat(congestionOf(pair.client)).isEqualTo(NativeSockets.systemCongestion());
        }
    }
}
