package io.rpcrdma4j;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/** Where servers keep their state if nobody says where: one folder for each directory that is served. */
public final class StateFolder {
    private static final int HASH_BYTES = 6;

    private StateFolder() {}

    /**
     * The folder for a directory: in {@code $XDG_STATE_HOME/rpcrdma4j}, or else in {@code ~/.local/state/rpcrdma4j}.
     *
     * @param directory what is served
     * @throws IOException if it does not exist
     */
    public static Path of(Path directory) throws IOException {
        return of(directory.toRealPath(), System.getenv(), System.getProperty("user.home", "/"));
    }

    static Path of(Path real, Map<String, String> environment, String home) {
        String set = environment.get("XDG_STATE_HOME");
        // The XDG Base Directory Specification has relative paths ignored.
        Path base = set != null && Path.of(set).isAbsolute() ? Path.of(set) : Path.of(home, ".local", "state");
        Path last = real.getFileName();
        String name = last == null ? "root" : last.toString();
        return base.resolve("rpcrdma4j").resolve(name + "-" + hash(real.toString()));
    }

    private static String hash(String text) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(sum, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }
}
