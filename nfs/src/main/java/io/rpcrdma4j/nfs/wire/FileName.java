package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One component of a path, as bytes ({@code filename3}, RFC 1813 §2.5). It is what the peer sent, valid or not.
 * Immutable.
 */
public final class FileName implements Comparable<FileName> {
    private final byte[] bytes;

    private FileName(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A name of these bytes; copied. */
    public static FileName of(byte[] bytes) {
        return new FileName(bytes.clone());
    }

    /** A name of these characters in UTF-8. */
    public static FileName of(String text) {
        return new FileName(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a name of at most {@link Nfs3#NAME_BYTES_MAX} bytes. */
    public static FileName read(XdrReader reader) throws XdrException {
        return new FileName(reader.readOpaque(Nfs3.NAME_BYTES_MAX));
    }

    /** Writes the name. */
    public void write(XdrWriter writer) {
        writer.writeOpaque(bytes);
    }

    /** Number of bytes. */
    public int length() {
        return bytes.length;
    }

    /** Byte {@code index}. */
    public byte byteAt(int index) {
        return bytes[index];
    }

    /** A copy of the bytes. */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /** Copies the bytes to {@code target} from index {@code offset} on. */
    public void copyTo(byte[] target, int offset) {
        System.arraycopy(bytes, 0, target, offset, bytes.length);
    }

    /** Compares the bytes, unsigned. */
    @Override
    public int compareTo(FileName other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FileName that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The name read as UTF-8; bytes that are not UTF-8 are replaced. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
