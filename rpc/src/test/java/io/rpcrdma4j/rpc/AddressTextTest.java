package io.rpcrdma4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class AddressTextTest {
    @Test
    void addressesAreWrittenWithoutSlashesAndIpv6InBrackets() {
        assertThat(AddressText.of(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 1)))
                .isEqualTo("10.0.0.1:1");
        assertThat(AddressText.of(new InetSocketAddress(InetAddress.ofLiteral("::1"), 2)))
                .isEqualTo("[0:0:0:0:0:0:0:1]:2");
        assertThat(AddressText.of(InetSocketAddress.createUnresolved("host", 3)))
                .isEqualTo("host:3");
    }
}
