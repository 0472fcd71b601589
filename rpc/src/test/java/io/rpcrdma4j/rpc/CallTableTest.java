package io.rpcrdma4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CallTableTest {
    private final CallTable table = new CallTable();

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpc.Seeds#few")
    void itHoldsWhatAMapHolds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<Integer, PendingCall> map = new HashMap<>();
        // Few different keys collide and come back; many grow the table.
        int keys = random.nextBoolean() ? 200 : Integer.MAX_VALUE;
        for (int i = 0; i < 3000; i++) {
            int xid = random.nextInt(keys);
            if (random.nextInt(3) == 0) {
                assertThat(table.remove(xid)).isSameAs(map.remove(xid));
            } else if (map.containsKey(xid)) {
                assertThatThrownBy(() -> table.add(call(xid, 1))).isInstanceOf(IllegalArgumentException.class);
                assertThat(table.get(xid)).isSameAs(map.get(xid));
            } else {
                PendingCall call = call(xid, 1);
                table.add(call);
                map.put(xid, call);
            }
            assertThat(table.size()).isEqualTo(map.size());
        }
        assertThat(table.toList()).containsExactlyInAnyOrderElementsOf(map.values());
        map.forEach((xid, call) -> assertThat(table.get(xid)).isSameAs(call));
        List<PendingCall> drained = new ArrayList<>();
        for (PendingCall call = table.removeAny(); call != null; call = table.removeAny()) {
            drained.add(call);
        }
        assertThat(drained).containsExactlyInAnyOrderElementsOf(map.values());
        assertThat(table.size()).isZero();
    }

    @Test
    void deadlinesAreFoundAlsoWhenTheClockWraps() {
        long now = Long.MAX_VALUE - 5;
        assertThat(table.untilDeadline(now)).isEqualTo(Long.MAX_VALUE);
        PendingCall soon = new TestCall(10).begin(1, now);
        PendingCall later = new TestCall(20).begin(2, now);
        table.add(soon);
        table.add(later);
        table.add(new TestCall(Long.MAX_VALUE).begin(3, now));
        assertThat(table.overdue(now)).isNull();
        assertThat(table.untilDeadline(now)).isEqualTo(10);
        assertThat(table.overdue(now + 10)).isSameAs(soon);
        assertThat(table.untilDeadline(now + 15)).isZero();
        table.remove(1);
        assertThat(table.untilDeadline(now + 15)).isEqualTo(5);
        table.remove(2);
        assertThat(table.untilDeadline(now + 15))
                .as("one call has all the time")
                .isEqualTo(Long.MAX_VALUE);
    }

    private static PendingCall call(int xid, long timeout) {
        return new TestCall(timeout).begin(xid, 0);
    }

    private static final class TestCall extends ClientCall {
        TestCall(long timeout) {
            super(1, 1);
            timeoutNanos(timeout);
        }

        PendingCall begin(int xid, long now) {
            pending().begin(xid, now, (call, id) -> {});
            return pending();
        }

        @Override
        protected void encodeArguments(XdrWriter writer) {}

        @Override
        protected void decodeResults(XdrReader reader) {}

        @Override
        protected void onDone(@Nullable RpcException failure) {}
    }
}
