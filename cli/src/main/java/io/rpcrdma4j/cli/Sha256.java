package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsPath;
import io.rpcrdma4j.nfs.client.NfsReader;
import io.rpcrdma4j.nfs.client.Transfers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The SHA-256 of what passes. Used by one thread. */
final class Sha256 implements Transfers.Observer {
    private static final int BUFFER_BYTES = 1 << 20;

    private final MessageDigest digest;

    Sha256() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    @Override
    public void onBytes(ByteBuffer bytes) {
        digest.update(bytes.duplicate());
    }

    /** The sum of all that passed, in hexadecimal. */
    String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The sum of a local file, read anew. */
    static String ofFile(Path file) throws IOException {
        Sha256 sum = new Sha256();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
            while (channel.read(buffer) >= 0) {
                sum.onBytes(buffer.flip());
                buffer.clear();
            }
        }
        return sum.hex();
    }

    /** The sum of a server's file, read anew. */
    static String ofRemote(NfsMount mount, NfsPath path) throws IOException {
        Sha256 sum = new Sha256();
        try (NfsReader reader = mount.read(path)) {
            Transfers.read(reader, new Nowhere(), sum);
        }
        return sum.hex();
    }

    /** A channel that takes everything and keeps nothing. */
    private static final class Nowhere implements WritableByteChannel {
        @Override
        public int write(ByteBuffer bytes) {
            int length = bytes.remaining();
            bytes.position(bytes.limit());
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
