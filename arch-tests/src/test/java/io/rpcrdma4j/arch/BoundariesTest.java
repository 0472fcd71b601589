package io.rpcrdma4j.arch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.rpcrdma4j.nfs.planted.SeesVerbs;
import io.rpcrdma4j.rpcrdma.engine.planted.ReadsTheClock;
import io.rpcrdma4j.rpcrdma.wire.planted.CallsTheEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class BoundariesTest {
    @ParameterizedTest
    @EnumSource
    void importsOnlyGoDown(Floor floor) {
        Boundaries.importsOnlyGoDown(floor).check(Project.classes());
    }

    @ParameterizedTest
    @MethodSource("purePackages")
    void codecsAndEnginesDoNoInputOrOutput(String packageName) {
        Boundaries.isPure(packageName).check(Project.classes());
    }

    @ParameterizedTest
    @MethodSource("wirePackages")
    void codecsStandAlone(String packageName) {
        Boundaries.wireStandsAlone(packageName).check(Project.classes());
    }

    @ParameterizedTest
    @MethodSource("enginePackages")
    void enginesNeverCallTheirShell(String packageName) {
        Boundaries.engineStandsOnWire(packageName).check(Project.classes());
    }

    @Test
    void packagesHaveNoCycles() {
        Boundaries.packagesHaveNoCycles().check(Project.classes());
    }

    @Test
    void stateHasAnOwner() {
        Boundaries.staticFieldsAreFinal().check(Project.classes());
        Boundaries.publicFieldsAreFinal().check(Project.classes());
    }

    @Test
    void everyModuleOfTheBuildIsAFloor() throws IOException {
        String pom = Files.readString(Project.root().resolve("pom.xml"));
        List<String> modules = Pattern.compile("<module>([^<]+)</module>")
                .matcher(pom)
                .results()
                .map(match -> match.group(1))
                .filter(module -> !module.equals("arch-tests"))
                .toList();
        assertThat(Arrays.stream(Floor.values()).map(Floor::folder))
                .as("Floor names what each module may import; a new module needs its row there")
                .containsExactlyInAnyOrderElementsOf(modules);
    }

    @Test
    void everyCodecAndEnginePackageIsUnderTheRules() {
        assertThat(Project.classes().stream()
                        .map(JavaClass::getPackageName)
                        .filter(name -> name.matches(".*\\.(wire|engine)(\\..*)?"))
                        .filter(name -> purePackages().noneMatch(pure -> (name + ".").startsWith(pure + ".")))
                        .distinct())
                .as("list these packages in Boundaries.WIRE or Boundaries.ENGINE")
                .isEmpty();
    }

    @Test
    void aPlantedImportUpwardsIsFound() {
        JavaClasses planted = new ClassFileImporter().importClasses(SeesVerbs.class);
        assertThatThrownBy(() -> Boundaries.importsOnlyGoDown(Floor.NFS).check(planted))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("NFS sees RPC only")
                .hasMessageContaining("SeesVerbs");
    }

    @Test
    void aPlantedClockIsFound() {
        JavaClasses planted = new ClassFileImporter().importClasses(ReadsTheClock.class);
        assertThatThrownBy(
                        () -> Boundaries.isPure("io.rpcrdma4j.rpcrdma.engine").check(planted))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("nanoTime")
                .hasMessageContaining("SplittableRandom");
    }

    @Test
    void aPlantedCallFromCodecToEngineIsFound() {
        JavaClasses planted = new ClassFileImporter().importClasses(CallsTheEngine.class, ReadsTheClock.class);
        assertThatThrownBy(() ->
                        Boundaries.wireStandsAlone("io.rpcrdma4j.rpcrdma.wire").check(planted))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("CallsTheEngine");
        assertThatThrownBy(() -> Boundaries.packagesHaveNoCycles().check(planted))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Cycle");
    }

    @Test
    void aPlantedMutableStaticIsFound() {
        JavaClasses planted = new ClassFileImporter().importClasses(ReadsTheClock.class);
        assertThatThrownBy(() -> Boundaries.staticFieldsAreFinal().check(planted))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("counter");
    }

    @Test
    void aRuleThatMatchesNoClassFails() {
        JavaClasses nothingOfNfs = new ClassFileImporter().importClasses(ReadsTheClock.class);
        assertThatThrownBy(() -> Boundaries.importsOnlyGoDown(Floor.NFS).check(nothingOfNfs))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("failed to check any classes");
    }

    static Stream<String> purePackages() {
        return Stream.concat(wirePackages(), enginePackages());
    }

    static Stream<String> wirePackages() {
        return Boundaries.WIRE.stream();
    }

    static Stream<String> enginePackages() {
        return Boundaries.ENGINE.stream();
    }
}
