package io.rpcrdma4j.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTableTest {

    /** Few different keys, so that they collide and form clusters that wrap around. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void itBehavesLikeAMap(long seed) {
        var random = new SplittableRandom(seed);
        var table = new KeyTable(() -> random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(-40, 200));
        Map<Integer, Exposure> model = new HashMap<>();
        var keys = new ArrayList<Integer>();
        for (int i = 0; i < 20_000; i++) {
            if (model.size() < 60 && (keys.isEmpty() || random.nextInt(2) == 0)) {
                var exposure = new Exposure(null);
                table.add(exposure);
                assertThat(model.put(exposure.key, exposure))
                        .as("seed %d: key is new", seed)
                        .isNull();
                assertThat(exposure.key).isNotZero();
                keys.add(exposure.key);
            } else {
                int index = random.nextInt(keys.size());
                int key = keys.set(index, keys.getLast());
                keys.removeLast();
                table.remove(java.util.Objects.requireNonNull(model.remove(key)));
                assertThat(table.get(key)).as("seed %d", seed).isNull();
            }
            assertThat(table.size()).isEqualTo(model.size());
            if (i % 50 == 0) {
                model.forEach((key, exposure) -> assertThat(table.get(key)).isSameAs(exposure));
            }
        }
    }
}
