package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The path of a directory, as bytes ({@code dirpath}): the arguments of MNT and UMNT (RFC 1813 §5.1.4). Immutable. It
 * is never given to the local file system as a whole, only taken apart at its slashes.
 */
public final class MountPath {
    /** The path of the export's root. */
    public static final MountPath ROOT = of("/");

    private final byte[] bytes;

    private MountPath(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A path of these characters in UTF-8. */
    public static MountPath of(String text) {
        return new MountPath(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a path of at most {@link Mount3#PATH_BYTES_MAX} bytes. */
    public static MountPath read(XdrReader reader) throws XdrException {
        return new MountPath(reader.readOpaque(Mount3.PATH_BYTES_MAX));
    }

    /** Writes the path. */
    public void write(XdrWriter writer) {
        writer.writeOpaque(bytes);
    }

    /** Whether it begins with a slash. */
    public boolean isAbsolute() {
        return bytes.length > 0 && bytes[0] == '/';
    }

    /** The names between the slashes, in order; empty ones are left out. */
    public List<FileName> names() {
        List<FileName> names = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '/') {
                if (i > start) {
                    names.add(FileName.of(Arrays.copyOfRange(bytes, start, i)));
                }
                start = i + 1;
            }
        }
        return names;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MountPath that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The path read as UTF-8; bytes that are not UTF-8 are replaced. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
