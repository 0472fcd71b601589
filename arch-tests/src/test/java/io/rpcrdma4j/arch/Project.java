package io.rpcrdma4j.arch;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.nio.file.Path;

/** The compiled classes of all modules, and the place of the source tree. */
final class Project {
    /** Classes of the project without its tests; imported once. */
    private static final JavaClasses CLASSES =
            new ClassFileImporter().withImportOption(Project::isNotATest).importPackages("io.rpcrdma4j");

    private Project() {}

    static JavaClasses classes() {
        return CLASSES;
    }

    static Path root() {
        return Path.of(System.getProperty("project.root", ".."))
                .toAbsolutePath()
                .normalize();
    }

    private static boolean isNotATest(Location location) {
        return !location.contains("/test-classes/");
    }
}
