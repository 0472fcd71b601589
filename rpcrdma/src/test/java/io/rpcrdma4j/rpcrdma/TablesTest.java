package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of tests in the documentation say what is there. */
final class TablesTest {

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern TEST_METHOD = Pattern.compile("\\bvoid (\\w+)\\(");

    /** Cells of the rows of a table whose first cell matches. */
    private static List<String[]> rows(String document, String firstCell) throws IOException {
        List<String[]> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", document))) {
            if (!line.startsWith("| ")) {
                continue;
            }
            String[] cells = line.substring(2).split(" \\|( |$)", -1);
            if (cells[0].matches(firstCell)) {
                rows.add(cells);
            }
        }
        return rows;
    }

    /** Names of the methods of each test class of all modules, by the simple name of the class. */
    private static Map<String, List<String>> testMethods() throws IOException {
        Map<String, List<String>> methods = new TreeMap<>();
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.toList()) {
                for (String kind : List.of("test", "main")) {
                    Path folder = module.resolve("src").resolve(kind).resolve("java");
                    if (Files.isDirectory(folder)) {
                        try (Stream<Path> files = Files.walk(folder)) {
                            files.filter(file -> file.toString().endsWith(".java"))
                                    .forEach(sources::add);
                        }
                    }
                }
            }
        }
        for (Path source : sources) {
            String text = Files.readString(source);
            if (!text.contains("@Test") && !text.contains("@ParameterizedTest")) {
                continue;
            }
            String name = source.getFileName().toString().replace(".java", "");
            Matcher matcher = TEST_METHOD.matcher(text);
            while (matcher.find()) {
                methods.computeIfAbsent(name, ignored -> new ArrayList<>()).add(matcher.group(1));
            }
        }
        return methods;
    }

    private static List<String> codes(String cell) {
        return CODE.matcher(cell).results().map(match -> match.group(1)).toList();
    }

    @Test
    void everyEdgeCaseHasATestWithItsNumber() throws IOException {
        List<String[]> rows = rows("edge-cases.md", "\\d+");
        Map<String, List<String>> methods = testMethods();
        assertThat(rows.stream().map(cells -> Integer.valueOf(cells[0])))
                .as("numbers")
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 55).boxed().toList());
        for (String[] cells : rows) {
            String prefix = "case%02d".formatted(Integer.valueOf(cells[0]));
            List<String> classes = codes(cells[3]);
            assertThat(classes).as("test classes of case %s", cells[0]).isNotEmpty();
            for (String name : classes) {
                assertThat(methods.getOrDefault(name, List.of()))
                        .as("tests of case %s in %s", cells[0], name)
                        .anyMatch(method -> method.startsWith(prefix));
            }
        }
    }

    @Test
    void everyFaultOfOthersHasATestWithItsNumberOrAReason() throws IOException {
        List<String[]> rows = rows("bugs.md", "B\\d+");
        Map<String, List<String>> methods = testMethods();
        assertThat(rows.stream().map(cells -> Integer.valueOf(cells[0].substring(1))))
                .as("numbers")
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 79).boxed().toList());
        for (String[] cells : rows) {
            String number = cells[0].toLowerCase(Locale.ROOT);
            List<String> references = codes(cells[2]);
            assertThat(references.isEmpty())
                    .as("%s has tests, or says none", number)
                    .isEqualTo(cells[2].equals("none"));
            for (String reference : references) {
                int dot = reference.indexOf('.');
                String name = dot < 0 ? reference : reference.substring(0, dot);
                assertThat(methods.getOrDefault(name, List.of()))
                        .as("%s in %s", number, name)
                        .anyMatch(method -> dot < 0
                                ? method.matches(number + "\\D.*|b\\d\\d" + number + "\\D.*")
                                : method.equals(reference.substring(dot + 1)));
            }
        }
    }
}
