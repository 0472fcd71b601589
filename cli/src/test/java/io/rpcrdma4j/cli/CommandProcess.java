package io.rpcrdma4j.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ResolvedModule;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A command in a process of its own. */
final class CommandProcess implements AutoCloseable {
    private final Process process;
    private final Path out;
    private final Path err;

    private CommandProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Starts a command. What it writes goes to files in {@code folder}. */
    static CommandProcess start(Path folder, String... arguments) throws IOException {
        Path out = Files.createTempFile(folder, "process", ".out");
        Path err = Files.createTempFile(folder, "process", ".err");
        Process process = new ProcessBuilder(commandLine(arguments))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new CommandProcess(process, out, err);
    }

    /** What to type to run a command in a process of its own. */
    static List<String> commandLine(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(modules());
        command.addAll(List.of(arguments));
        return command;
    }

    /** The same modules, or the same class path, as this process has. */
    private static List<String> modules() {
        if (!Main.class.getModule().isNamed()) {
            return List.of("-cp", System.getProperty("java.class.path"), Main.class.getName());
        }
        String path = ModuleLayer.boot().configuration().modules().stream()
                .map(ResolvedModule::reference)
                .map(reference -> reference.location())
                .flatMap(Optional::stream)
                .filter(location -> !"jrt".equals(location.getScheme()))
                .map(CommandProcess::path)
                .collect(Collectors.joining(System.getProperty("path.separator")));
        return List.of("-p", path, "-m", "io.rpcrdma4j.cli/" + Main.class.getName());
    }

    private static String path(URI location) {
        return Path.of(location).toString();
    }

    /** Starts a server and waits until it is ready. */
    static CommandProcess serve(Path folder, Path export, int port, int mountPort, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "serve",
                export.toString(),
                "--as-root",
                "--state",
                folder.resolve("state").toString(),
                "--port",
                Integer.toString(port),
                "--mount-port",
                Integer.toString(mountPort)));
        arguments.addAll(List.of(more));
        CommandProcess server = start(folder, arguments.toArray(String[]::new));
        server.awaitOutput("ready ");
        return server;
    }

    /** Waits until standard output has a text. */
    void awaitOutput(String text) {
        Await.that("'" + text + "' is printed", () -> out().contains(text) || !process.isAlive());
        if (!out().contains(text)) {
            throw new AssertionError("ended without '" + text + "'\n" + out() + err());
        }
    }

    String out() {
        return read(out);
    }

    String err() {
        return read(err);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The value behind {@code key=} in the ready line. */
    String ready(String key) {
        return out().lines()
                .filter(line -> line.startsWith("ready "))
                .flatMap(line -> List.of(line.split(" ")).stream())
                .filter(word -> word.startsWith(key + "="))
                .map(word -> word.substring(key.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    int port(String key) {
        String address = ready(key);
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal, as kill(1) names it. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .start();
        try (BufferedReader text = kill.inputReader()) {
            String said = text.lines().collect(Collectors.joining("\n"));
            if (kill.waitFor() != 0) {
                throw new IOException(said);
            }
        }
    }

    /** Waits for the end. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("the process does not end\n" + out() + err());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
