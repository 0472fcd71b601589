package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Names a file towards the server that issued it: 0 to 64 bytes that mean nothing to anyone else ({@code nfs_fh3}, RFC
 * 1813 §2.3.3). Immutable.
 */
public final class FileHandle {
    /** A handle of no bytes: stands for a handle that a reply could have had and does not. */
    public static final FileHandle NONE = new FileHandle(new byte[0]);

    private final byte[] bytes;

    private FileHandle(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A handle of these bytes.
     *
     * @param bytes at most {@link Nfs3#HANDLE_BYTES_MAX}; copied
     * @throws IllegalArgumentException if there are more
     */
    public static FileHandle of(byte[] bytes) {
        return of(bytes, bytes.length);
    }

    /** A handle of the first {@code length} bytes of an array; copied. */
    public static FileHandle of(byte[] bytes, int length) {
        if (length > Nfs3.HANDLE_BYTES_MAX) {
            throw new IllegalArgumentException("a file handle of " + length + " bytes, more than 64");
        }
        return length == 0 ? NONE : new FileHandle(Arrays.copyOf(bytes, length));
    }

    /** Reads a handle. */
    public static FileHandle read(XdrReader reader) throws XdrException {
        byte[] bytes = reader.readOpaque(Nfs3.HANDLE_BYTES_MAX);
        return bytes.length == 0 ? NONE : new FileHandle(bytes);
    }

    /** Reads a {@code post_op_fh3}: {@link #NONE} if the reply has none. */
    public static FileHandle readOptional(XdrReader reader) throws XdrException {
        return reader.readBoolean() ? read(reader) : NONE;
    }

    /** Writes the handle. */
    public void write(XdrWriter writer) {
        writer.writeOpaque(bytes);
    }

    /** Writes a {@code post_op_fh3}, without a handle if this is empty. */
    public void writeOptional(XdrWriter writer) {
        writer.writeBoolean(bytes.length > 0);
        if (bytes.length > 0) {
            write(writer);
        }
    }

    /** Number of bytes: 0 to 64. */
    public int length() {
        return bytes.length;
    }

    /** Whether it has no bytes. */
    public boolean isEmpty() {
        return bytes.length == 0;
    }

    /** A copy of the bytes. */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /**
     * Whether the first {@code count} bytes are those of {@code other}, found out in a time that does not depend on
     * where they differ.
     *
     * @param count at most {@link #length()}
     */
    public boolean startsWith(byte[] other, int count) {
        int difference = 0;
        for (int i = 0; i < count; i++) {
            difference |= bytes[i] ^ other[i];
        }
        return difference == 0;
    }

    /** Copies the bytes to the start of {@code target}. */
    public void copyTo(byte[] target) {
        System.arraycopy(bytes, 0, target, 0, bytes.length);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FileHandle that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The bytes in hexadecimal. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
