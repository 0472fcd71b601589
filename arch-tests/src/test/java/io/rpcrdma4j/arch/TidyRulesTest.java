package io.rpcrdma4j.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TidyRulesTest {
    private static final String MAIN = "rpc/src/main/java/io/rpcrdma4j/rpc/A.java";
    private static final String TEST = "rpc/src/test/java/io/rpcrdma4j/rpc/ATest.java";
    private static final String CLI = "cli/src/main/java/io/rpcrdma4j/cli/A.java";

    @ParameterizedTest
    @MethodSource
    void whatIsBannedIsFoundWithItsLineAndItsReplacement(String path, String line, String replacement) {
        SourceFile file = new SourceFile(path, "\n" + line + "\n");
        assertThat(check(file))
                .singleElement()
                .asString()
                .startsWith(path + ":2: ")
                .contains(replacement);
    }

    static Stream<Arguments> whatIsBannedIsFoundWithItsLineAndItsReplacement() {
        return Stream.of(
                Arguments.of(MAIN, "// see draft-ietf-nfsv4-rfc5666bis", "cite the RFC"),
                Arguments.of(MAIN, "// RFC 5666 section 3", "8166"),
                Arguments.of("docs/a.md", "RFC 1831", "5531"),
                Arguments.of("docs/a.md", "<<<<<<< HEAD", "resolve"),
                Arguments.of(MAIN, "// TODO later", "TODO(#12)"),
                Arguments.of("scripts/a.sh", "# FIXME", "TODO(#12)"),
                Arguments.of(TEST, "// e.printStackTrace();", "log it once"),
                Arguments.of(MAIN, "// void finalize() {", "AutoCloseable"),
                Arguments.of(MAIN, "// System.out.println(1)", "logger"),
                Arguments.of(MAIN, "// System.exit(1)", "throw"),
                Arguments.of(TEST, "// Thread.sleep(10)", "deadline"),
                Arguments.of(CLI, "// TimeUnit.SECONDS.sleep(1)", "deadline"),
                Arguments.of(TEST, "// new Random()", "seed"),
                Arguments.of(TEST, "// ThreadLocalRandom.current()", "seed"),
                Arguments.of(TEST, "// @Disabled", "why"),
                Arguments.of("docs/a.md", "in /home/alice/project", "relative path"),
                Arguments.of("pom.xml", "https://repo1.maven.org/maven2", "settings"));
    }

    @ParameterizedTest
    @MethodSource
    void whatIsAllowedIsNotFound(String path, String line) {
        assertThat(check(new SourceFile(path, line + "\n"))).isEmpty();
    }

    static Stream<Arguments> whatIsAllowedIsNotFound() {
        return Stream.of(
                Arguments.of(MAIN, "// RFC 8166 section 3.4.4"),
                Arguments.of(MAIN, "// TODO(#12) later"),
                Arguments.of(CLI, "// System.out.println(1)"),
                Arguments.of(TEST, "// System.err.println(seed)"),
                Arguments.of(TEST, "// new SplittableRandom(seed)"),
                Arguments.of(TEST, "// @Disabled(\"needs an adapter\")"),
                Arguments.of("docs/a.md", "in $ROOT/work/a, ~/.m2 and /home/me/a"));
    }

    @Test
    void aFileOfTooManyLinesIsFound() {
        String text = "// a\n".repeat(TidyRules.FILE_LINES_MAX);
        assertThat(check(new SourceFile(MAIN, text))).isEmpty();
        assertThat(check(new SourceFile(MAIN, text + "// a\n")))
                .singleElement()
                .asString()
                .contains("has 601 lines");
        assertThat(check(new SourceFile(TEST, text + "// a\n"))).isEmpty();
    }

    @Test
    void aMethodOfTooManyLinesIsFound() {
        String longest = "    void m() {\n" + "        n();\n".repeat(TidyRules.METHOD_LINES_MAX - 2) + "    }\n";
        String tooLong = "    void m() {\n" + "        n();\n".repeat(TidyRules.METHOD_LINES_MAX - 1) + "    }\n";
        assertThat(check(new SourceFile(MAIN, "class A {\n" + longest + "}\n"))).isEmpty();
        assertThat(check(new SourceFile(MAIN, "class A {\n" + tooLong + "}\n")))
                .singleElement()
                .asString()
                .startsWith(MAIN + ":2: method m has 71 lines");
    }

    @Test
    void aMutableClassThatHidesItsThreadsIsFound() {
        String mutable = "public final class A {\n    private int n;\n}\n";
        assertThat(check(new SourceFile(MAIN, "/** A. */\n" + mutable)))
                .singleElement()
                .asString()
                .startsWith(MAIN + ":2: class A")
                .contains("Threading");
        assertThat(check(new SourceFile(MAIN, "/** Confined to the event loop. */\n" + mutable)))
                .isEmpty();
        assertThat(check(new SourceFile(MAIN, mutable.replace("private", "private final"))))
                .isEmpty();
        assertThat(check(new SourceFile(MAIN, mutable.replace("public ", "")))).isEmpty();
    }

    @Test
    void aLineOfTooManyColumnsIsFound() {
        String line = "//" + "a".repeat(TidyRules.LINE_COLUMNS_MAX - 2);
        assertThat(check(new SourceFile(TEST, line + "\n"))).isEmpty();
        assertThat(check(new SourceFile(TEST, line + "a\n")))
                .singleElement()
                .asString()
                .contains("has 121 columns");
    }

    private static List<String> check(SourceFile file) {
        return TidyRules.check(List.of(file));
    }
}
