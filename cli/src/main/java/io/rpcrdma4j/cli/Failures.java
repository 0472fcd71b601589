package io.rpcrdma4j.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.jspecify.annotations.Nullable;

/** Says in one line what went wrong. */
final class Failures {
    private Failures() {}

    /** The line for an exception: what failed, with which file or address, and why. */
    static String line(Throwable failure) {
        return failure instanceof FileSystemException file ? fileLine(file) : oneLine(failure);
    }

    private static String fileLine(FileSystemException failure) {
        String reason = switch (failure) {
            case NoSuchFileException missing -> "no such file or directory";
            case AccessDeniedException denied -> "permission denied";
            case FileAlreadyExistsException exists -> "exists already";
            case DirectoryNotEmptyException full -> "the directory is not empty";
            case NotDirectoryException file -> "not a directory";
            default -> {
                String given = failure.getReason();
                yield given == null ? "cannot be used" : given;
            }
        };
        String file = failure.getFile();
        String other = failure.getOtherFile();
        return (file == null ? "" : file) + (other == null ? "" : " to " + other) + ": " + reason;
    }

    private static String oneLine(Throwable failure) {
        String text = failure.getMessage();
        if (text == null || text.isBlank()) {
            text = failure.getClass().getSimpleName();
        }
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }

    /** Whether the reader of our output went away: then there is nobody to tell it. */
    static boolean isClosedPipe(@Nullable Throwable failure) {
        return failure instanceof IOException
                && failure.getMessage() != null
                && failure.getMessage().contains("Broken pipe");
    }
}
