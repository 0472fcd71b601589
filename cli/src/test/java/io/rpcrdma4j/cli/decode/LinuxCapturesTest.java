package io.rpcrdma4j.cli.decode;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The captures of Linux 6.1 as client and server on siw, encoded again byte for byte, with the counts that tshark 4.0
 * gives for them (fields {@code iwarp_rdma.opcode}, {@code iwarp_ddp.last_flag}, {@code rpcordma.*}, {@code rpc.*}).
 */
class LinuxCapturesTest {
    private static final Pattern CALL = Pattern.compile(" call (\\S+ \\S+)");

    @Test
    void nfs3HasTheCountsOfTsharkAndComesOutTheSame() throws Exception {
        Decoded decoded = decode("nfs3-siw.pcap.xz");

        assertThat(decoded.totals())
                .isEqualTo("total packets=13117 connections=1 fpdus=5245 writes=659 read-requests=13 read-responses=13"
                        + " sends=1264 sends-invalidate=30 sends-solicited=0 sends-solicited-invalidate=0 terminates=0"
                        + " messages=1294 rdma-msg=783 rdma-nomsg=511 rdma-error=0 malformed=0 calls=647 replies=647"
                        + " read-chunks=13 read-segments=13 write-chunks=34 reply-chunks=1022 troubles=0"
                        + " checked-mpa-frames=2 checked-fpdus=5245 checked-headers=1294 differences=0");
        assertThat(decoded.troubles()).isEmpty();
        assertThat(decoded.clean()).isTrue();
        assertThat(decoded.lines()).hasSize(1294).noneMatch(line -> line.contains("?"));
        assertThat(calls(decoded))
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("NFSACLv3 GETACL", 503L),
                        Map.entry("NFSACLv3 NULL", 1L),
                        Map.entry("NFSv3 LOOKUP", 33L),
                        Map.entry("NFSv3 ACCESS", 29L),
                        Map.entry("NFSv3 WRITE", 17L),
                        Map.entry("NFSv3 READ", 17L),
                        Map.entry("NFSv3 CREATE", 13L),
                        Map.entry("NFSv3 GETATTR", 8L),
                        Map.entry("NFSv3 READDIRPLUS", 6L),
                        Map.entry("NFSv3 REMOVE", 6L),
                        Map.entry("NFSv3 READLINK", 2L),
                        Map.entry("NFSv3 SETATTR", 2L),
                        Map.entry("NFSv3 FSINFO", 2L),
                        Map.entry("NFSv3 SYMLINK", 2L),
                        Map.entry("NFSv3 NULL", 1L),
                        Map.entry("NFSv3 MKDIR", 1L),
                        Map.entry("NFSv3 COMMIT", 1L),
                        Map.entry("NFSv3 PATHCONF", 1L),
                        Map.entry("NFSv3 FSSTAT", 1L),
                        Map.entry("NFSv3 RENAME", 1L)));
    }

    @Test
    void nfs42HasTheCountsOfTsharkAndComesOutTheSame() throws Exception {
        Decoded decoded = decode("nfs42-siw.pcap.xz");

        assertThat(decoded.totals())
                .isEqualTo("total packets=11464 connections=1 fpdus=3986 writes=200 read-requests=15 read-responses=15"
                        + " sends=374 sends-invalidate=68 sends-solicited=0 sends-solicited-invalidate=0 terminates=0"
                        + " messages=442 rdma-msg=391 rdma-nomsg=51 rdma-error=0 malformed=0 calls=221 replies=221"
                        + " read-chunks=14 read-segments=15 write-chunks=36 reply-chunks=100 troubles=0"
                        + " checked-mpa-frames=2 checked-fpdus=3986 checked-headers=442 differences=0");
        assertThat(decoded.troubles()).isEmpty();
        assertThat(decoded.clean()).isTrue();
        assertThat(decoded.lines()).hasSize(442).noneMatch(line -> line.contains("?"));
        assertThat(calls(decoded))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "NFSv4 COMPOUND", 217L, "NFSv4-callback-1073741824-v1 CB_COMPOUND", 3L, "NFSv4 NULL", 1L));
    }

    @Test
    void longCallIsNamedByWhatItsRdmaReadsFetched() throws Exception {
        assertThat(decode("nfs42-siw.pcap.xz").lines())
                .filteredOn(line -> line.contains("RDMA_NOMSG call"))
                .singleElement()
                .asString()
                .matches("11206 192\\.168\\.7\\.1:45087 > 192\\.168\\.7\\.2:20049 xid=0x[0-9a-f]{8} credits=128"
                        + " RDMA_NOMSG call NFSv4 COMPOUND"
                        + " R@0\\[160@0x[0-9a-f]{8}:0x[0-9a-f]{16} 3900@0x[0-9a-f]{8}:0x[0-9a-f]{16}\\]");
    }

    @Test
    void callbacksGoFromServerToClient() throws Exception {
        assertThat(decode("nfs42-siw.pcap.xz").lines())
                .filteredOn(line -> line.contains("CB_COMPOUND"))
                .hasSize(6)
                .allMatch(line -> line.contains(" call ")
                        ? line.contains("192.168.7.2:20049 > 192.168.7.1:45087") && line.contains("credits=2 ")
                        : line.contains("192.168.7.1:45087 > 192.168.7.2:20049") && line.contains("credits=16 "));
    }

    private static Map<String, Long> calls(Decoded decoded) {
        return decoded.lines().stream()
                .map(CALL::matcher)
                .filter(Matcher::find)
                .collect(groupingBy(matcher -> matcher.group(1), TreeMap::new, counting()));
    }

    private static Decoded decode(String name) throws IOException, CaptureException {
        return Decoded.of(bytes(name));
    }

    /** A capture from the test resources. */
    static byte[] bytes(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(LinuxCapturesTest.class.getResourceAsStream("/captures/" + name))) {
            return in.readAllBytes();
        }
    }
}
