package io.rpcrdma4j.arch;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * One module of the project and what it may import. Imports only go down: a floor names those it stands on.
 *
 * <p>The table is the one in {@code docs/architecture.md}; a new module starts with a row here.
 */
@SuppressWarnings("ImmutableEnumChecker") // the lists come from List.of
enum Floor {
    VERBS("verbs", "io.rpcrdma4j.verbs", List.of(), List.of(), "the verbs stand alone: no protocol, no I/O, no logger"),
    RPC(
            "rpc",
            "io.rpcrdma4j.rpc",
            List.of(),
            List.of("org.slf4j"),
            "RPC knows no transport but TCP: put what a transport must tell it into the transport interface of rpc"),
    VERBS_TCK(
            "verbs-tck",
            "io.rpcrdma4j.verbs.tck",
            List.of(VERBS),
            List.of("org.junit.jupiter.api", "org.junit.jupiter.params", "org.assertj.core"),
            "the contract suite sees a provider only through the verbs API"),
    VERBS_MEMORY(
            "verbs-memory",
            "io.rpcrdma4j.verbs.memory",
            List.of(VERBS),
            List.of(),
            "a provider sees the verbs API and nothing above it"),
    VERBS_IWARP(
            "verbs-iwarp",
            "io.rpcrdma4j.verbs.iwarp",
            List.of(VERBS),
            List.of("org.slf4j", "jdk.net"),
            "a provider sees the verbs API and nothing above it"),
    RPCRDMA(
            "rpcrdma",
            "io.rpcrdma4j.rpcrdma",
            List.of(VERBS, RPC),
            List.of("org.slf4j"),
            "the transport knows nothing of NFS or files and of no single provider: use rpc and the verbs API"),
    NFS(
            "nfs",
            "io.rpcrdma4j.nfs",
            List.of(RPC),
            List.of("org.slf4j"),
            "NFS sees RPC only: declare placement through the call and reply of rpc, never through verbs"),
    EMBED(
            "embed",
            "io.rpcrdma4j",
            List.of(NFS, RPCRDMA, RPC, VERBS),
            List.of("org.slf4j"),
            "applications get a provider by name, through ServiceLoader"),
    CLI(
            "cli",
            "io.rpcrdma4j.cli",
            List.of(EMBED, NFS, RPCRDMA, RPC, VERBS, VERBS_IWARP, VERBS_MEMORY),
            List.of("org.slf4j", "ch.qos.logback", "picocli", "org.tukaani.xz"),
            "the command is in the image: no automatic modules, no benchmarks"),
    BENCH(
            "bench",
            "io.rpcrdma4j.bench",
            List.of(EMBED, NFS, RPCRDMA, RPC, VERBS, VERBS_IWARP, VERBS_MEMORY),
            List.of(
                    "org.slf4j",
                    "ch.qos.logback",
                    "picocli",
                    "org.openjdk.jmh",
                    "org.dcache.oncrpc4j",
                    "org.glassfish.grizzly"),
            "benchmarks use the parts below and the peers they measure");

    /** What every floor may use: the JDK's own packages and the nullness annotations. */
    private static final List<String> EVERYWHERE =
            List.of("java", "javax.crypto", "javax.net", "javax.security", "jdk.jfr", "org.jspecify");

    private final String folder;
    private final String root;
    private final List<Floor> below;
    private final List<String> libraries;
    private final String advice;

    Floor(String folder, String root, List<Floor> below, List<String> libraries, String advice) {
        this.folder = folder;
        this.root = root;
        this.below = below;
        this.libraries = libraries;
        this.advice = advice;
    }

    /** The module's folder in the source tree. */
    String folder() {
        return folder;
    }

    /** What to do instead of breaking the rule. */
    String advice() {
        return advice;
    }

    boolean contains(JavaClass type) {
        return of(type).filter(floor -> floor == this).isPresent();
    }

    /** Whether code on this floor may use {@code type}. */
    boolean mayUse(JavaClass type) {
        JavaClass element = type.getBaseComponentType();
        Optional<Floor> floor = of(element);
        if (floor.isPresent()) {
            return floor.get() == this || below.contains(floor.get());
        }
        return element.isPrimitive()
                || EVERYWHERE.stream().anyMatch(name -> isIn(element, name))
                || libraries.stream().anyMatch(name -> isIn(element, name));
    }

    /** The floor that a class of the project belongs to: the one with the longest matching package. */
    static Optional<Floor> of(JavaClass type) {
        return Arrays.stream(values())
                .filter(floor -> isIn(type, floor.root))
                .max(Comparator.comparingInt(floor -> floor.root.length()));
    }

    private static boolean isIn(JavaClass type, String root) {
        String name = type.getPackageName();
        return name.equals(root) || name.startsWith(root + ".");
    }
}
