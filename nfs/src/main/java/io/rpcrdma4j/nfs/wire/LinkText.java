package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The text of a symbolic link, as bytes ({@code nfspath3}, RFC 1813 §2.5). Immutable. */
public final class LinkText {
    /** No text. */
    public static final LinkText EMPTY = new LinkText(new byte[0]);

    private final byte[] bytes;

    private LinkText(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A text of these bytes; copied. */
    public static LinkText of(byte[] bytes) {
        return new LinkText(bytes.clone());
    }

    /** A text of these characters in UTF-8. */
    public static LinkText of(String text) {
        return new LinkText(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a text of at most {@link Nfs3#PATH_BYTES_MAX} bytes, inline or placed directly. */
    public static LinkText read(XdrReader reader) throws XdrException {
        int length = (int) reader.readPayloadRange(Nfs3.PATH_BYTES_MAX);
        byte[] bytes = new byte[length];
        MemorySegment.copy(reader.payloadSegment(), ValueLayout.JAVA_BYTE, reader.payloadOffset(), bytes, 0, length);
        return new LinkText(bytes);
    }

    /** Writes the text inline. */
    public void write(XdrWriter writer) {
        writer.writeOpaque(bytes);
    }

    /**
     * Writes the text so that it may be placed directly.
     *
     * @param buffer gets the text, from its start; at least {@link #length()} bytes; its ownership moves to the message
     */
    public void writePayload(XdrWriter writer, PayloadBuffer buffer) {
        MemorySegment.copy(bytes, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        writer.payload(buffer, 0, bytes.length);
    }

    /** Number of bytes. */
    public int length() {
        return bytes.length;
    }

    /** A copy of the bytes. */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LinkText that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The text read as UTF-8; bytes that are not UTF-8 are replaced. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
