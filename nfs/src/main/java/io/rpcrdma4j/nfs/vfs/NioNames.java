package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.LinkText;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Names between the wire, where they are bytes, and {@link Path}, where they are characters.
 *
 * <p>On the default file system a name that is not plain ASCII may have bytes that the platform's encoding cannot
 * express (in the C locale any of them). Such a name goes through a {@code file:} URI, which holds the bytes
 * themselves. On other file systems names are UTF-8.
 */
final class NioNames {
    /** Longest name that is taken, in bytes; what nearly every file system has. */
    static final int NAME_BYTES_MAX = 255;

    private final boolean isDefault;
    private final boolean platformIsUtf8;

    NioNames(Path root) {
        isDefault = root.getFileSystem().equals(FileSystems.getDefault());
        String encoding = System.getProperty("sun.jnu.encoding", "");
        platformIsUtf8 =
                Charset.isSupported(encoding) && Charset.forName(encoding).equals(StandardCharsets.UTF_8);
    }

    /** Whether it is {@code .}. */
    static boolean isSelf(FileName name) {
        return name.length() == 1 && name.byteAt(0) == '.';
    }

    /** Whether it is {@code ..}. */
    static boolean isParent(FileName name) {
        return name.length() == 2 && name.byteAt(0) == '.' && name.byteAt(1) == '.';
    }

    /**
     * Checks that a name is one component that can be made or removed.
     *
     * @throws FileTreeException NFS3ERR_INVAL if it is empty, {@code .} or {@code ..}, or has a slash or a zero byte;
     *     NFS3ERR_NAMETOOLONG if it is too long
     */
    static void requireComponent(FileName name) throws FileTreeException {
        if (name.length() == 0 || isSelf(name) || isParent(name)) {
            throw new FileTreeException(NfsStatus.NFS3ERR_INVAL, "no name of a file: \"" + name + "\"");
        }
        if (name.length() > NAME_BYTES_MAX) {
            throw new FileTreeException(
                    NfsStatus.NFS3ERR_NAMETOOLONG, "a name of " + name.length() + " bytes, more than 255");
        }
        for (int i = 0; i < name.length(); i++) {
            if (name.byteAt(i) == '/' || name.byteAt(i) == 0) {
                throw new FileTreeException(NfsStatus.NFS3ERR_INVAL, "a name with a slash or a zero byte");
            }
        }
    }

    /** The path of {@code name}, which was checked, in {@code directory}. */
    Path resolve(Path directory, FileName name) throws FileTreeException {
        byte[] bytes = name.toByteArray();
        try {
            return directory.resolve(toPath(directory, bytes));
        } catch (InvalidPathException | CharacterCodingException e) {
            throw new FileTreeException(NfsStatus.NFS3ERR_INVAL, e);
        }
    }

    /** The last component of a path that the file system gave. */
    FileName nameOf(Path path) {
        Path last = path.getFileName();
        if (last == null) {
            throw new IllegalArgumentException("no name in " + path);
        }
        String text = last.toString();
        if (isAscii(text)) {
            return FileName.of(text.getBytes(StandardCharsets.ISO_8859_1));
        }
        if (!isDefault) {
            return FileName.of(text);
        }
        byte[] whole = rawBytes(path);
        int end = whole.length;
        while (end > 1 && whole[end - 1] == '/') {
            end--;
        }
        int start = end;
        while (start > 0 && whole[start - 1] != '/') {
            start--;
        }
        byte[] name = new byte[end - start];
        System.arraycopy(whole, start, name, 0, name.length);
        return FileName.of(name);
    }

    /** The path that a symbolic link with this text has as its target; never followed. */
    Path toTarget(Path directory, LinkText text) throws FileTreeException {
        byte[] bytes = text.toByteArray();
        if (bytes.length == 0) {
            throw new FileTreeException(NfsStatus.NFS3ERR_INVAL, "a symbolic link without text");
        }
        for (byte b : bytes) {
            if (b == 0) {
                throw new FileTreeException(NfsStatus.NFS3ERR_INVAL, "a symbolic link with a zero byte");
            }
        }
        try {
            if (!isDefault || isAscii(bytes) || (platformIsUtf8 && isUtf8(bytes))) {
                return directory.getFileSystem().getPath(decode(bytes));
            }
            boolean absolute = bytes[0] == '/';
            Path path = fromRawBytes(absolute ? bytes : prefixed(bytes));
            return absolute ? path : path.getRoot().relativize(path);
        } catch (InvalidPathException | CharacterCodingException e) {
            throw new FileTreeException(NfsStatus.NFS3ERR_INVAL, e);
        }
    }

    /** The text of a symbolic link whose target the file system gave. */
    LinkText textOf(Path target) {
        String text = target.toString();
        if (isAscii(text)) {
            return LinkText.of(text.getBytes(StandardCharsets.ISO_8859_1));
        }
        if (!isDefault) {
            return LinkText.of(text);
        }
        byte[] whole = rawBytes(target);
        if (target.isAbsolute()) {
            return LinkText.of(whole);
        }
        // A URI is absolute: what was added in front is the working directory and a slash.
        byte[] added = rawBytes(Path.of("").toAbsolutePath());
        int skip = added.length;
        while (skip > 0 && added[skip - 1] == '/') {
            skip--;
        }
        byte[] rest = new byte[whole.length - skip - 1];
        System.arraycopy(whole, skip + 1, rest, 0, rest.length);
        return LinkText.of(rest);
    }

    private Path toPath(Path directory, byte[] bytes) throws CharacterCodingException {
        if (!isDefault || isAscii(bytes) || (platformIsUtf8 && isUtf8(bytes))) {
            return directory.getFileSystem().getPath(decode(bytes));
        }
        Path name = fromRawBytes(prefixed(bytes)).getFileName();
        if (name == null) {
            throw new InvalidPathException("/", "no name");
        }
        return name;
    }

    private static byte[] prefixed(byte[] bytes) {
        byte[] path = new byte[bytes.length + 1];
        path[0] = '/';
        System.arraycopy(bytes, 0, path, 1, bytes.length);
        return path;
    }

    private static Path fromRawBytes(byte[] path) {
        StringBuilder uri = new StringBuilder("file://");
        for (byte b : path) {
            if (b == '/') {
                uri.append('/');
            } else {
                uri.append('%').append(Character.forDigit((b >> 4) & 0xf, 16)).append(Character.forDigit(b & 0xf, 16));
            }
        }
        return Path.of(URI.create(uri.toString()));
    }

    /** The bytes of the absolute path, out of its URI. */
    private static byte[] rawBytes(Path path) {
        String uri = path.toUri().getRawPath();
        byte[] bytes = new byte[uri.length()];
        int length = 0;
        for (int i = 0; i < uri.length(); i++) {
            char c = uri.charAt(i);
            if (c == '%') {
                bytes[length++] =
                        (byte) ((Character.digit(uri.charAt(i + 1), 16) << 4) | Character.digit(uri.charAt(i + 2), 16));
                i += 2;
            } else {
                bytes[length++] = (byte) c;
            }
        }
        byte[] exact = new byte[length];
        System.arraycopy(bytes, 0, exact, 0, length);
        return exact;
    }

    private static String decode(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            decode(bytes);
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private static boolean isAscii(byte[] bytes) {
        for (byte b : bytes) {
            if (b < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
