package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.Transfers;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Shows on a terminal how far a transfer is, a few times a second. On anything else it shows nothing. */
final class Progress implements Transfers.Observer, AutoCloseable {
    private static final long INTERVAL_NANOS = 200_000_000L;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MEGABYTE = 1e6;
    private static final int PERCENT = 100;

    private final Terminal terminal;
    private final String name;
    private final long expectedBytes;
    private final LongSupplier clock;
    private final long startNanos;
    private long shownNanos;
    private long bytes;
    private int shownLength;

    /**
     * Starts to watch a transfer.
     *
     * @param name what is transferred
     * @param expectedBytes how long it is, or -1 if that is not known
     */
    Progress(Terminal terminal, String name, long expectedBytes) {
        this(terminal, name, expectedBytes, System::nanoTime);
    }

    /** The same with another clock, which counts nanoseconds. */
    Progress(Terminal terminal, String name, long expectedBytes, LongSupplier clock) {
        this.terminal = terminal;
        this.name = name;
        this.expectedBytes = expectedBytes;
        this.clock = clock;
        startNanos = clock.getAsLong();
        shownNanos = startNanos;
    }

    @Override
    public void onBytes(ByteBuffer passed) {
        bytes += passed.remaining();
        if (terminal.errIsTerminal()) {
            long now = clock.getAsLong();
            if (now - shownNanos >= INTERVAL_NANOS) {
                shownNanos = now;
                show(line(now));
            }
        }
    }

    private String line(long now) {
        double seconds = Math.max(1, now - startNanos) / NANOS_PER_SECOND;
        String part = expectedBytes > 0 ? String.format(Locale.ROOT, " %3d%%", bytes * PERCENT / expectedBytes) : "";
        return String.format(
                Locale.ROOT, "%s%s %.1f MB, %.0f MB/s", name, part, bytes / MEGABYTE, bytes / MEGABYTE / seconds);
    }

    private void show(String line) {
        int blanks = Math.max(0, shownLength - line.length());
        terminal.err().print("\r" + line + " ".repeat(blanks));
        terminal.err().flush();
        shownLength = line.length();
    }

    /** Takes the line away. */
    @Override
    public void close() {
        if (shownLength > 0) {
            terminal.err().print("\r" + " ".repeat(shownLength) + "\r");
            terminal.err().flush();
        }
    }
}
