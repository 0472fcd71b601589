package io.rpcrdma4j.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Set;

/** The rules that keep the house as it was planned. Each fails when it matches no class. */
final class Boundaries {
    /** Codecs: bytes in, values out. */
    static final List<String> WIRE = List.of(
            "io.rpcrdma4j.verbs.iwarp.wire",
            "io.rpcrdma4j.rpc.xdr",
            "io.rpcrdma4j.rpcrdma.wire",
            "io.rpcrdma4j.nfs.wire");

    /** Protocol logic that is stepped from outside. */
    static final List<String> ENGINE = List.of("io.rpcrdma4j.verbs.iwarp.engine", "io.rpcrdma4j.rpcrdma.engine");

    private static final String XDR = "io.rpcrdma4j.rpc.xdr";

    /** Who owns a buffer: what XDR is written into and payloads are made of. */
    private static final String MEMORY = "io.rpcrdma4j.rpc.memory";

    private static final List<String> IMPURE_PACKAGES = List.of(
            "java.net",
            "java.nio.channels",
            "java.nio.file",
            "java.util.logging",
            "java.util.random",
            "java.time",
            "org.slf4j");

    private static final Set<String> IMPURE_CLASSES = Set.of(
            "java.io.File",
            "java.io.InputStream",
            "java.io.OutputStream",
            "java.io.PrintStream",
            "java.lang.Thread",
            "java.lang.ThreadLocal",
            "java.lang.System$Logger",
            "java.security.SecureRandom",
            "java.util.Random",
            "java.util.SplittableRandom",
            "java.util.Timer",
            "java.util.concurrent.CompletableFuture",
            "java.util.concurrent.Executor",
            "java.util.concurrent.ExecutorService",
            "java.util.concurrent.Executors",
            "java.util.concurrent.ForkJoinPool",
            "java.util.concurrent.ScheduledExecutorService",
            "java.util.concurrent.ThreadFactory",
            "java.util.concurrent.ThreadLocalRandom",
            "java.util.concurrent.ThreadPoolExecutor");

    /** A length of time is a value, not a clock. */
    private static final Set<String> PURE_CLASSES = Set.of("java.time.Duration");

    private static final Set<String> IMPURE_CALLS = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.System.getLogger",
            "java.lang.Math.random",
            "java.util.UUID.randomUUID");

    private Boundaries() {}

    /** Imports only go down. */
    static ArchRule importsOnlyGoDown(Floor floor) {
        return classes()
                .that(describe("are in module " + floor.folder(), floor::contains))
                .should()
                .onlyDependOnClassesThat(describe("module " + floor.folder() + " may import", floor::mayUse))
                .because(floor.advice());
    }

    /** No sockets, threads, clocks, random numbers or loggers in a codec or engine package. */
    static ArchRule isPure(String packageName) {
        return classes()
                .that(areIn(packageName))
                .should(notTouchTheWorld())
                .because("codecs and engines get bytes, time and random numbers as arguments and give back values;"
                        + " do the I/O in the package above");
    }

    /** A codec stands on nothing of ours but XDR and its buffers. */
    static ArchRule wireStandsAlone(String packageName) {
        return classes()
                .that(areIn(packageName))
                .should()
                .onlyDependOnClassesThat(describe(
                        "are outside the project, in " + packageName + ", in " + XDR + " or in " + MEMORY,
                        type -> Floor.of(type).isEmpty()
                                || isIn(type, packageName)
                                || isIn(type, XDR)
                                || isIn(type, MEMORY)))
                .because("a codec knows nothing of those who use it; pass values in and out");
    }

    /** An engine stands on the codec beside it and on the API types of the floors below. */
    static ArchRule engineStandsOnWire(String packageName) {
        String module = packageName.substring(0, packageName.lastIndexOf('.'));
        return classes()
                .that(areIn(packageName))
                .should()
                .onlyDependOnClassesThat(describe(
                        "are outside module package " + module + ", in its .wire or in its .engine",
                        type -> !isIn(type, module) || isIn(type, module + ".wire") || isIn(type, packageName)))
                .because("an engine is stepped by its shell and never calls it; hand results out through an interface"
                        + " of the engine");
    }

    /** No cycles between packages. */
    static ArchRule packagesHaveNoCycles() {
        return slices().matching("io.rpcrdma4j.(**)").should().beFreeOfCycles();
    }

    /** Mutable state has an owner, and a class is none. */
    static ArchRule staticFieldsAreFinal() {
        return fields().that()
                .areStatic()
                // The compiler's own: the switch tables and the assertion flag are final or synthetic.
                .and(describe(
                        "are written by hand",
                        field -> !field.getModifiers()
                                .contains(com.tngtech.archunit.core.domain.JavaModifier.SYNTHETIC)))
                .should()
                .beFinal()
                .because("state has one owner and one writer: put it into an object that someone creates and closes");
    }

    /** Public fields would be writable by any thread. */
    static ArchRule publicFieldsAreFinal() {
        return fields().that()
                .arePublic()
                .should()
                .beFinal()
                .because("state has one writer: keep the field private and say in an accessor who may call it");
    }

    private static DescribedPredicate<JavaClass> areIn(String packageName) {
        return describe("are in " + packageName, type -> isIn(type, packageName));
    }

    private static boolean isIn(JavaClass type, String packageName) {
        String name = type.getPackageName();
        return name.equals(packageName) || name.startsWith(packageName + ".");
    }

    private static ArchCondition<JavaClass> notTouchTheWorld() {
        return new ArchCondition<>("use no sockets, files, threads, clocks, random numbers or loggers") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getDirectDependenciesFromSelf().stream()
                        .filter(dependency -> isImpure(dependency.getTargetClass()))
                        .forEach(dependency ->
                                events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription())));
                for (JavaAccess<?> access : type.getAccessesFromSelf()) {
                    String target = access.getTargetOwner().getName() + "."
                            + access.getTarget().getName();
                    if (IMPURE_CALLS.contains(target)) {
                        events.add(SimpleConditionEvent.violated(access, access.getDescription()));
                    }
                }
            }
        };
    }

    private static boolean isImpure(JavaClass type) {
        JavaClass element = type.getBaseComponentType();
        return !PURE_CLASSES.contains(element.getName())
                && (IMPURE_CLASSES.contains(element.getName())
                        || IMPURE_PACKAGES.stream().anyMatch(name -> isIn(element, name)));
    }
}
