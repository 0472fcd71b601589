package io.rpcrdma4j.cli;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the command reads and writes: the process's own streams, or those of a test.
 *
 * <p>Results go to {@link #out()}, everything else to {@link #err()}. File contents go through {@link #input()} and
 * {@link #output()}, which are not buffered.
 */
final class Terminal {
    private final InputStream input;
    private final OutputStream output;
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean errIsTerminal;

    /**
     * A terminal on given streams.
     *
     * @param errIsTerminal whether somebody watches {@code error}: progress is shown only then
     */
    Terminal(InputStream input, OutputStream output, OutputStream error, boolean errIsTerminal) {
        this.input = input;
        this.output = output;
        this.out = new PrintWriter(output, false, StandardCharsets.UTF_8);
        this.err = new PrintWriter(error, true, StandardCharsets.UTF_8);
        this.errIsTerminal = errIsTerminal;
    }

    /** The streams of this process. */
    static Terminal system() {
        return new Terminal(
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                isTerminal(2));
    }

    /** Text results. Flushed when the command ends. */
    PrintWriter out() {
        return out;
    }

    /** Messages. Flushed with every line. */
    PrintWriter err() {
        return err;
    }

    /** Standard input as a stream of bytes. Not to be closed. */
    ReadableByteChannel input() {
        return Channels.newChannel(input);
    }

    /** Standard output as a stream of bytes. Not to be closed, nor mixed with {@link #out()}. */
    WritableByteChannel output() {
        return Channels.newChannel(output);
    }

    boolean errIsTerminal() {
        return errIsTerminal;
    }

    /** Java tells only about standard input and output together; where there is a /proc it tells about each. */
    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return Optional.ofNullable(System.console())
                    .map(Console::isTerminal)
                    .orElse(false);
        }
    }
}
