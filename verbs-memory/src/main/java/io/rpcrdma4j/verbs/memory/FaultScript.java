package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.Device;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Faults written down beforehand.
 *
 * <pre>{@code
 * var script = new FaultScript()
 *         .once(FaultPoint.POST_SEND, FaultScript.nth(3), new Fault.Refuse(PostStatus.DEVICE_ERROR))
 *         .once(FaultPoint.READ_RESPONSE, site -> true, new Fault.Fail(REMOTE_ACCESS_ERROR, "injected"));
 * var fabric = MemoryFabric.builder().faults(script).build();
 * }</pre>
 *
 * <p><b>Threading:</b> rules may be added from any thread while the fabric works.
 */
public final class FaultScript implements FaultPlan {

    private final List<Rule> rules = new ArrayList<>();
    private int fired;

    /** Makes a script without rules. */
    public FaultScript() {}

    /** Has {@code fault} happen at the first moment of kind {@code point} that {@code when} accepts. */
    public FaultScript once(FaultPoint point, Predicate<FaultSite> when, Fault fault) {
        return add(new Rule(point, when, fault, true));
    }

    /** Has {@code fault} happen at every moment of kind {@code point} that {@code when} accepts. */
    public FaultScript always(FaultPoint point, Predicate<FaultSite> when, Fault fault) {
        return add(new Rule(point, when, fault, false));
    }

    /** Forgets all rules. */
    public synchronized FaultScript clear() {
        rules.clear();
        return this;
    }

    /** How many faults happened. */
    public synchronized int fired() {
        return fired;
    }

    /** Accepts the {@code n}th time, from 1, that a device comes to the point. */
    public static Predicate<FaultSite> nth(long n) {
        return site -> site.occurrence() == n;
    }

    /** Accepts what happens on one device. */
    public static Predicate<FaultSite> on(Device device) {
        return site -> device.equals(site.device());
    }

    /** Accepts the {@code n}th moment, from 1, that this predicate sees; it counts, so use it in one rule only. */
    public static Predicate<FaultSite> after(int n, Predicate<FaultSite> inner) {
        var seen = new int[1];
        return site -> inner.test(site) && ++seen[0] == n;
    }

    @Override
    public synchronized @Nullable Fault decide(FaultSite site) {
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            if (rule.point == site.point() && rule.when.test(site)) {
                if (rule.single) {
                    rules.remove(i);
                }
                fired++;
                return rule.fault;
            }
        }
        return null;
    }

    private synchronized FaultScript add(Rule rule) {
        if (!rule.point.accepts(rule.fault)) {
            throw new IllegalArgumentException(rule.fault + " can't happen at " + rule.point);
        }
        rules.add(rule);
        return this;
    }

    private record Rule(FaultPoint point, Predicate<FaultSite> when, Fault fault, boolean single) {}
}
