package io.rpcrdma4j.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Gives a socket of this process another TCP congestion control, so that rivals whose sockets can't be reached
 * otherwise are measured under the same one. Linux only; elsewhere nothing happens.
 */
final class CongestionControl {

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;

    private CongestionControl() {}

    /**
     * Sets it.
     *
     * @param localPort the socket's port
     * @param remotePort the peer's, 0 for a listener, whose accepted sockets inherit it
     * @param name as in {@code /proc/sys/net/ipv4/tcp_allowed_congestion_control}
     * @return whether it was set
     */
    static boolean set(int localPort, int remotePort, String name) {
        try {
            int descriptor = descriptorOf(localPort, remotePort);
            return descriptor >= 0 && setsockopt(descriptor, name);
        } catch (IOException e) {
            return false;
        }
    }

    private static int descriptorOf(int localPort, int remotePort) throws IOException {
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            List<String> lines = Files.readAllLines(Path.of(table));
            for (String line : lines.subList(1, lines.size())) {
                String[] words = line.trim().split("\\s+");
                if (portOf(words[1]) == localPort && portOf(words[2]) == remotePort) {
                    int descriptor = descriptorOfInode(words[9]);
                    if (descriptor >= 0) {
                        return descriptor;
                    }
                }
            }
        }
        return -1;
    }

    private static int portOf(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
    }

    private static int descriptorOfInode(String inode) throws IOException {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                if (linkOf(descriptor).equals("socket:[" + inode + "]")) {
                    return Integer.parseInt(descriptor.getFileName().toString());
                }
            }
        }
        return -1;
    }

    private static String linkOf(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }

    @SuppressWarnings("restricted") // one call of one function of the C library
    private static boolean setsockopt(int descriptor, String name) {
        Linker linker = Linker.nativeLinker();
        MethodHandle function = linker.downcallHandle(
                linker.defaultLookup().find("setsockopt").orElseThrow(),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            return (int) function.invokeExact(
                            descriptor, IPPROTO_TCP, TCP_CONGESTION, arena.allocateFrom(name), name.length())
                    == 0;
        } catch (Throwable t) {
            throw new AssertionError("setsockopt can't be called", t);
        }
    }
}
