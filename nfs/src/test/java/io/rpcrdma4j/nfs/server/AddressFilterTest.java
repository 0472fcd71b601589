package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressFilterTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "192.0.2.7, 192.0.2.7, true",
                "192.0.2.7, 192.0.2.8, false",
                "192.0.2.0/24, 192.0.2.255, true",
                "192.0.2.0/24, 192.0.3.0, false",
                "192.0.2.128/25, 192.0.2.127, false",
                "192.0.2.128/25, 192.0.2.128, true",
                "10.0.0.0/9, 10.127.255.255, true",
                "10.0.0.0/9, 10.128.0.0, false",
                "0.0.0.0/0, 203.0.113.9, true",
                "0.0.0.0/0, 2001:db8::1, false",
                "::/0, 2001:db8::1, true",
                "::/0, 203.0.113.9, false",
                "2001:db8::/32, 2001:db8:ffff::1, true",
                "2001:db8::/32, 2001:db9::1, false",
                "2001:db8::/33, 2001:db8:8000::, false",
                "::1, ::1, true",
                "\"192.0.2.1, 2001:db8::/32\", 2001:db8::5, true",
                "\"192.0.2.1,2001:db8::/32\", 192.0.2.1, true",
                "\"192.0.2.1,2001:db8::/32\", 192.0.2.2, false",
            })
    void anAddressIsInANetworkOrNot(String list, String address, boolean expected) {
        assertThat(AddressFilter.parse(list).test(InetAddress.ofLiteral(address)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "10.0.0.0/8,",
                "host.example",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/x",
                "10.0.0.0/",
                "10.0.0.1/8",
                "2001:db8::/129",
                "2001:db8::1/32",
                "10.0.0/8/8",
                "/8",
                "10.0.0.256",
            })
    void aMalformedListIsNamed(String list) {
        assertThatThrownBy(() -> AddressFilter.parse(list)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theMistakeIsInTheMessage() {
        assertThatThrownBy(() -> AddressFilter.parse("10.0.0.0/8,10.1.2.3/16")).hasMessageContaining("\"10.1.2.3/16\"");
    }

    @Test
    void anIpv4AddressMappedIntoIpv6IsAnIpv4Address() throws UnknownHostException {
        byte[] mapped = InetAddress.ofLiteral("::ffff:0:0").getAddress();
        assertThat(mapped).hasSizeBetween(4, 16);
        InetAddress address = InetAddress.getByAddress(
                new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff, 10, 1, 2, 3});
        assertThat(AddressFilter.parse("10.0.0.0/8").test(address)).isTrue();
    }

    @Test
    void whatIsPrintedIsReadAgain() {
        AddressFilter filter = AddressFilter.parse("10.0.0.0/8, 2001:db8::/32,192.0.2.1");
        assertThat(filter).hasToString("10.0.0.0/8,2001:db8::/32,192.0.2.1/32");
        assertThat(AddressFilter.parse(filter.toString())).hasToString(filter.toString());
        assertThat(AddressFilter.LOOPBACK.test(InetAddress.getLoopbackAddress()))
                .isTrue();
        assertThat(AddressFilter.LOOPBACK.test(InetAddress.ofLiteral("192.0.2.1")))
                .isFalse();
        assertThat(AddressFilter.ALL.test(InetAddress.ofLiteral("2001:db8::1"))).isTrue();
    }
}
