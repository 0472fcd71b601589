package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.rpc.AuthSys;
import io.rpcrdma4j.rpc.Credential;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The Unix user that this process runs as.
 *
 * @param uid effective user, 0 to 2^32-1
 * @param gid effective group, 0 to 2^32-1
 * @param groups supplementary groups
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
record LocalUser(long uid, long gid, long[] groups) {
    /** Whoever that is on the server: what Unix calls nobody. */
    private static final long NOBODY = 65_534;

    private static final int EFFECTIVE = 2;

    /** The user as AUTH_SYS has it: the first 16 groups, the machine's name cut to fit. */
    static Credential credential() {
        LocalUser user = find();
        long[] groups = Arrays.copyOf(user.groups, Math.min(user.groups.length, AuthSys.GROUPS_MAX));
        return new AuthSys(machineName(), user.uid, user.gid, groups);
    }

    /** Asks /proc, else takes the owner of the home directory, else nobody. */
    static LocalUser find() {
        try {
            return parse(Files.readAllLines(Path.of("/proc/self/status"), StandardCharsets.ISO_8859_1));
        } catch (IOException | IllegalArgumentException e) {
            return ownerOf(Path.of(System.getProperty("user.home", "/")));
        }
    }

    /** Reads the lines of {@code /proc/PID/status}, see proc_pid_status(5). */
    static LocalUser parse(List<String> status) {
        long[] uids = numbers(status, "Uid:");
        long[] gids = numbers(status, "Gid:");
        if (uids.length < EFFECTIVE || gids.length < EFFECTIVE) {
            throw new IllegalArgumentException("no effective user or group in /proc/self/status");
        }
        return new LocalUser(uids[1], gids[1], numbers(status, "Groups:"));
    }

    private static long[] numbers(List<String> status, String key) {
        for (String line : status) {
            if (line.startsWith(key)) {
                String values = line.substring(key.length()).strip();
                return values.isEmpty()
                        ? new long[0]
                        : Arrays.stream(values.split("\\s+"))
                                .mapToLong(Long::parseLong)
                                .toArray();
            }
        }
        return new long[0];
    }

    private static LocalUser ownerOf(Path path) {
        try {
            return new LocalUser(attribute(path, "unix:uid"), attribute(path, "unix:gid"), new long[0]);
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return new LocalUser(NOBODY, NOBODY, new long[0]);
        }
    }

    private static long attribute(Path path, String name) throws IOException {
        return Files.getAttribute(path, name) instanceof Integer id ? Integer.toUnsignedLong(id) : NOBODY;
    }

    private static String machineName() {
        String name;
        try {
            name = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            name = "localhost";
        }
        return name.length() > AuthSys.MACHINE_BYTES_MAX / 4 ? name.substring(0, AuthSys.MACHINE_BYTES_MAX / 4) : name;
    }
}
