package io.rpcrdma4j.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TidyTest {
    private static List<SourceFile> files = List.of();

    @BeforeAll
    static void readTheSources() throws IOException {
        files = SourceFile.allBelow(Project.root());
    }

    @Test
    void theWholeTreeIsSeen() {
        assertThat(files.stream().map(SourceFile::path))
                .contains("pom.xml", ".ci/run", ".mvn/jvm.config", "README.md", "rpcrdma4j", "verbs/pom.xml");
        for (Floor floor : Floor.values()) {
            assertThat(files.stream().filter(SourceFile::isJava).filter(file -> file.isIn(floor.folder())))
                    .as("Java files of module %s", floor.folder())
                    .isNotEmpty();
        }
        assertThat(files.stream().map(SourceFile::path)).noneMatch(path -> path.contains("/target/"));
    }

    @Test
    void everyFileIsTidy() {
        assertThat(TidyRules.check(files)).isEmpty();
    }

    @Test
    void everyPackageSaysWhatItIsFor() {
        Set<String> documented = files.stream()
                .filter(file -> file.path().endsWith("/package-info.java")
                        && file.text().contains("/**"))
                .map(file -> folderOf(file.path()))
                .collect(Collectors.toSet());
        assertThat(files.stream()
                        .filter(file -> file.isJava() && file.path().contains("/src/main/java/"))
                        .filter(file -> !file.path().endsWith("/module-info.java"))
                        .map(file -> folderOf(file.path()))
                        .distinct()
                        .filter(folder -> !documented.contains(folder)))
                .as("packages that need a package-info.java with Javadoc")
                .isEmpty();
    }

    @Test
    void everyModuleSaysWhatItIsForAndIsNullMarked() {
        List<SourceFile> modules = files.stream()
                .filter(file -> file.path().endsWith("/src/main/java/module-info.java"))
                .toList();
        assertThat(modules)
                .as("a module-info.java in each module but the benchmarks, whose peers are not modular")
                .hasSize(Floor.values().length - 1);
        assertThat(modules)
                .allSatisfy(file -> assertThat(file.text())
                        .as(file.path())
                        .contains("/**")
                        .contains("@NullMarked")
                        .contains("requires static org.jspecify"));
    }

    private static String folderOf(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }
}
