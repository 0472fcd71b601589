package io.rpcrdma4j.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A local file that is about to be written. The bytes go to a file beside it, which takes its place when all of them
 * are there: a copy that fails leaves what was there before. Devices and pipes are written directly.
 */
final class LocalTarget implements AutoCloseable {
    private final Path target;
    private final Path written;
    private final FileChannel channel;
    private final Thread onExit;
    private boolean isComplete;

    private LocalTarget(Path target, Path written, FileChannel channel) {
        this.target = target;
        this.written = written;
        this.channel = channel;
        this.onExit = new Thread(this::discard);
    }

    /** Opens a file to be written. */
    static LocalTarget open(Path file) throws IOException {
        Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            return new LocalTarget(target, target, FileChannel.open(target, StandardOpenOption.WRITE));
        }
        Path beside = target.resolveSibling(
                "." + target.getFileName() + ".part-" + ProcessHandle.current().pid());
        FileChannel channel = FileChannel.open(
                beside, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        LocalTarget opened = new LocalTarget(target, beside, channel);
        Runtime.getRuntime().addShutdownHook(opened.onExit);
        return opened;
    }

    FileChannel channel() {
        return channel;
    }

    /** The file that the bytes are in now. */
    Path written() {
        return written;
    }

    /** Whether the bytes can be read back. */
    boolean isRegular() {
        return !written.equals(target);
    }

    /** Puts the file in its place. */
    void complete() throws IOException {
        channel.close();
        if (isRegular()) {
            try {
                Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(written, target, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        isComplete = true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (isRegular()) {
            discard();
            try {
                Runtime.getRuntime().removeShutdownHook(onExit);
            } catch (IllegalStateException e) {
                // The process is ending, and the hook has run.
                isComplete = true;
            }
        }
    }

    private void discard() {
        if (!isComplete) {
            try {
                Files.deleteIfExists(written);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
