package io.rpcrdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples work. */
class ExamplesIT {
    private static final Pattern URL = Pattern.compile("at (nfs://\\S+)");

    @Test
    void theExamplesServeAndReadAFile(@TempDir Path directory) throws Exception {
        Path export = Files.createDirectory(directory.resolve("export"));
        Files.writeString(export.resolve("hello.txt"), "Hello, reader.");
        String home = System.getProperty("user.home");
        System.setProperty("user.home", directory.toString());
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream stdout = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        Thread server = Thread.ofPlatform().start(() -> {
            try {
                ServeDirectory.main(new String[] {export.toString()});
            } catch (IOException | InterruptedException e) {
                System.out.println("ended: " + e);
            }
        });
        try {
            ReadFile.main(new String[] {awaitUrl(printed)});
        } finally {
            server.interrupt();
            assertThat(server.join(Duration.ofSeconds(20))).isTrue();
            System.setOut(stdout);
            System.setProperty("user.home", home);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("[hello.txt]")
                .contains("Hello, reader.")
                .contains("ended: java.lang.InterruptedException");
    }

    private static String awaitUrl(ByteArrayOutputStream printed) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (System.nanoTime() < deadline) {
            Matcher matcher = URL.matcher(printed.toString(StandardCharsets.UTF_8));
            if (matcher.find()) {
                return matcher.group(1);
            }
            LockSupport.parkNanos(2_000_000L);
        }
        throw new AssertionError("no server within 30 s: " + printed.toString(StandardCharsets.UTF_8));
    }
}
