package io.rpcrdma4j.arch;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * What the text of the sources must not contain, and how long its parts may be. A finding is one line:
 * {@code path:line: what is wrong; what to do instead}.
 */
final class TidyRules {
    static final int FILE_LINES_MAX = 600;
    static final int METHOD_LINES_MAX = 70;
    static final int LINE_COLUMNS_MAX = 120;

    /** These spell out what is banned. */
    private static final List<String> THE_RULES_THEMSELVES =
            List.of("/arch/TidyRules.java", "/arch/TidyRulesTest.java", "/arch/Boundaries.java");

    /** Something that must not appear, where, and its replacement. */
    record Ban(String what, Pattern pattern, Predicate<SourceFile> where, String instead) {}

    static final List<Ban> BANS = List.of(
            new Ban(
                    "cites a draft",
                    Pattern.compile("draft-(ietf|[a-z]+-)"),
                    file -> true,
                    "cite the RFC and its section"),
            new Ban(
                    "cites an obsolete RFC",
                    Pattern.compile("RFC ?(1014|1057|1831|1832|3010|3530|5666|5667)\\b"),
                    file -> true,
                    "cite RFC 4506 (XDR), 5531 (RPC), 7530 or 8881 (NFSv4), 8166 or 8267 (RPC over RDMA)"),
            new Ban(
                    "holds a merge conflict",
                    Pattern.compile("^(<{7}|>{7}) ", Pattern.MULTILINE),
                    file -> true,
                    "resolve it"),
            new Ban(
                    "leaves work without saying where it is tracked",
                    Pattern.compile("\\b(TODO|FIXME)\\b(?!\\(#[0-9]+\\))"),
                    file -> true,
                    "do it now, or write it as a to-do with the number of its issue: TODO(#12)"),
            new Ban(
                    "prints a stack trace",
                    Pattern.compile("\\.printStackTrace\\("),
                    SourceFile::isJava,
                    "log it once at the layer that decides, or let it pass"),
            new Ban(
                    "relies on finalization",
                    Pattern.compile("void finalize\\("),
                    SourceFile::isJava,
                    "implement AutoCloseable and name the owner"),
            new Ban(
                    "writes to the standard streams",
                    Pattern.compile("\\bSystem\\.(out|err)\\b"),
                    SourceFile::isLibraryJava,
                    "return a value or use a logger; only the command line and the benchmarks print"),
            new Ban(
                    "ends the process",
                    Pattern.compile("\\bSystem\\.exit\\(|\\.halt\\("),
                    SourceFile::isLibraryJava,
                    "throw; only the command line decides to exit"),
            new Ban(
                    "sleeps",
                    Pattern.compile("\\bThread\\.sleep\\(|\\bTimeUnit\\.[A-Z]+\\.sleep\\("),
                    SourceFile::isJava,
                    "wait for a condition with a deadline"),
            new Ban(
                    "uses randomness that cannot be repeated",
                    Pattern.compile("new (Splittable)?Random\\(\\)|\\bMath\\.random\\(|\\bThreadLocalRandom\\b"),
                    SourceFile::isTestJava,
                    "take the seed from the test's parameters and print it on failure"),
            new Ban(
                    "disables a test without a reason",
                    Pattern.compile("@Disabled\\b(?!\\(\")"),
                    SourceFile::isTestJava,
                    "write @Disabled(\"why, and until when\")"),
            // "/home/me" is nobody's: examples may use it.
            new Ban(
                    "names a place on somebody's machine",
                    Pattern.compile("(?<![\\w.$}-])/(home(?!/me\\b)|root|work|Users)/\\w|temurin-25-jdk"),
                    file -> true,
                    "use a relative path, an option or a search"),
            new Ban(
                    "names a package registry",
                    Pattern.compile(
                            "repo1?\\.maven|maven\\.org|sonatype\\.(org|com)|npmjs\\.(org|com)|deb\\.debian\\.org"),
                    file -> true,
                    "leave it to the user's own Maven or apt settings"));

    private static final Pattern SAYS_WHO_MAY_CALL = Pattern.compile("thread|confined", Pattern.CASE_INSENSITIVE);

    private TidyRules() {}

    /** All that is wrong with {@code files}. */
    static List<String> check(List<SourceFile> files) {
        List<String> findings = new ArrayList<>();
        for (SourceFile file : files) {
            if (THE_RULES_THEMSELVES.stream().noneMatch(file.path()::endsWith)) {
                BANS.stream().filter(ban -> ban.where().test(file)).forEach(ban -> addBanned(file, ban, findings));
            }
            if (file.isJava()) {
                addLongLines(file, findings);
            }
            int lines = file.lines().size();
            if (file.isMainJava() && lines > FILE_LINES_MAX) {
                findings.add("%s: has %d lines, more than %d; a concept is missing, give it a class of its own"
                        .formatted(file.path(), lines, FILE_LINES_MAX));
            }
        }
        addStructure(files.stream().filter(SourceFile::isMainJava).toList(), findings);
        return findings;
    }

    private static void addBanned(SourceFile file, Ban ban, List<String> findings) {
        Matcher matcher = ban.pattern().matcher(file.text());
        while (matcher.find()) {
            long line = 1
                    + file.text()
                            .substring(0, matcher.start())
                            .chars()
                            .filter(c -> c == '\n')
                            .count();
            findings.add("%s:%d: %s (%s); %s".formatted(file.path(), line, ban.what(), matcher.group(), ban.instead()));
        }
    }

    private static void addLongLines(SourceFile file, List<String> findings) {
        List<String> lines = file.lines();
        for (int i = 0; i < lines.size(); i++) {
            int columns = lines.get(i).codePointCount(0, lines.get(i).length());
            if (columns > LINE_COLUMNS_MAX) {
                findings.add("%s:%d: has %d columns, more than %d; break the line"
                        .formatted(file.path(), i + 1, columns, LINE_COLUMNS_MAX));
            }
        }
    }

    /** What only the parsed source tells: the length of methods, and classes that hide who may call them. */
    private static void addStructure(List<SourceFile> files, List<String> findings) {
        Map<URI, SourceFile> byUri = files.stream().collect(Collectors.toMap(TidyRules::uri, Function.identity()));
        List<JavaFileObject> sources = files.stream().map(TidyRules::inMemory).toList();
        if (sources.isEmpty()) {
            return;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task = (JavacTask) compiler.getTask(null, null, null, List.of(), null, sources);
        Trees trees = Trees.instance(task);
        for (CompilationUnitTree unit : parse(task)) {
            SourceFile file =
                    Objects.requireNonNull(byUri.get(unit.getSourceFile().toUri()));
            new StructureScanner(file, unit, trees, findings).scan(unit, null);
        }
    }

    private static final class StructureScanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final SourceFile file;
        private final CompilationUnitTree unit;
        private final Trees trees;
        private final List<String> findings;

        StructureScanner(SourceFile file, CompilationUnitTree unit, Trees trees, List<String> findings) {
            this.file = file;
            this.unit = unit;
            this.trees = trees;
            this.findings = findings;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
            long end = trees.getSourcePositions().getEndPosition(unit, method);
            // A constructor that the compiler adds has no end in the text.
            if (end >= 0) {
                long first = firstLineOf(method);
                long length = unit.getLineMap().getLineNumber(end) - first + 1;
                if (length > METHOD_LINES_MAX) {
                    findings.add("%s:%d: method %s has %d lines, more than %d; split it into decide and compute"
                            .formatted(file.path(), first, method.getName(), length, METHOD_LINES_MAX));
                }
            }
            return super.visitMethod(method, null);
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void unused) {
            boolean topLevel = getCurrentPath().getParentPath().getLeaf() == unit;
            if (topLevel && file.isLibraryJava() && isPublicBaseClass(type) && hasMutableField(type)) {
                String comment = trees.getDocComment(getCurrentPath());
                if (comment == null || !SAYS_WHO_MAY_CALL.matcher(comment).find()) {
                    findings.add(("%s:%d: class %s has mutable fields and does not say which threads may call it;"
                                    + " add a section Threading to its Javadoc")
                            .formatted(file.path(), firstLineOf(type), type.getSimpleName()));
                }
            }
            return super.visitClass(type, null);
        }

        private long firstLineOf(Tree tree) {
            return unit.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(unit, tree));
        }

        /** What a subclass may be called by, its base class says. */
        private static boolean isPublicBaseClass(ClassTree type) {
            return type.getKind() == Tree.Kind.CLASS
                    && type.getExtendsClause() == null
                    && type.getModifiers().getFlags().contains(Modifier.PUBLIC);
        }

        private static boolean hasMutableField(ClassTree type) {
            return type.getMembers().stream()
                    .filter(VariableTree.class::isInstance)
                    .map(member -> ((VariableTree) member).getModifiers().getFlags())
                    .anyMatch(flags -> !flags.contains(Modifier.FINAL) && !flags.contains(Modifier.STATIC));
        }
    }

    private static Iterable<? extends CompilationUnitTree> parse(JavacTask task) {
        try {
            return task.parse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URI uri(SourceFile file) {
        return URI.create("string:///" + file.path());
    }

    private static JavaFileObject inMemory(SourceFile file) {
        return new SimpleJavaFileObject(uri(file), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return file.text();
            }
        };
    }
}
