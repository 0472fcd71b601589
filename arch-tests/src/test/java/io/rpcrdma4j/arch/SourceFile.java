package io.rpcrdma4j.arch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One text file of the source tree.
 *
 * @param path relative to the root, with forward slashes
 * @param text all of it
 */
record SourceFile(String path, String text) {
    private static final Set<String> HIDDEN_BUT_OURS = Set.of(".ci", ".mvn");
    private static final long SIZE_MAX = 1 << 20;

    /** Every text file below {@code root} that is not made by the build. */
    static List<SourceFile> allBelow(Path root) throws IOException {
        List<SourceFile> files = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = String.valueOf(folder.getFileName());
                boolean hidden = name.startsWith(".") && !HIDDEN_BUT_OURS.contains(name);
                return !folder.equals(root) && (hidden || name.equals("target"))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                // In a work tree of git's, .git is a file.
                if (attributes.isRegularFile() && !file.endsWith(".git") && attributes.size() <= SIZE_MAX) {
                    byte[] bytes = read(file);
                    if (isText(bytes)) {
                        String path = root.relativize(file).toString().replace('\\', '/');
                        files.add(new SourceFile(path, new String(bytes, StandardCharsets.UTF_8)));
                    }
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    List<String> lines() {
        return text.lines().toList();
    }

    boolean isJava() {
        return path.endsWith(".java");
    }

    /** Java that ships: neither a test nor the contract suite, which is one. */
    boolean isMainJava() {
        return isJava() && path.contains("/src/main/java/") && !isIn("verbs-tck");
    }

    /** Java that others embed: it neither prints nor ends the process. */
    boolean isLibraryJava() {
        return isMainJava() && !isIn("cli") && !isIn("bench");
    }

    boolean isTestJava() {
        return isJava() && !isMainJava();
    }

    /** Whether the file belongs to the module in folder {@code module}. */
    boolean isIn(String module) {
        return path.startsWith(module + "/");
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private static boolean isText(byte[] bytes) {
        for (byte b : bytes) {
            if (b == 0) {
                return false;
            }
        }
        return true;
    }
}
