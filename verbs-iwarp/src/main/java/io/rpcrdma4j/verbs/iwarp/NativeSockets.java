package io.rpcrdma4j.verbs.iwarp;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Socket options that the JDK has no names for: {@code TCP_CONGESTION} and {@code TCP_USER_TIMEOUT} of Linux, through
 * the Foreign Function &amp; Memory API. The descriptor of a socket is found by its addresses among those of the
 * process.
 *
 * <p>Where it can't work (another system, or native access is not enabled for this module) there is no instance, and
 * the features are off. <b>Threading:</b> any thread.
 */
final class NativeSockets {

    private static final Logger LOG = LoggerFactory.getLogger(NativeSockets.class);

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    private static final int TCP_USER_TIMEOUT = 18;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int SOCKADDR_BYTES = 128;
    private static final int NAME_BYTES = 16;
    private static final Path DEFAULT_CONGESTION = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
    private static final Path ALLOWED_CONGESTION = Path.of("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
    private static final File DESCRIPTORS = new File("/proc/self/fd");

    private static final @Nullable NativeSockets INSTANCE = open();

    private final MethodHandle setsockopt;
    private final MethodHandle getsockopt;
    private final MethodHandle getsockname;
    private final MethodHandle getpeername;

    @SuppressWarnings("restricted") // what this class is for; open() asks whether it is allowed
    private NativeSockets() {
        Linker linker = Linker.nativeLinker();
        SymbolLookup lookup = linker.defaultLookup();
        var anInt = ValueLayout.JAVA_INT;
        var aPointer = ValueLayout.ADDRESS;
        setsockopt = linker.downcallHandle(
                lookup.findOrThrow("setsockopt"), FunctionDescriptor.of(anInt, anInt, anInt, anInt, aPointer, anInt));
        getsockopt = linker.downcallHandle(
                lookup.findOrThrow("getsockopt"),
                FunctionDescriptor.of(anInt, anInt, anInt, anInt, aPointer, aPointer));
        FunctionDescriptor nameOf = FunctionDescriptor.of(anInt, anInt, aPointer, aPointer);
        getsockname = linker.downcallHandle(lookup.findOrThrow("getsockname"), nameOf);
        getpeername = linker.downcallHandle(lookup.findOrThrow("getpeername"), nameOf);
    }

    private static @Nullable NativeSockets open() {
        if (!System.getProperty("os.name", "").equals("Linux")) {
            LOG.debug("no TCP_CONGESTION and TCP_USER_TIMEOUT: this is not Linux");
            return null;
        }
        if (!NativeSockets.class.getModule().isNativeAccessEnabled()) {
            LOG.debug("no TCP_CONGESTION and TCP_USER_TIMEOUT: needs --enable-native-access=io.rpcrdma4j.verbs.iwarp");
            return null;
        }
        try {
            return new NativeSockets();
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("no TCP_CONGESTION and TCP_USER_TIMEOUT: {}", e.toString());
            return null;
        }
    }

    /** The one instance, or null if this can't work here. */
    static @Nullable NativeSockets instance() {
        return INSTANCE;
    }

    /** The system's congestion control, or an empty string if it isn't known. */
    static String systemCongestion() {
        return read(DEFAULT_CONGESTION);
    }

    /** Whether an unprivileged process may choose {@code name}. */
    static boolean isCongestionAllowed(String name) {
        return (" " + read(ALLOWED_CONGESTION) + " ").contains(" " + name + " ");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Finds the descriptor of a socket.
     *
     * @param peer null for a listening socket
     * @return -1 if it isn't there
     */
    int descriptorOf(InetSocketAddress local, @Nullable InetSocketAddress peer) {
        String[] names = DESCRIPTORS.list();
        if (names == null) {
            return -1;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(SOCKADDR_BYTES, 8);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            for (String name : names) {
                int descriptor = Integer.parseInt(name);
                if (names(getsockname, descriptor, address, length, local)
                        && (peer == null
                                ? !hasName(getpeername, descriptor, address, length)
                                : names(getpeername, descriptor, address, length, peer))) {
                    return descriptor;
                }
            }
        }
        return -1;
    }

    private static boolean hasName(MethodHandle call, int descriptor, MemorySegment address, MemorySegment length) {
        length.set(ValueLayout.JAVA_INT, 0, SOCKADDR_BYTES);
        try {
            return (int) call.invokeExact(descriptor, address, length) == 0;
        } catch (Throwable e) {
            throw new AssertionError("a call of the C library threw", e);
        }
    }

    /** Whether the name that {@code call} gives is {@code wanted}; IPv4 may be written as IPv6. */
    private static boolean names(
            MethodHandle call, int descriptor, MemorySegment address, MemorySegment length, InetSocketAddress wanted) {
        if (!hasName(call, descriptor, address, length)) {
            return false;
        }
        int family = address.get(ValueLayout.JAVA_SHORT, 0);
        if (family != AF_INET && family != AF_INET6) {
            return false;
        }
        ByteBuffer bytes = address.asByteBuffer();
        if (Short.toUnsignedInt(bytes.getShort(2)) != wanted.getPort()) {
            return false;
        }
        byte[] ip = wanted.getAddress().getAddress();
        int tail = family == AF_INET ? bytes.getInt(4) : bytes.getInt(20);
        return tail == ByteBuffer.wrap(ip).getInt(ip.length - 4);
    }

    /** Sets the congestion control; tells whether it worked. */
    boolean setCongestion(int descriptor, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(Math.max(1, bytes.length));
            value.asByteBuffer().put(bytes);
            return set(descriptor, TCP_CONGESTION, value, bytes.length);
        }
    }

    /** The congestion control of a socket; empty if it isn't known. */
    String congestion(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(NAME_BYTES + 1);
            MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, NAME_BYTES);
            int result = (int) getsockopt.invokeExact(descriptor, IPPROTO_TCP, TCP_CONGESTION, value, length);
            return result == 0 ? value.getString(0, StandardCharsets.US_ASCII) : "";
        } catch (Throwable e) {
            throw new AssertionError("getsockopt threw", e);
        }
    }

    /** Sets how long sent bytes may stay unacknowledged; tells whether it worked. */
    boolean setUserTimeout(int descriptor, int millis) {
        try (Arena arena = Arena.ofConfined()) {
            return set(descriptor, TCP_USER_TIMEOUT, arena.allocateFrom(ValueLayout.JAVA_INT, millis), Integer.BYTES);
        }
    }

    private boolean set(int descriptor, int option, MemorySegment value, int length) {
        try {
            return (int) setsockopt.invokeExact(descriptor, IPPROTO_TCP, option, value, length) == 0;
        } catch (Throwable e) {
            throw new AssertionError("setsockopt threw", e);
        }
    }
}
