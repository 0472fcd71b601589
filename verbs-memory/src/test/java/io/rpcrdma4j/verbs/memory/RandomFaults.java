package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.PostStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A fault plan drawn from a seed: about one moment in {@code rarity} goes wrong, in any way that fits. */
final class RandomFaults implements FaultPlan {

    private static final List<Fault> KINDS = List.of(
            new Fault.Refuse(PostStatus.DEVICE_ERROR),
            new Fault.Refuse(PostStatus.QUEUE_FULL),
            new Fault.Fail(CompletionStatus.REMOTE_OPERATION_ERROR, "drawn"),
            new Fault.Flush(),
            new Fault.Disconnect(),
            new Fault.Drop("drawn"),
            new Fault.Delay(Duration.ofMillis(3)),
            new Fault.Delay(Duration.ofSeconds(30)),
            new Fault.Unavailable("drawn"),
            new Fault.RemoveDevice("drawn"));

    private final SplittableRandom random;
    private final int rarity;
    private final List<Fault> fitting = new ArrayList<>();

    RandomFaults(long seed, int rarity) {
        random = new SplittableRandom(seed);
        this.rarity = rarity;
    }

    @Override
    public @Nullable Fault decide(FaultSite site) {
        if (random.nextInt(rarity) != 0) {
            return null;
        }
        fitting.clear();
        for (Fault kind : KINDS) {
            if (site.point().accepts(kind)) {
                fitting.add(kind);
            }
        }
        return fitting.get(random.nextInt(fitting.size()));
    }
}
