package io.rpcrdma4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileType;
import io.rpcrdma4j.nfs.wire.NfsTime;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {
    @ParameterizedTest
    @CsvSource({
        "NF3REG, 0644, -rw-r--r--",
        "NF3DIR, 0755, drwxr-xr-x",
        "NF3DIR, 1777, drwxrwxrwt",
        "NF3DIR, 1776, drwxrwxrwT",
        "NF3REG, 6755, -rwsr-sr-x",
        "NF3REG, 6644, -rwSr-Sr--",
        "NF3LNK, 0777, lrwxrwxrwx",
        "NF3BLK, 0600, brw-------",
        "NF3CHR, 0020, c----w----",
        "NF3SOCK, 0001, s--------x",
        "NF3FIFO, 0000, p---------",
    })
    void typeAndPermissionsAreTheLettersOfLs(FileType type, String octal, String letters) {
        NfsTime time = NfsTime.EPOCH;
        Fattr3 attributes = new Fattr3(type, Integer.parseInt(octal, 8), 1, 0, 0, 0, 0, 0, 0, 0, 0, time, time, time);
        assertThat(AttributeText.letters(attributes)).isEqualTo(letters);
        assertThat(AttributeText.kind(type)).isNotBlank();
    }

    @Test
    void timesAreExact() {
        assertThat(AttributeText.exact(new NfsTime(1_700_000_000L, 5))).isEqualTo("2023-11-14T22:13:20.000000005Z");
        assertThat(AttributeText.exact(new NfsTime(0xffff_ffffL, 0))).isEqualTo("2106-02-07T06:28:15Z");
        assertThat(AttributeText.minute(new NfsTime(1_700_000_000L, 0))).matches("2023-11-1[45] \\d\\d:\\d\\d");
    }

    @Test
    void failuresOfFilesAreSentences() {
        assertThat(Failures.line(new NoSuchFileException("f"))).isEqualTo("f: no such file or directory");
        assertThat(Failures.line(new AccessDeniedException("f"))).isEqualTo("f: permission denied");
        assertThat(Failures.line(new DirectoryNotEmptyException("f"))).isEqualTo("f: the directory is not empty");
        assertThat(Failures.line(new FileSystemException("f", "g", "Too many links")))
                .isEqualTo("f to g: Too many links");
        assertThat(Failures.line(new IOException("one\n  two"))).isEqualTo("one two");
        assertThat(Failures.line(new IOException())).isEqualTo("IOException");
        assertThat(Failures.isClosedPipe(new IOException("Broken pipe"))).isTrue();
        assertThat(Failures.isClosedPipe(new IOException("other"))).isFalse();
    }

    @Test
    void quantilesAreValuesThatWereMeasured() {
        long[] one = {5};
        assertThat(PingCommand.quantile(one, 0.5)).isEqualTo(5);
        assertThat(PingCommand.quantile(one, 0.99)).isEqualTo(5);
        long[] hundred = new long[100];
        for (int i = 0; i < 100; i++) {
            hundred[i] = i + 1L;
        }
        assertThat(PingCommand.quantile(hundred, 0.5)).isEqualTo(50);
        assertThat(PingCommand.quantile(hundred, 0.99)).isEqualTo(99);
    }

    @Test
    void progressIsShownOnATerminalOnlyAndTakenAway() {
        assertThat(progress(true)).contains("\rname  50%").endsWith("\r");
        assertThat(progress(false)).isEmpty();
    }

    /** Passes half of 100 bytes, again and again, until the interval of the display is over. */
    private static String progress(boolean isTerminal) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal =
                new Terminal(new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream(), err, isTerminal);
        long[] now = {0};
        try (Progress progress = new Progress(terminal, "name", 100, () -> now[0])) {
            progress.onBytes(ByteBuffer.allocate(49));
            now[0] = 1_000_000_000L;
            progress.onBytes(ByteBuffer.allocate(1));
        }
        return err.toString(StandardCharsets.UTF_8);
    }
}
