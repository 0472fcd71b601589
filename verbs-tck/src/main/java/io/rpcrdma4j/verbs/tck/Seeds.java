package io.rpcrdma4j.verbs.tck;

import java.util.SplittableRandom;

/** Seeded randomness: a fixed seed for each class, unless {@code -Dtest.seed=N} gives another; it is printed. */
final class Seeds {

    private Seeds() {}

    static SplittableRandom random(Class<?> test) {
        long seed = Long.getLong("test.seed", 20_260_101L + test.getSimpleName().hashCode());
        System.out.println(test.getName() + ": -Dtest.seed=" + seed);
        return new SplittableRandom(seed);
    }
}
