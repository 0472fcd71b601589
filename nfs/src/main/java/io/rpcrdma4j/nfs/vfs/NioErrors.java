package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What {@link java.nio.file} throws, as a status. Where it has no type of its own for an error, the text that the
 * operating system gave decides; text that is not known is NFS3ERR_IO.
 */
final class NioErrors {
    /** A phrase of the operating system and what it means. */
    private record Phrase(String text, NfsStatus status) {}

    private static final List<Phrase> PHRASES = List.of(
            new Phrase("operation not permitted", NfsStatus.NFS3ERR_PERM),
            new Phrase("permission denied", NfsStatus.NFS3ERR_ACCES),
            new Phrase("no space left on device", NfsStatus.NFS3ERR_NOSPC),
            new Phrase("disk quota exceeded", NfsStatus.NFS3ERR_DQUOT),
            new Phrase("read-only file system", NfsStatus.NFS3ERR_ROFS),
            new Phrase("file name too long", NfsStatus.NFS3ERR_NAMETOOLONG),
            new Phrase("not a directory", NfsStatus.NFS3ERR_NOTDIR),
            new Phrase("is a directory", NfsStatus.NFS3ERR_ISDIR),
            new Phrase("directory not empty", NfsStatus.NFS3ERR_NOTEMPTY),
            new Phrase("file too large", NfsStatus.NFS3ERR_FBIG),
            new Phrase("too many links", NfsStatus.NFS3ERR_MLINK),
            new Phrase("cross-device link", NfsStatus.NFS3ERR_XDEV),
            new Phrase("too many open files", NfsStatus.NFS3ERR_JUKEBOX),
            new Phrase("stale file handle", NfsStatus.NFS3ERR_STALE),
            new Phrase("invalid argument", NfsStatus.NFS3ERR_INVAL),
            new Phrase("not supported", NfsStatus.NFS3ERR_NOTSUPP),
            new Phrase("no such device", NfsStatus.NFS3ERR_NXIO),
            new Phrase("too many levels of symbolic links", NfsStatus.NFS3ERR_INVAL));

    private NioErrors() {}

    /** What to throw towards the service for {@code failure}. */
    static FileTreeException translate(Exception failure) {
        if (failure instanceof FileTreeException already) {
            return already;
        }
        return new FileTreeException(statusOf(failure), failure);
    }

    private static NfsStatus statusOf(Exception failure) {
        return switch (failure) {
            case NoSuchFileException e -> NfsStatus.NFS3ERR_NOENT;
            case FileAlreadyExistsException e -> NfsStatus.NFS3ERR_EXIST;
            case DirectoryNotEmptyException e -> NfsStatus.NFS3ERR_NOTEMPTY;
            case AccessDeniedException e -> NfsStatus.NFS3ERR_ACCES;
            case NotDirectoryException e -> NfsStatus.NFS3ERR_NOTDIR;
            case NotLinkException e -> NfsStatus.NFS3ERR_INVAL;
            case AtomicMoveNotSupportedException e -> NfsStatus.NFS3ERR_XDEV;
            case FileSystemLoopException e -> NfsStatus.NFS3ERR_INVAL;
            case ReadOnlyFileSystemException e -> NfsStatus.NFS3ERR_ROFS;
            case UnsupportedOperationException e -> NfsStatus.NFS3ERR_NOTSUPP;
            case IOException e -> fromText(e.getMessage());
            default -> NfsStatus.NFS3ERR_SERVERFAULT;
        };
    }

    private static NfsStatus fromText(@Nullable String message) {
        String text = message == null ? "" : message.toLowerCase(Locale.ROOT);
        for (Phrase phrase : PHRASES) {
            // At the end: what comes before may be the name of a file.
            if (text.endsWith(phrase.text())) {
                return phrase.status();
            }
        }
        return NfsStatus.NFS3ERR_IO;
    }
}
