package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.FileName;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path inside a server's name space: names below the root, each of them a string of bytes, as NFSv3 has them (RFC
 * 1813 §2.6). Immutable. It has nothing to do with paths of this machine.
 *
 * <p>Text stands for the bytes of its UTF-8 form. {@link #toString()} writes every byte that is not printable UTF-8,
 * and the percent sign, as {@code %XX}; {@link #parseEscaped} reads that back.
 */
public final class NfsPath {
    /** The root. */
    public static final NfsPath ROOT = new NfsPath(List.of());

    private static final String HEX = "0123456789ABCDEF";

    private final List<FileName> names;

    private NfsPath(List<FileName> names) {
        this.names = names;
    }

    /**
     * Reads a path as a user of Java writes it: names between slashes, no escapes. Empty names and {@code .} are left
     * out, {@code ..} takes the name before it away and stops at the root.
     */
    public static NfsPath of(String text) {
        return parse(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The path of these bytes; otherwise as {@link #of}. */
    public static NfsPath of(byte[] text) {
        return parse(text.clone());
    }

    /**
     * Reads a path as it stands in a URL: as {@link #of}, but {@code %XX} stands for a byte.
     *
     * @throws IllegalArgumentException if a percent sign is not followed by two hexadecimal digits, or stands for a
     *     slash or a zero byte, which no name can have
     */
    public static NfsPath parseEscaped(String text) {
        return parseEscaped(text, text);
    }

    static NfsPath parseEscaped(String text, String whole) {
        byte[] in = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream(in.length);
        for (int i = 0; i < in.length; i++) {
            if (in[i] != '%') {
                out.write(in[i]);
                continue;
            }
            int high = i + 2 < in.length ? Character.digit(in[i + 1], 16) : -1;
            int low = i + 2 < in.length ? Character.digit(in[i + 2], 16) : -1;
            if (high < 0 || low < 0) {
                throw new IllegalArgumentException("'%' in '" + whole
                        + "' is not followed by two hexadecimal digits; a percent sign itself is %25");
            }
            int value = high << 4 | low;
            if (value == '/' || value == 0) {
                throw new IllegalArgumentException("'" + whole + "' escapes a byte that no name can have");
            }
            out.write(value);
            i += 2;
        }
        return parse(out.toByteArray());
    }

    private static NfsPath parse(byte[] text) {
        List<FileName> names = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= text.length; i++) {
            if (i < text.length && text[i] != '/') {
                continue;
            }
            byte[] name = Arrays.copyOfRange(text, start, i);
            start = i + 1;
            if (isDotDot(name)) {
                if (!names.isEmpty()) {
                    names.removeLast();
                }
            } else if (name.length > 0 && !(name.length == 1 && name[0] == '.')) {
                names.add(FileName.of(name));
            }
        }
        return names.isEmpty() ? ROOT : new NfsPath(List.copyOf(names));
    }

    private static boolean isDotDot(byte[] name) {
        return name.length == 2 && name[0] == '.' && name[1] == '.';
    }

    /** Number of names; 0 for the root. */
    public int nameCount() {
        return names.size();
    }

    /** Name {@code index}, counted from the root. */
    public FileName name(int index) {
        return names.get(index);
    }

    /** Whether this is the root. */
    public boolean isRoot() {
        return names.isEmpty();
    }

    /**
     * The last name.
     *
     * @throws IllegalStateException if this is the root
     */
    public FileName lastName() {
        if (names.isEmpty()) {
            throw new IllegalStateException("the root has no name");
        }
        return names.getLast();
    }

    /** The path without its last name; the root's is the root. */
    public NfsPath parent() {
        return names.size() < 2 ? ROOT : new NfsPath(names.subList(0, names.size() - 1));
    }

    /** This path and one more name. */
    public NfsPath child(FileName name) {
        return resolve(new NfsPath(List.of(name)));
    }

    /** This path and one more name. */
    public NfsPath child(String name) {
        return child(FileName.of(name));
    }

    /** This path with the names of {@code rest} behind it. */
    public NfsPath resolve(NfsPath rest) {
        List<FileName> all = new ArrayList<>(names);
        all.addAll(rest.names);
        return new NfsPath(List.copyOf(all));
    }

    /** Whether this path is {@code other} or below it. */
    public boolean startsWith(NfsPath other) {
        return other.names.size() <= names.size()
                && names.subList(0, other.names.size()).equals(other.names);
    }

    /** The path without its first {@code count} names. */
    public NfsPath skip(int count) {
        return count == names.size() ? ROOT : new NfsPath(names.subList(count, names.size()));
    }

    /** Printable form of a name: bytes that are not printable UTF-8, and the percent sign, become {@code %XX}. */
    public static String printable(FileName fileName) {
        byte[] name = fileName.toByteArray();
        StringBuilder out = new StringBuilder(name.length);
        int at = 0;
        while (at < name.length) {
            int length = sequenceLength(name, at);
            String text = length == 0 ? "" : new String(name, at, length, StandardCharsets.UTF_8);
            if (length > 0 && isPrintable(text.codePointAt(0))) {
                out.append(text);
                at += length;
            } else {
                int value = name[at++] & 0xff;
                out.append('%').append(HEX.charAt(value >> 4)).append(HEX.charAt(value & 15));
            }
        }
        return out.toString();
    }

    /** Length of the well-formed UTF-8 sequence at {@code at}, or 0. */
    private static int sequenceLength(byte[] name, int at) {
        int first = name[at] & 0xff;
        int length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (at + length > name.length) {
            return 0;
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(name, at, length));
            return length;
        } catch (CharacterCodingException e) {
            return 0;
        }
    }

    private static boolean isPrintable(int codePoint) {
        int type = Character.getType(codePoint);
        return codePoint != '%'
                && type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.UNASSIGNED
                && type != Character.PRIVATE_USE;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NfsPath that && names.equals(that.names);
    }

    @Override
    public int hashCode() {
        return names.hashCode();
    }

    /** The path in printable form, from the root: {@code /a/b}. */
    @Override
    public String toString() {
        if (names.isEmpty()) {
            return "/";
        }
        StringBuilder out = new StringBuilder();
        for (FileName name : names) {
            out.append('/').append(printable(name));
        }
        return out.toString();
    }
}
