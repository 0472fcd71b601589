package io.rpcrdma4j.verbs.iwarp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** STags: unique, found while valid and never after, also while others come and go. */
class KeyTableTest {

    private final TestDomain domain = new TestDomain();
    private final TestDomain.Memory memory = domain.memory(100, TestDomain.ALL);

    private RemoteKey key() {
        var key = new RemoteKey(true);
        key.describe(memory, domain, null, 0, 100, Access.REMOTE_READ);
        return key;
    }

    @Test
    void keysAreFoundUntilTheyAreRemoved() {
        var random = new SplittableRandom(24);
        var table = new KeyTable(random::nextInt);
        List<RemoteKey> live = new ArrayList<>();
        var seen = new HashSet<Integer>();
        for (int i = 0; i < 50_000; i++) {
            if (live.size() > 500 || (!live.isEmpty() && random.nextInt(3) == 0)) {
                RemoteKey gone = live.remove(random.nextInt(live.size()));
                gone.revoke();
                table.remove(gone);
                assertThat(table.enter(gone.stag())).isNull();
            } else {
                RemoteKey key = key();
                assertThat(table.insert(key)).isTrue();
                assertThat(key.stag()).isPositive();
                seen.add(key.stag());
                live.add(key);
            }
            if (!live.isEmpty()) {
                RemoteKey some = live.get(random.nextInt(live.size()));
                RemoteKey found = table.enter(some.stag());
                assertThat(found).isSameAs(some);
                some.exit();
                assertThat(table.enter(some.stag() ^ 1)).isNull();
            }
        }
        assertThat(table.size()).isEqualTo(live.size());
        assertThat(seen.size()).isGreaterThan(20_000);
    }

    @Test
    void noIndexIsGivenTwiceAtATime() {
        var random = new SplittableRandom(24);
        // Few different numbers: collisions are the rule.
        var table = new KeyTable(() -> random.nextInt(1 << 20));
        var indices = new HashSet<Integer>();
        for (int i = 0; i < 2000; i++) {
            RemoteKey key = key();
            table.insert(key);
            assertThat(indices.add(key.stag() >>> 8)).isTrue();
        }
    }

    @Test
    void aKeyThatIsEnteredIsNotQuiet() {
        var table = new KeyTable(new SplittableRandom(1)::nextInt);
        RemoteKey key = key();
        table.insert(key);
        assertThat(table.enter(key.stag())).isSameAs(key);
        assertThat(key.revoke()).isTrue();
        assertThat(key.revoke()).isFalse();
        assertThat(key.isQuiet()).isFalse();
        key.exit();
        assertThat(key.isQuiet()).isTrue();
    }

    @Test
    void allKeysOfARegionCanBeRevoked() {
        var table = new KeyTable(new SplittableRandom(1)::nextInt);
        TestDomain.Memory other = domain.memory(10, TestDomain.ALL);
        RemoteKey kept = new RemoteKey(true);
        kept.describe(other, domain, null, 0, 10, Access.REMOTE_READ);
        table.insert(kept);
        List<RemoteKey> gone = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            gone.add(key());
            table.insert(gone.get(i));
        }
        table.revokeAllOf(memory, key -> assertThat(key.isQuiet()).isTrue());
        assertThat(gone).noneMatch(RemoteKey::isValid);
        assertThat(kept.isValid()).isTrue();
        assertThat(table.size()).isEqualTo(1);
    }

    /** A reader never sees a key under an STag that is not its own, and never overlooks one that is there. */
    @Test
    void lookupsGoOnWhileKeysComeAndGo() throws Exception {
        var random = new SplittableRandom(5);
        var table = new KeyTable(random::nextInt);
        RemoteKey constant = key();
        table.insert(constant);
        int constantStag = constant.stag();
        var isOver = new AtomicBoolean();
        var lookups = new AtomicLong();
        var lastStag = new AtomicLong();
        var failure = new java.util.concurrent.atomic.AtomicReference<String>();
        Thread reader = Thread.ofPlatform().start(() -> {
            while (!isOver.get() && failure.get() == null) {
                RemoteKey found = table.enter(constantStag);
                if (found != constant) {
                    failure.set("the key that is always there was not found");
                    return;
                }
                found.exit();
                int stag = (int) lastStag.get();
                RemoteKey other = table.enter(stag);
                if (other != null) {
                    if (other.stag() != stag) {
                        failure.set("entered " + other.stag() + " under " + stag);
                    }
                    other.exit();
                }
                lookups.incrementAndGet();
            }
        });
        RemoteKey reused = new RemoteKey(true);
        for (int i = 0; i < 200_000 && failure.get() == null; i++) {
            reused.describe(memory, domain, null, i % 100, 1, Access.REMOTE_READ);
            table.insert(reused);
            lastStag.set(reused.stag());
            reused.revoke();
            table.remove(reused);
            while (!reused.isQuiet()) {
                Thread.onSpinWait();
            }
        }
        isOver.set(true);
        reader.join(10_000);
        assertThat(failure.get()).isNull();
        assertThat(lookups.get()).isPositive();
    }
}
