package io.rpcrdma4j.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NfsUrlTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nfs://server | server | 20049 | 0 | / | true",
                "nfs://server/ | server | 20049 | 0 | / | true",
                "NFS://server/a/b | server | 20049 | 0 | /a/b | false",
                "nfs://server:2049/a/ | server | 2049 | 0 | /a | true",
                "nfs://10.0.0.1:1/a?mountport=2 | 10.0.0.1 | 1 | 2 | /a | false",
                "nfs://[::1]/a | ::1 | 20049 | 0 | /a | false",
                "nfs://[fe80::1%eth0]:65535/a | fe80::1%eth0 | 65535 | 0 | /a | false",
                "nfs://server?mountport=65535 | server | 20049 | 65535 | / | true",
                "nfs://server/a%20b%3Fc/x y | server | 20049 | 0 | /a b?c/x y | false",
                "nfs://server//a/./b/../c | server | 20049 | 0 | /a/c | false",
                "nfs://server/../../a | server | 20049 | 0 | /a | false",
            })
    void partsAreTakenApart(String text, String host, int port, int mountPort, String path, boolean endsInSlash) {
        assertThat(NfsUrl.parse(text)).isEqualTo(new NfsUrl(host, port, mountPort, NfsPath.of(path), endsInSlash));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server:/a | an NFS URL has the form nfs://HOST[:PORT]/PATH[?mountport=N]",
                "http://server/a | form nfs://HOST",
                "nfs:/server/a | form nfs://HOST",
                "nfs:///a | the host is missing",
                "nfs://:1/a | the host is missing",
                "nfs://server:0/a | port '0' is not 1 to 65535",
                "nfs://server:65536/a | port '65536' is not 1 to 65535",
                "nfs://server:/a | port '' is not 1 to 65535",
                "nfs://server:+1/a | port '+1' is not 1 to 65535",
                "nfs://server/a?mountport= | port '' is not 1 to 65535",
                "nfs://server/a?port=1 | unknown parameter 'port=1'; there is mountport=N",
                "nfs://server/a?mountport=1&x | unknown parameter 'x'",
                "nfs://[::1/a | the ']' behind the IPv6 address is missing",
                "nfs://[::1]x/a | behind the ']' is not a port",
                "nfs://::1/a | an IPv6 address goes in brackets, as in [::1]",
                "nfs://server/100% | is not followed by two hexadecimal digits; a percent sign itself is %25",
                "nfs://server/%zz | is not followed by two hexadecimal digits",
                "nfs://server/a%2Fb | a byte that no name can have",
                "nfs://server/a%00 | a byte that no name can have",
            })
    void whatIsWrongIsSaid(String text, String message) {
        assertThatThrownBy(() -> NfsUrl.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .hasMessageContaining(text);
    }

    @ParameterizedTest
    @CsvSource({
        "nfs://server/a b, nfs://server/a b",
        "nfs://server:20049/?mountport=3, nfs://server/",
        "nfs://[::1]:7/a, nfs://[::1]:7/a",
        "nfs://server/%0a%FF%25, nfs://server/%0A%FF%25",
        "nfs://server/é, nfs://server/é",
    })
    void itsTextSaysWhereTheFileIsAndCanBeReadAgain(String text, String shown) {
        assertThat(NfsUrl.parse(text)).hasToString(shown);
        assertThat(NfsUrl.parse(shown).path()).isEqualTo(NfsUrl.parse(text).path());
    }

    @Test
    void serversAreTheSameWhenTheirWordsAre() {
        NfsUrl url = NfsUrl.parse("nfs://server/a");
        assertThat(url.isSameServer(NfsUrl.parse("nfs://server:20049/b"))).isTrue();
        assertThat(url.isSameServer(NfsUrl.parse("nfs://server:20050/a"))).isFalse();
        assertThat(url.isSameServer(NfsUrl.parse("nfs://server/a?mountport=1"))).isFalse();
        assertThat(url.withPath(NfsPath.ROOT).endsInSlash()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "server, server, 0",
        "server:1, server, 1",
        "::1, ::1, 0",
        "[::1], ::1, 0",
        "[::1]:2, ::1, 2",
        "10.0.0.1:3, 10.0.0.1, 3"
    })
    void hostsWithoutUrlAreReadToo(String text, String host, int port) {
        assertThat(HostPort.parse(text)).isEqualTo(new HostPort(host, port));
    }

    @Test
    void namesAreLookedUp() throws Exception {
        assertThat(HostPort.resolve("127.0.0.1")).isEqualTo(InetAddress.ofLiteral("127.0.0.1"));
        assertThatThrownBy(() -> HostPort.resolve("no such host"))
                .hasMessage("no address is known for host 'no such host'");
    }
}
