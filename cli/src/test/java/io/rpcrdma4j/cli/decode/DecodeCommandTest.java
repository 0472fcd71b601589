package io.rpcrdma4j.cli.decode;

import static io.rpcrdma4j.cli.decode.CaptureBuilder.words;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command as a user meets it: output, standard error and exit code. */
class DecodeCommandTest {
    private static final byte[] NULL_CALL = words(1, 1, 128, 0, 0, 0, 0, 1, 0, 2, 100003, 3, 0, 0, 0, 0, 0);

    @TempDir
    private Path folder = Path.of(".");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void printsALineForEachMessageAndTheCounts() throws Exception {
        Path file = file(
                new CaptureBuilder().connect().start(true).send(true, NULL_CALL).pcap());
        assertThat(run(file.toString())).isZero();
        assertThat(out.toString().lines())
                .hasSize(2)
                .first()
                .isEqualTo("5 10.0.0.1:901 > 10.0.0.2:20049 xid=0x00000001 credits=128 RDMA_MSG call NFSv3 NULL"
                        + " inline=40");
        assertThat(out.toString().lines().skip(1))
                .singleElement()
                .asString()
                .startsWith("total packets=5 connections=1 fpdus=1")
                .doesNotContain("differences");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void checkCountsWhatItEncodedAgain() throws Exception {
        Path file = file(
                new CaptureBuilder().connect().start(true).send(true, NULL_CALL).pcap());
        assertThat(run("--check", file.toString())).isZero();
        assertThat(out.toString()).contains("checked-mpa-frames=2 checked-fpdus=1 checked-headers=1 differences=0");
    }

    @Test
    void checkFailsOnADifferenceThatPlainDecodingTolerates() throws Exception {
        CaptureBuilder builder = new CaptureBuilder().connect().start(false);
        byte[] fpdu = builder.sendFpdu(true, 3, 0, NULL_CALL);
        fpdu[2] |= 0x20;
        Path file = file(builder.data(true, fpdu).pcap());
        assertThat(run(file.toString())).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(run("--check", file.toString())).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("decode: 5 10.0.0.1:901 > 10.0.0.2:20049: FPDU differs at byte 2 when encoded again:"
                        + " 61 in the capture, 41 encoded" + System.lineSeparator());
    }

    @Test
    void checkFailsOnAMalformedMessage() throws Exception {
        Path file = file(new CaptureBuilder()
                .connect()
                .start(false)
                .send(true, words(1, 1, 1, 9))
                .pcap());
        assertThat(run("--check", file.toString())).isEqualTo(1);
        assertThat(run(file.toString())).isZero();
    }

    @Test
    void verboseShowsTheMpaFrames() throws Exception {
        Path file = file(new CaptureBuilder().connect().start(true).pcap());
        assertThat(run("-v", file.toString())).isZero();
        assertThat(out.toString().lines().limit(2))
                .allMatch(line -> line.contains("MPA RE"))
                .anyMatch(line -> line.contains("crc"));
    }

    @Test
    void captureWithoutIwarpFails() throws Exception {
        Path file =
                file(new CaptureBuilder().connect().data(true, new byte[100]).pcap());
        assertThat(run(file.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("no iWARP connection in it");
    }

    @Test
    void unreadableFilesFailWithOneLine() throws Exception {
        assertThat(run(folder.resolve("none.pcap").toString())).isEqualTo(1);
        assertThat(err.toString().lines()).singleElement().asString().endsWith("none.pcap: no such file");

        assertThat(run(file(new byte[] {1, 2, 3, 4, 5}).toString())).isEqualTo(1);
        assertThat(err.toString()).contains("not a pcap or pcapng capture: it starts with the bytes 01020304");

        byte[] xz = LinuxCapturesTest.bytes("nfs3-siw.pcap.xz");
        xz[xz.length / 2] ^= 1;
        assertThat(run(file(xz).toString())).isEqualTo(1);
        assertThat(err.toString()).contains("cannot be read: ").doesNotContain("\tat ");
    }

    @Test
    void wrongUsageIsTwoAndHelpTeaches() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("--nonsense", "x")).isEqualTo(2);
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("R@108[n@h:o ...]", "--check", "Exit codes", "tcpdump")
                .doesNotContain("@|");
        assertThat(out.toString().lines().mapToInt(String::length).max().orElse(0))
                .isLessThanOrEqualTo(100);
    }

    private Path file(byte[] capture) throws IOException {
        Path file = Files.createTempFile(folder, "capture", ".pcap");
        return Files.write(file, capture);
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return new CommandLine(new DecodeCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setUsageHelpWidth(100)
                .execute(arguments);
    }
}
