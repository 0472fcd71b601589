package io.rpcrdma4j.nfs.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Where a server keeps what must survive its restart: a secret key, and which file is where. Nobody but the server's
 * own user may look into it, and no client: it is never inside an export.
 *
 * <h2>Operation</h2>
 *
 * {@link #open} creates the directory (mode 0700) and the key if they are not there, and locks it, so that two servers
 * do not share it. {@link #key} derives one key per purpose.
 *
 * <h2>Threading</h2>
 *
 * Immutable but for {@link #close}.
 */
public final class StateDirectory implements AutoCloseable {
    private static final int KEY_BYTES = 32;
    private static final String MAC = "HmacSHA256";
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path directory;
    private final byte[] secret;
    private final FileChannel lockFile;
    private final boolean deleteAtClose;

    private StateDirectory(Path directory, byte[] secret, FileChannel lockFile, boolean deleteAtClose) {
        this.directory = directory;
        this.secret = secret;
        this.lockFile = lockFile;
        this.deleteAtClose = deleteAtClose;
    }

    /**
     * Opens a state directory.
     *
     * @param directory where it is or will be
     * @throws IOException if it cannot be made or read, if others may look into it, or if another server uses it
     */
    public static StateDirectory open(Path directory) throws IOException {
        return open(directory, false);
    }

    /** Makes a state directory that is deleted when it is closed: file handles do not survive a restart. */
    public static StateDirectory temporary() throws IOException {
        return open(Files.createTempDirectory("rpcrdma4j-", PosixFilePermissions.asFileAttribute(OWNER_ONLY)), true);
    }

    private static StateDirectory open(Path directory, boolean deleteAtClose) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        }
        Path real = directory.toRealPath();
        if (!Files.getPosixFilePermissions(real).equals(OWNER_ONLY)) {
            throw new IOException("state directory " + directory + " must be a directory of mode 0700, since it keeps"
                    + " the key of all file handles: chmod 700 it, or name another");
        }
        FileChannel lockFile = FileChannel.open(
                real.resolve("lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            if (tryLock(lockFile) == null) {
                throw new IOException("state directory " + directory + " is in use by another server");
            }
            return new StateDirectory(real, secret(real), lockFile, deleteAtClose);
        } catch (IOException | RuntimeException e) {
            lockFile.close();
            throw e;
        }
    }

    private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    /** Reads the secret, or makes one; it appears under its name only when it is whole and on the disk. */
    private static byte[] secret(Path directory) throws IOException {
        Path file = directory.resolve("key");
        try {
            byte[] secret = Files.readAllBytes(file);
            if (secret.length != KEY_BYTES) {
                throw new IOException(file + " has " + secret.length + " bytes, not " + KEY_BYTES);
            }
            return secret;
        } catch (NoSuchFileException e) {
            byte[] secret = new byte[KEY_BYTES];
            new SecureRandom().nextBytes(secret);
            Path fresh = directory.resolve("key.new");
            Files.deleteIfExists(fresh);
            try (FileChannel channel = FileChannel.open(
                    fresh,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                ByteBuffer bytes = ByteBuffer.wrap(secret);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            return secret;
        }
    }

    /**
     * Asserts that the directory is not part of what is exported.
     *
     * @throws IOException if it is
     */
    public void requireOutside(Path export) throws IOException {
        if (directory.startsWith(export.toRealPath())) {
            throw new IOException("state directory " + directory + " is inside the exported directory " + export
                    + ": clients could read the key of all file handles; name one outside");
        }
    }

    /** The directory, with all links resolved. */
    public Path path() {
        return directory;
    }

    /**
     * A key for one purpose.
     *
     * @param purpose names it; the same name gives the same key, after a restart too
     * @return 32 bytes
     */
    public byte[] key(String purpose) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(secret, MAC));
            return mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + MAC, e);
        }
    }

    /** Unlocks the directory; if it is temporary, deletes it. */
    @Override
    public void close() throws IOException {
        lockFile.close();
        if (deleteAtClose) {
            List<Path> all;
            try (Stream<Path> walk = Files.walk(directory)) {
                all = walk.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path path : all) {
                Files.deleteIfExists(path);
            }
        }
    }
}
